package dev.heddle.collectives.nccl.p2p;

import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.collectives.nccl.system.SystemPaths;

/**
 * Direct access between GPUs of one process, which write into each other's own buffers. All GPUs of a process that can
 * access each other do so, unless NCCL_P2P_DIRECT_DISABLE is set [NCCL 2.30.7, the P2P transport's type for peers of
 * one process]. A step of protocol Simple that only stores data then needs no copy from the connection's buffer. A100s
 * joined by NVLink always read, and only from connections' buffers [NCCL 2.8.4 to 2.22.3, graph/paths.cc,
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
   * The direct access of a communicator with one thread for each process.
   *
   * @param perProcess GPUs of a node that one process drives, in the order of their numbers, at least 1
   */
  public static DirectAccess of(CommunicatorTopology channels, int perProcess) {
    return new DirectAccess(channels, perProcess, perProcess);
  }

  /**
   * The direct access of a communicator with one thread for each GPU.
   *
   * @param perProcess GPUs of a node that one process drives, in the order of their numbers, at least 1
   */
  public static DirectAccess ofThreads(CommunicatorTopology channels, int perProcess) {
    return new DirectAccess(channels, perProcess, 1);
  }

  /** Whether any two GPUs may have direct access. */
  public boolean isAny() {
    return perProcess > 1 && !disabled;
  }

  /** Whether a rank writes into another's own buffers. */
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

  /** The number of GPUs of a node for which one thread queues calls. */
  public int perThread() {
    return perThread;
  }
}
