package dev.heddle.collectives.nccl.p2p;

import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.NodePlan;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.collectives.nccl.system.CpuModel;
import dev.heddle.collectives.nccl.system.NodeType;
import dev.heddle.collectives.nccl.system.Path;
import dev.heddle.collectives.nccl.system.SystemGraph;
import dev.heddle.collectives.nccl.system.SystemPaths;
import java.util.stream.IntStream;

/**
 * Send and receive, and the operations that consist of them (all-to-all, gather, scatter): channels, chunks, NIC and
 * relaying GPU of each message [NCCL 2.8.4 to 2.30.7, graph/paths.cc, enqueue.cc].
 */
public final class PointToPoint {
  private static final int BLACKWELL = 100;
  private static final int PEERS_PER_BATCH = 8;
  private static final int ALIGNMENT = 4096;
  private static final int STEPS = 8;
  private static final int SHARED_STEPS = 16;
  private static final int LARGE_NET_CHUNK = 262_144;
  private static final int PARTS_PER_CHUNK_WITHIN = 8;
  private static final int CHUNKS_PER_PART_WITHIN = 32;
  private static final int LL_STEPS_SEPARATE_SINCE = 22;
  private static final int SELF_COPY_SEPARATE_SINCE = 22;
  private static final int LINE_BUFFER = 512 << 10;
  private static final int WIRE_PER_LINE_DATA = 2;

  private final CommunicatorTopology channels;
  private final NcclConfig config;
  private final DirectAccess access;
  private final Placement placement;
  private final PeerOrder order;
  private final int count;
  private final int perPeer;
  private final int chunk;

  private PointToPoint(CommunicatorTopology channels, DirectAccess access) {
    this.access = access;
    this.channels = channels;
    config = channels.config();
    placement = channels.placement();
    order = new PeerOrder(placement, config.get(Environment.P2P_SCHEDULE_GROUP_SIZE));
    int bounded = Math.max(
        Math.min(channels.count(), config.get(Environment.MAX_P2P_NCHANNELS)),
        config.get(Environment.MIN_P2P_NCHANNELS));
    count = nextPower(bounded);
    perPeer = perPeer(bounded);
    chunk = chunk();
  }

  /** The point-to-point messages of a communicator without direct access. */
  public static PointToPoint of(CommunicatorTopology channels) {
    return new PointToPoint(channels, DirectAccess.of(channels, 1));
  }

  /** The point-to-point messages of a communicator with direct access between some GPUs. */
  public static PointToPoint of(CommunicatorTopology channels, DirectAccess access) {
    return new PointToPoint(channels, access);
  }

  private static int nextPower(int value) {
    return value <= 1 ? 1 : Integer.highestOneBit(value - 1) << 1;
  }

  private int perPeer(int bounded) {
    int least = bounded;
    for (NodePlan plan : channels.plans()) {
      SystemPaths paths = plan.paths();
      int gpus = paths.graph().gpus();
      for (int from = 0; from < gpus; from++) {
        for (int to = 0; to < gpus; to++) {
          least = from == to ? least : Math.min(least, channelsToNeighbour(paths, from, to));
        }
        least = placement.nodes() > 1 ? Math.min(least, channelsToRemote(paths, from)) : least;
      }
    }
    int found = nextPower(least);
    int batches = (placement.ranks() + PEERS_PER_BATCH - 1) / PEERS_PER_BATCH;
    while (placement.nodes() > 1 && found > 1 && found * batches > count) {
      found /= 2;
    }
    return found;
  }

  private static int channelsToNeighbour(SystemPaths paths, int from, int to) {
    Path path = paths.gpuToGpu(from, to);
    return path.type() == PathType.NVL
        ? 2 * Math.max(1, path.megabytes() / paths.graph().nvlinkMegabytes(from))
        : 2;
  }

  private int channelsToRemote(SystemPaths paths, int gpu) {
    if (config.isSet(Environment.NCHANNELS_PER_NET_PEER)) {
      return config.get(Environment.NCHANNELS_PER_NET_PEER).orElseThrow();
    }
    NcclVersion version = config.version();
    if (!version.since(20)) {
      return 2;
    }
    int[] nets = IntStream.range(0, 64).map(channel -> paths.localNet(gpu, channel)).distinct().toArray();
    if (!version.since(29)) {
      return Math.max(nets.length, 2 * placement.ranks() > 4 * count ? 1 : 2);
    }
    double gigabytes = paths.graph().net(nets[0]).megabits() / 8e3;
    return Math.max(
        nets.length, (int) Math.ceil(nets.length * gigabytes / config.get(Environment.P2P_PER_CHANNEL_NET_BW)));
  }

