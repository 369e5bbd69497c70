package dev.heddle.collectives.nccl.p2p;

import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.search.Channels;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.collectives.nccl.system.SystemPaths;
import java.util.stream.IntStream;

/**
 * Which GPUs write each other's own buffers: those that one process drives and that access each other at all, unless
 * NCCL_P2P_DIRECT_DISABLE is set [NCCL 2.30.7, the P2P transport's type for peers of one process]. What comes with protocol
 * Simple and is only kept then need not be copied from the connection's buffer.
 */
public final class DirectAccess {
  private final Channels channels;
  private final Placement placement;
  private final int perProcess;

  private DirectAccess(Channels channels, int perProcess) {
    this.channels = channels;
    this.perProcess = perProcess;
    placement = channels.placement();
  }

  /**
   * The access of a communicator's GPUs.
   *
   * @param perProcess GPUs of a node that one process drives, in the order of their numbers, at least 1
   */
  public static DirectAccess of(Channels channels, int perProcess) {
    boolean disabled = channels.config().get(Environment.P2P_DIRECT_DISABLE);
    return new DirectAccess(channels, disabled ? 1 : perProcess);
  }

  /** Whether there may be any. */
  public boolean isAny() {
    return perProcess > 1;
  }

  /** Whether a rank writes another's buffers. */
  public boolean between(int from, int to) {
    int node = placement.node(from);
    if (perProcess == 1 || placement.node(to) != node
        || placement.gpu(from) / perProcess != placement.gpu(to) / perProcess) {
      return false;
    }
    SystemPaths paths = channels.node(node).paths();
    return paths.gpuToGpu(placement.place(from), placement.place(to)).type().atMost(paths.peerLevel());
  }

  /** Whether all ranks write the first one's buffers, and so each other's where all are alike. */
  public boolean everywhere() {
    return isAny() && IntStream.range(1, placement.ranks()).allMatch(rank -> between(rank, 0));
  }
}
