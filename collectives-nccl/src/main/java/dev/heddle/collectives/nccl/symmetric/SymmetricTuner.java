package dev.heddle.collectives.nccl.symmetric;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.ConstantTable;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import java.util.Optional;

/**
 * NCCL's choice of a kernel for symmetric memory, by its cost model [NCCL 2.27 to 2.30, sym_kernels.cc]. The model
 * plans with its own rates: it was not fitted to anything here, and has no launch.
 */
public final class SymmetricTuner {
  private static final ConstantTable CONSTANTS = ConstantTable.read("symmetric.csv");
  private static final int SINCE = 27;
  private static final int MULTICAST_OF_MORE_THAN_TWO = 29;
  private static final int HOPPER = 90;
  private static final int BLACKWELL = 100;
  private static final double GIBIBYTE_PER_SECOND = 1.073741824e3;
  // Kernels with flags count bytes in 31 bits.
  private static final double MOST_LINES = 2.0 * (1L << 30);
  // Time that NCCL gives up for fewer thread blocks: as a whole, and for each block when it compares kernels.
  private static final double SPARED = .025;

  private final NcclVersion version;
  private final int capability;
  private final int ranks;
  private final boolean switches;

  /**
   * The choice among ranks with direct links.
   *
   * @param capability compute capability times ten, at least 90
   * @param ranks number of ranks, at least 2
   * @param switches whether NVSwitches reduce and multicast for them
   */
  public SymmetricTuner(NcclVersion version, int capability, int ranks, boolean switches) {
    this.version = version;
    this.capability = capability;
    this.ranks = ranks;
    this.switches = switches && (ranks > 2 || !version.since(MULTICAST_OF_MORE_THAN_TWO));
  }

  /**
   * A planned call.
   *
   * @param kernel chosen kernel
   * @param blocks thread blocks, at least 1
   * @param micros expected time without the launch, microseconds
   * @param moving the part of it in which data move at the blocks' rate, microseconds
   */
  public record Plan(SymmetricKernel kernel, int blocks, double micros, double moving) {}

  /** The tuner of a communicator; empty where NCCL has no such kernels for it, see {@link #reason}. */
  public static Optional<SymmetricTuner> of(CommunicatorTopology channels) {
    return reason(channels).isPresent() ? Optional.empty()
        : Optional.of(new SymmetricTuner(channels.config().version(), capability(channels),
            channels.placement().ranks(), channels.nvls()));
  }

  /** The reason why a communicator has no kernels for symmetric memory; empty if it has. */
  public static Optional<String> reason(CommunicatorTopology channels) {
    if (!channels.config().version().since(SINCE)) {
      return Optional.of("since NCCL 2." + SINCE);
    }
    if (capability(channels) < HOPPER) {
      return Optional.of("their times before Hopper are not known");
    }
    if (channels.placement().ranks() < 2) {
      return Optional.of("one rank");
    }
    return channels.placement().nodes() > 1 || !channels.node(0).ring().intraType().atMost(PathType.NVL)
        ? Optional.of("not all ranks are joined by NVLink") : Optional.empty();
  }

  private static int capability(CommunicatorTopology channels) {
    return channels.plans().stream().mapToInt(plan -> plan.paths().graph().leastCapability()).min().orElse(0);
  }

  /**
   * The plan of a call; empty for operations without kernels.
   *
   * @param bytes of the largest buffer of any rank, as in nccl-tests
   */
  public Optional<Plan> choose(CollectiveOp op, long bytes) {
    double each = op == CollectiveOp.ALL_REDUCE ? bytes : (double) bytes / ranks;
    Optional<Plan> best = Optional.empty();
    double least = Double.POSITIVE_INFINITY;
    for (SymmetricKernel kernel : SymmetricKernel.values()) {
      double bus = kernel.busBytes(each, ranks);
      if (kernel.op() == op && (switches || !kernel.multicast()) && (!kernel.lines() || bus < MOST_LINES)) {
        Plan plan = plan(kernel, bus);
        double cost = plan.micros() * (1 + SPARED * plan.blocks());
        if (cost < least) {
          best = Optional.of(plan);
          least = cost;
        }
      }
    }
    return best;
  }

  // The fewest thread blocks that take no more than a little longer than the most.
  private Plan plan(SymmetricKernel kernel, double bus) {
    int most = kernel.mostBlocks(ranks, capability >= BLACKWELL);
    double allowed = (1 + SPARED) * micros(kernel, bus, most);
    int blocks = 1;
    while (micros(kernel, bus, blocks) > allowed) {
      blocks++;
    }
    double micros = micros(kernel, bus, blocks);
    return new Plan(kernel, blocks, micros, Math.min(micros, bus / rate(kernel, blocks)));
  }

  private double micros(SymmetricKernel kernel, double bus, int blocks) {
    double base = kernel.lines() ? constant("base-ll", kernel.op()) : constant("base", kernel.op());
    double beyond = bus / rate(kernel, blocks) - 1;
    // The logarithm of 1 + e^x, without overflow.
    return base + Math.max(beyond, 0) + Math.log1p(Math.exp(-Math.abs(beyond)));
  }

  // The rate of some thread blocks, bytes per microsecond: their sum, which bends to the peak within a block's rate.
  private double rate(SymmetricKernel kernel, int blocks) {
    double block = constant("block", kernel.op());
    double peak = kernel == SymmetricKernel.ALL_REDUCE_MULTIMEM ? constant("peak-multimem", kernel.op())
        : constant("peak", kernel.op());
    double sum = blocks * block * kernel.blockFactor(ranks);
    double bent = peak - block * Math.log1p(Math.expm1(peak / block) * Math.exp(-sum / block));
    return bent * GIBIBYTE_PER_SECOND;
  }

  // A constant of the generation: that of the operation, if it has one.
  private double constant(String key, CollectiveOp op) {
    int row = capability >= BLACKWELL ? BLACKWELL : HOPPER;
    String own = key + "-" + op.key();
    return CONSTANTS.rows(version).stream()
        .filter(each -> Integer.parseInt(CONSTANTS.cell(each, "capability")) == row
            && (CONSTANTS.cell(each, "key").equals(own) || CONSTANTS.cell(each, "key").equals(key)))
        .sorted((one, other) -> CONSTANTS.cell(other, "key").length() - CONSTANTS.cell(one, "key").length())
        .findFirst().map(each -> Double.parseDouble(CONSTANTS.cell(each, "value")))
        .orElseThrow(() -> new IllegalStateException("no " + key + " for symmetric memory in NCCL " + version));
  }
}