  private int chunk() {
    if (placement.nodes() > 1) {
      boolean large = !config.isSet(Environment.P2P_NET_CHUNKSIZE)
          && channels.plans().stream().allMatch(PointToPoint::armWithBlackwell);
      return large ? LARGE_NET_CHUNK : config.get(Environment.P2P_NET_CHUNKSIZE);
    }
    return channels.plans().stream().allMatch(NodePlan::allNvlink)
        ? config.get(Environment.P2P_NVL_CHUNKSIZE)
        : config.get(Environment.P2P_PCI_CHUNKSIZE);
  }

  private static boolean armWithBlackwell(NodePlan plan) {
    SystemGraph graph = plan.paths().graph();
    return graph.leastCapability() >= BLACKWELL
        && IntStream.range(0, graph.count(NodeType.CPU)).mapToObj(graph::cpu).allMatch(CpuModel::arm);
  }

  /** The order of peers. */
  public PeerOrder order() {
    return order;
  }

  /** The number of channels, a power of two. */
  public int channels() {
    return count;
  }

  /** The largest number of channels of one message. */
  public int channelsPerPeer() {
    return perPeer;
  }

  /** The chunk of a large message, bytes; small messages between nodes use smaller ones. */
  public int chunkBytes() {
    return chunk;
  }

  /**
   * The channels, chunks and protocol of a message.
   *
   * @param from rank that sends
   * @param to rank that receives, another one
   * @param bytes at least 0
   */
  public Message message(int from, int to, long bytes) {
    boolean remote = remote(from, to);
    boolean ownSteps = config.version().since(LL_STEPS_SEPARATE_SINCE) && !access.between(from, to);
    int parts = parts(bytes, chunk);
    long largestLl = (long) config.get(Environment.P2P_LL_THRESHOLD) * (ownSteps ? perPeer : parts);
    boolean lines = !remote && bytes <= largestLl;
    int used = ownSteps && lines ? parts(bytes, lineStep()) : parts;
    int cut = remote ? netChunk(part(bytes, used)) : ownSteps && lines ? lineStep() / WIRE_PER_LINE_DATA : chunk;
    int given = config.get(Environment.CHUNK_SIZE);
    return new Message(used, part(bytes, used), given == 0 ? cut : given, lines ? Protocol.LL : Protocol.SIMPLE);
  }

  // The size of an LL step on the wire, bytes.
  private int lineStep() {
    return config.get(Environment.LL_BUFFSIZE).orElse(LINE_BUFFER) / STEPS;
  }

  // The number of channels of a message: an equal share of all channels, fewer where parts would be too small, more
  // where they would be too large.
  private int parts(long bytes, int step) {
    boolean several = placement.nodes() > 1;
    int least = perPeer;
    while (least > 1 && (long) least * placement.ranks() > count) {
      least /= 2;
    }
    long leastPart = several ? step / 2 : step / PARTS_PER_CHUNK_WITHIN;
    long mostPart = several ? step : (long) CHUNKS_PER_PART_WITHIN * step;
    int used = (int) Math.max(1, Math.min(least, (bytes + leastPart - 1) / leastPart));
    while (used <= perPeer / 2 && part(bytes, used) > mostPart) {
      used *= 2;
    }
    return used;
  }

