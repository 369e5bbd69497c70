package dev.heddle.collectives.nccl.timing;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;
import java.util.Optional;

/**
 * Times and rates of a GPU generation: valid for all machines with its GPUs, on any network.
 *
 * @param launch time from a call to the kernel's first step, and from its last step to the next call's, if the host's
 *     is not known
 * @param port data rate of all channels of a collective together over a GPU's links, by stores of thread blocks
 * @param copy data rate of one thread block that receives, adds and sends with Simple, without flags
 * @param ownCopy data rate of one thread block that copies without adding: a rank's own block, messages of send and
 *     receive
 * @param slice time per slice besides copying: wait, fence, flag
 * @param seen time until the next rank sees the flag of a slice; absent: equal to {@code slice}
 * @param ll protocol LL
 * @param ll128 protocol LL128; absent: a step as with LL, and a pass of all threads half as long again
 * @param start time of the exchange of buffer addresses between ranks of a node, before the first slice of Simple
 * @param nvls NVLS and NVLSTree, for GPUs behind switches that reduce
 */
public record GpuTiming(
    @Setting(value = "from a call to the kernel's first step, where a host's own is not known",
        def = "6 us") SimTime launch,
    @Setting("data rate of all channels of a collective together over a GPU's links, by stores of"
        + " thread blocks") DataRate port,
    @Setting("data rate of one thread block that receives, adds and sends on, between flags,"
        + " with Simple") DataRate copy,
    @Setting("data rate of one thread block that copies only: a rank's own block, messages of send and"
        + " receive") DataRate ownCopy,
    @Setting("time per slice of Simple besides copying: waiting, fence, flag") SimTime slice,
    @Setting("time until the next rank sees the flag of a slice; without it,"
        + " as long as the work on one") Optional<SimTime> seen,
    @Setting("protocol LL") LineTiming ll,
    @Setting("protocol LL128; without it, a step takes that of LL, and a pass of all threads half as long"
        + " again") Optional<LineTiming> ll128,
    @Setting("time by which ranks of a node tell each other their buffers, before the first slice"
        + " of Simple") SimTime start,
    @Setting("NVLS and NVLSTree, where the switches reduce") Optional<NvlsTiming> nvls) {
  /** Accesses to memory of a step that loads two operands and stores one. */
  static final double SUM_ACCESSES = 3;
  /**
   * Accesses for a further child in a tree, a load on the way up and a store on the way down, relative to a step that
   * loads two operands and stores one.
   */
  public static final double ONE_CHILD = 2 / SUM_ACCESSES;

  /** Chunk of send and receive between the GPUs of a node, bytes (NCCL_P2P_NVL_CHUNKSIZE). */
  static final double LOCAL_CHUNK = 512 << 10;

  // A step of a tree with LL128 over NVLink relative to one of a ring: 1.25 and 1.9 us in NCCL's own model, which has
  // equal steps with LL [NCCL 2.8.3 to 2.30.7, graph/tuning.cc].
  private static final double TREE_HOP_LL128 = 1.25 / 1.9;
  // A pass of all threads of a block with LL128, four lines of 16 bytes a thread, relative to one with LL, a line a
  // thread: by fits of both on H100 and B200, which agree. No source has it, and V100 and A100 take longer.
  private static final double PASS_LL128 = 1.5;
  // The time by which a kernel with LL128 starts later than one with LL: 14.0 and 6.6 us in rings, 14.0 and 6.8 us in
  // trees [NCCL 2.18 to 2.30.7, graph/tuning.cc, base latencies].
  private static final double LL128_START_NS = 7_400;
  private static final double LL128_TREE_START_NS = 7_200;

  // Memory accesses of a step with three operands in memory, relative to a copy, which has two.
  private static final double THREE_ACCESSES = 3.0 / 2;

  /**
   * The data rate of one channel of send and receive, bytes per nanosecond.
   *
   * @param oneWay whether a thread block only sends or only receives, as in scatter and gather; otherwise it copies
   *     equal amounts in both directions
   */
  public double channelCopy(boolean oneWay) {
    return oneWay ? ownCopy.bytesPerNano() : ownCopy.bytesPerNano() / 2;
  }

  /**
   * The data rate of one message, bytes per nanosecond: for each chunk that it sends or receives, its thread block
   * handles a slice, as flags of both directions overlap; to another node it takes at least as long as a post, as
   * a step of NCCL's tuning model does.
   *
   * @param postNs time of a post of a chunk, nanoseconds; 0 within a node
   */
  public double pairCopy(double chunkBytes, double postNs, boolean oneWay) {
    double each = Math.max(slice.nanos(), postNs);
    return 1 / (1 / channelCopy(oneWay) + (chunkBytes > 0 ? each / chunkBytes : 0));
  }

  /**
   * The time of a ring's step that moves data within a rank's memory only, nanoseconds per byte. Where ranks write to
   * the next rank's memory it is the last one, from a buffer to the result, which sums two operands in reduce_scatter.
   * Where they read from the one before, it is the first, from the call's data to a buffer of the rank's own, which
   * all_gather writes to the result besides.
   *
   * @param op all_reduce, all_gather or reduce_scatter
   * @param reads whether ranks read from one another with Simple, see {@link RankLayout#reads()}
   * @param inPlace whether a rank's own block lies in the result already
   */
  public double localStep(CollectiveOp op, Protocol protocol, boolean reads, boolean inPlace) {
    boolean first = reads && protocol == Protocol.SIMPLE;
    if (op == CollectiveOp.ALL_GATHER && inPlace) {
      return first ? 1 / ownCopy.bytesPerNano() : 0;
    }
    CollectiveOp wide = first ? CollectiveOp.ALL_GATHER : CollectiveOp.REDUCE_SCATTER;
    return (op == wide && protocol == Protocol.SIMPLE ? THREE_ACCESSES : 1) / ownCopy.bytesPerNano();
  }

  /** The time until the next rank sees the flag of a slice. */
  public SimTime hop() {
    return seen.orElse(slice);
  }

  /** The time of a step of a ring or chain, or of a tree, besides its data, nanoseconds. */
  public double hopNs(Protocol protocol, boolean tree) {
    return switch (protocol) {
      case SIMPLE -> hop().nanos();
      case LL -> ll.hop().nanos();
      case LL128 -> ll128.map(each -> (tree ? TREE_HOP_LL128 : 1) * each.hop().nanos()).orElse(ll.hop().nanos());
    };
  }

  /** The rate of a thread block with LL128 that has the port to itself, bytes per nanosecond. */
  double ll128Rate() {
    return ll128.map(each -> each.rate().bytesPerNano())
        .orElse(ll.rate().bytesPerNano() * Buffers.ringPass(Protocol.LL128) / Buffers.ringPass(Protocol.LL)
            / PASS_LL128);
  }

  /**
   * The rate of a tree's thread block with LL128 that serves one direction at a time, bytes per nanosecond.
   *
   * @param port the channel's share of the port, bytes of data per nanosecond
   */
  public double treeLinesAlone(double port) {
    return ChannelTime.Rates.serial(TreeModel.TREE_SHARE_LL128 * ll128Rate(), port);
  }

  /**
   * The time from a kernel's first step to the first data of a ring or tree, nanoseconds: with Simple ranks of a node
   * exchange the addresses of their buffers, and with LL128 kernels start later than with LL.
   */
  public double startNs(Protocol protocol, boolean tree) {
    return switch (protocol) {
      case SIMPLE -> start.nanos();
      case LL -> 0;
      case LL128 -> tree ? LL128_TREE_START_NS : LL128_START_NS;
    };
  }

  /** The time from the first store of NVLS to its first result besides copying. */
  public SimTime nvlsFill() {
    return nvls.flatMap(NvlsTiming::fill).orElse(SimTime.ofPs(2 * hop().ps()));
  }

  /**
   * The time of a loop of NVLS besides copying: a thread block waits for a slice, and its fence for the stores that the
   * switches multicast.
   */
  public SimTime nvlsLoop() {
    return SimTime.ofPs(slice.ps() + hop().ps());
  }

  /**
   * The start of a message within a node: with LL a flag passes; with Simple both ranks also exchange the addresses of
   * their buffers.
   */
  public SimTime pairStart(boolean lines) {
    return SimTime.ofPs(2 * ll.hop().ps() + (lines ? 0 : start.ps()));
  }

  /** The generation on links within the node of at most a rate, gigabytes per second. */
  GpuTiming atMost(double rate) {
    return rate >= port.bytesPerNano() ? this
        : new GpuTiming(launch, DataRate.ofGigabitsPerSecond(Byte.SIZE * rate), copy, ownCopy, slice, seen, ll, ll128,
            start, nvls);
  }
}
