package dev.heddle.collectives.nccl.p2p;

import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.collectives.nccl.system.SystemPaths;

/**
 * Which GPUs one process drives, and which of them write each other's own buffers: those that access each other at all,
 * unless NCCL_P2P_DIRECT_DISABLE is set [NCCL 2.30.7, the P2P transport's type for peers of one process]. What comes with
 * protocol Simple and is only kept then need not be copied from the connection's buffer. A100s that NVLink joins read what
 * others send, and from connections' buffers only, whoever drives them [NCCL 2.8.4 to 2.22.3, graph/paths.cc,
 * device/prims_simple.h].
 */
public final class DirectAccess {
  private static final int AMPERE = 80;

  private final CommunicatorTopology channels;
  private final Placement placement;
  private final int perProcess;
  private final int perThread;
  private final boolean disabled;

  private DirectAccess(CommunicatorTopology channels, int perProcess, int perThread) {
    this.perThread = perThread;
    this.channels = channels;
    this.perProcess = perProcess;
    placement = channels.placement();
    disabled = channels.config().get(Environment.P2P_DIRECT_DISABLE);
  }

  /**
   * The access of a communicator's GPUs.
   *
   * @param perProcess GPUs of a node that one process drives, in the order of their numbers, at least 1
   */
  public static DirectAccess of(CommunicatorTopology channels, int perProcess) {
    return new DirectAccess(channels, perProcess, perProcess);
  }

  /**
   * The access of a communicator's GPUs, each of which a thread of its own drives.
   *
   * @param perProcess GPUs of a node that one process drives, in the order of their numbers, at least 1
   */
  public static DirectAccess ofThreads(CommunicatorTopology channels, int perProcess) {
    return new DirectAccess(channels, perProcess, 1);
  }

  /** Whether there may be any. */
  public boolean isAny() {
    return perProcess > 1 && !disabled;
  }

  /** Whether a rank writes another's buffers. */
  public boolean between(int from, int to) {
    if (!isAny() || !oneProcess(from, to)) {
      return false;
    }
    SystemPaths paths = channels.node(placement.node(from)).paths();
    int sender = placement.place(from);
    int receiver = placement.place(to);
    PathType type = paths.gpuToGpu(sender, receiver).type();
    boolean reads = type == PathType.NVL && paths.graph().gpu(sender).sm() == AMPERE
        && paths.graph().gpu(receiver).sm() == AMPERE;
    return type.atMost(paths.peerLevel()) && !reads;
  }

  private boolean oneProcess(int one, int other) {
    return placement.node(one) == placement.node(other)
        && placement.gpu(one) / perProcess == placement.gpu(other) / perProcess;
  }

  /** GPUs of a node for which one thread queues calls. */
  public int perThread() {
    return perThread;
  }
}