  private static long part(long bytes, int parts) {
    long part = (bytes + parts - 1) / parts;
    return (part + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  // The chunk between nodes, smaller for small messages so that the pipeline stays filled.
  private int netChunk(long bytes) {
    return bytes < chunk ? chunk / 4 : bytes < 8L * chunk ? chunk / 2 : chunk;
  }

  /**
   * The channel of a part of the message of a round. The first part takes the number of the round with its bits in
   * reverse order, so that parts and rounds share a channel only when there are more of them than channels.
   */
  public int channel(int round, int part) {
    int base = placement.nodes() == 1 ? round
        : round / order.groupSize() * ((order.groupSize() + PEERS_PER_BATCH - 1) / PEERS_PER_BATCH)
            + round % order.groupSize() / PEERS_PER_BATCH;
    return (bitReversed(base) + part) & (count - 1);
  }

  private int bitReversed(int value) {
    return count == 1 ? 0 : Integer.reverse(value & (count - 1)) >>> Integer.numberOfLeadingZeros(count - 1);
  }

  /** Whether a message passes the network: to another node, or within a node where NICs are faster. */
  public boolean remote(int from, int to) {
    int node = placement.node(from);
    return node != placement.node(to)
        || from != to && channels.node(node).paths().throughNetwork(placement.place(from), placement.place(to));
  }

  /**
   * The rank of the same node whose memory holds the buffer of a message between two ranks, into which the sender
   * writes and from which the receiver reads: a neighbour of both by NVLink where they have no link to each other
   * (NVB), else the sender itself [NCCL 2.9 to 2.30.7, transport/p2p.cc, "P2P/indirect" in its logs].
   */
  public int intermediate(int from, int to) {
    int node = placement.node(from);
    SystemPaths paths = channels.node(node).paths();
    Path path = paths.gpuToGpu(placement.place(from), placement.place(to));
    SystemGraph graph = paths.graph();
    int next = path.type() == PathType.NVB ? graph.to(path.links().get(0)) : -1;
    return next >= 0 && path.type().atMost(paths.peerLevel()) ? placement.rank(node, graph.index(next)) : from;
  }

  /** The port by which a rank receives on a channel. */
  public int receivingNet(int rank, int channel) {
    return channels.node(placement.node(rank)).paths().localNet(placement.place(rank), channel);
  }

  /**
   * The port by which a rank sends to a rank of another node: the port of the peer's rail if relaying is possible,
   * otherwise its own.
   */
  public int sendingNet(int rank, int peer, int channel) {
    SystemPaths paths = channels.node(placement.node(rank)).paths();
    int own = paths.localNet(placement.place(rank), channel);
    int owner = owner(rank, peer);
    if (owner < 0) {
      return own;
    }
    int rail = paths.localNet(owner, channel);
    boolean crossing = config.get(Environment.CROSS_NIC) != 0;
    return mayRelay(paths, placement.place(rank), rail) || !crossing ? rail : own;
  }

  /** The rank through whose GPU a rank sends to a rank of another node; the rank itself without relaying. */
  public int relay(int rank, int peer, int channel) {
    int node = placement.node(rank);
    SystemPaths paths = channels.node(node).paths();
    int net = sendingNet(rank, peer, channel);
    if (owner(rank, peer) >= 0 && config.get(Environment.P2P_PXN_LEVEL) == 2
        && mayRelay(paths, placement.place(rank), net)) {
      return placement.rank(node, paths.nearestGpu(net));
    }
    return channels.relay(rank, net);
  }

  /** The number of GPUs through which a rank's messages to other nodes pass. */
  public int rails(int rank) {
    return Math.toIntExact(Math.max(1, IntStream.range(0, placement.ranks())
        .filter(peer -> placement.node(peer) != placement.node(rank))
        .map(peer -> relay(rank, peer, 0)).distinct().count()));
  }

  // The place on a rank's node of the GPU with the same device number as the peer's; -1 if there is none.
  private int owner(int rank, int peer) {
    SystemGraph own = channels.node(placement.node(rank)).paths().graph();
    SystemGraph other = channels.node(placement.node(peer)).paths().graph();
    int dev = other.gpu(placement.place(peer)).dev();
    return IntStream.range(0, own.gpus()).filter(gpu -> own.gpu(gpu).dev() == dev).findFirst().orElse(-1);
  }

  private boolean mayRelay(SystemPaths paths, int gpu, int rail) {
    int nearest = paths.nearestGpu(rail);
    int level = config.get(Environment.PXN_DISABLE) || !config.version().since(12)
        ? 0
        : config.get(Environment.P2P_PXN_LEVEL);
    return switch (level) {
      case 0 -> false;
      case 1 -> paths.gpuToNet(gpu, rail).type().atMost(PathType.PXN);
      default -> nearest >= 0 && paths.gpuToGpu(gpu, nearest).type().atMost(PathType.NVL)
          && paths.gpuToNet(nearest, rail).type().atMost(paths.relayLevel());
    };
  }

  /**
   * Whether all threads of a message's thread blocks copy a rank's own block, separate from the messages. Before 2.22
   * the own block had as many threads as one message and took as long as another message, as tables of A100 show.
   */
  public boolean selfCopySeparate() {
    return config.version().since(SELF_COPY_SEPARATE_SINCE);
  }

  /** The number of buffer steps of one peer, at most 8, when several peers share a channel. */
  public int steps(int peersOfChannel) {
    return config.get(Environment.NET_SHARED_BUFFERS)
        ? Math.max(1, Math.min(STEPS, SHARED_STEPS / Math.max(1, peersOfChannel)))
        : STEPS;
  }
}
