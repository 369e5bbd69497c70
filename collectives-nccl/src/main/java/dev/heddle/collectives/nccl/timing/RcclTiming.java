package dev.heddle.collectives.nccl.timing;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.rccl.MscclSchedules;
import dev.heddle.collectives.nccl.rccl.RcclRings;
import dev.heddle.collectives.nccl.rccl.RcclTuner;
import dev.heddle.collectives.nccl.tuner.Call;
import dev.heddle.collectives.nccl.tuner.Candidate;
import dev.heddle.collectives.nccl.tuner.Choice;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.InvalidSettingException;
import java.util.Optional;

/**
 * The timing of a communicator on GPUs of AMD: RCCL's choice, and NCCL's closed forms, as RCCL's rings and trees are
 * NCCL's, or schedules of MSCCL in their place. Operations of send and receive are not modelled.
 */
public final class RcclTiming {
  private final RcclRings rings;
  private final RcclTuner tuner;
  private final NcclConfig config;
  private final RankLayout layout;
  private final double nodeRate;
  private final boolean single;

  private RcclTiming(RcclRings rings, NcclConfig config, double nodeRate, int perProcess) {
    this.rings = rings;
    single = perProcess == 1;
    this.config = config;
    this.nodeRate = nodeRate;
    tuner = RcclTuner.of(rings, config);
    layout = new RankLayout(rings.ranks(), rings.nodes());
  }

  /**
   * The timing of a communicator with a process for each GPU.
   *
   * @throws InvalidSettingException when RCCL has no rings for it
   */
  public static RcclTiming of(Cluster cluster, Group group, NcclConfig config) {
    return of(cluster, group, config, 1);
  }

  /**
   * The timing of a communicator.
   *
   * @param perProcess GPUs of a process; with several, RCCL takes no schedules of MSCCL
   * @throws InvalidSettingException when RCCL has no rings for it
   */
  public static RcclTiming of(Cluster cluster, Group group, NcclConfig config, int perProcess) {
    RcclRings rings = RcclRings.of(cluster, group, config.version());
    return new RcclTiming(rings, config, NicAddress.PLAIN.nodeRate(cluster) * rings.use().ports(), perProcess);
  }

  /** The layout of the ranks. */
  public RankLayout layout() {
    return layout;
  }

  /** The rings that the tuner assumes. */
  public RcclRings rings() {
    return rings;
  }

  /**
   * The choice of the tuner.
   *
   * @throws InvalidSettingException when the operation consists of send and receive
   */
  public Choice choice(CollectiveOp op, long bytes) {
    if (!CommunicatorTiming.tuned(op)) {
      throw new InvalidSettingException("", op.key() + " consists of send and receive, which are not modelled for RCCL;"
          + " it has all_reduce, all_gather, reduce_scatter, broadcast and reduce");
    }
    return tuner.choose(Call.of(op, bytes));
  }

  /** The schedule of MSCCL that RCCL takes for a call in place of the tuner's choice. */
  public Optional<MscclSchedules.Schedule> schedule(CollectiveOp op, long bytes) {
    return single ? MscclSchedules.of(rings, config, op, bytes) : Optional.empty();
  }

  /** The execution of a call: by a schedule of MSCCL, or as the tuner chooses. */
  public Execution execution(CollectiveOp op, long bytes) {
    Candidate best = choice(op, bytes).best();
    return schedule(op, bytes).map(found -> new Execution(best.algorithm(), found, config.version())).orElseGet(
        () -> new Execution(best.algorithm(), best.protocol(), best.shape().channels(), config.version()));
  }

  /** The closed forms on a machine, whose ranks use only their own links and NICs. */
  public NcclTiming on(MachineTiming machine) {
    double port = machine.gpu().port().bytesPerNano() * Math.max(rings.use().links(), Double.MIN_NORMAL);
    MachineTiming used = machine.atMost(nodeRate).withNics(Math.max(1, rings.nics()));
    return new NcclTiming(layout.perNode() == 1 ? used : used.withLocalRate(port), layout,
        Buffers.ofRccl(config));
  }
}
