package dev.heddle.collectives.nccl.algorithm;

import com.google.common.base.Suppliers;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.MessageLabel;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.TransportModel;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.p2p.DirectAccess;
import dev.heddle.collectives.nccl.p2p.PointToPoint;
import dev.heddle.collectives.nccl.schedule.NvlsDomains;
import dev.heddle.collectives.nccl.schedule.Peers;
import dev.heddle.collectives.nccl.schedule.Rings;
import dev.heddle.collectives.nccl.schedule.Trees;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.collectives.nccl.timing.Buffers;
import dev.heddle.collectives.nccl.timing.CallTime;
import dev.heddle.collectives.nccl.timing.CommunicatorTiming;
import dev.heddle.collectives.nccl.timing.Hops;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.collectives.nccl.timing.NetworkTiming;
import dev.heddle.collectives.nccl.timing.NicAddress;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** A communicator of NCCL: its channels in the form that schedules need, and plans of its collectives. */
final class NcclCommunicator implements Communicator {
  // A rank of a ring sends a slice on before it frees its buffer, so that a connection holds at least four slices.
  private static final int WINDOW = 4;

  private static final int CONCURRENT_PEERS = 8;

  // The upper six bits of a traffic class are a code point, of which the upper three are a priority [RFC 2474].
  private static final int PRIORITY_SHIFT = 5;

  // Number of paths of a message with adaptive routing: large enough that hashes spread them evenly over the fabric.
  private static final int ADAPTIVE_PATHS = 32;

  private final CommunicatorTiming timing;
  private final Group group;
  private final Cluster cluster;
  private final CommunicatorTopology channels;
  private final PointToPoint pairs;
  private final DirectAccess access;
  private final boolean repeated;
  private final NicAddress address;
  private final Supplier<ChannelRails.Exits> exits;
  private final Supplier<Schedule.Rails> treeRails;
  private final Supplier<NetworkReduction> network;

  /**
   * A communicator.
   *
   * @param repeated whether pipelines of broadcasts and reductions are those of a call that follows equal ones
   */
  NcclCommunicator(
      CommunicatorTiming timing, DirectAccess access, Group group, Cluster cluster, boolean repeated) {
    this.timing = timing;
    this.access = access;
    this.repeated = repeated;
    address = NicAddress.of(cluster, timing.channels().config());
    this.group = group;
    this.cluster = cluster;
    channels = timing.channels();
    pairs = PointToPoint.of(channels);
    ChannelRails rails = new ChannelRails(channels, group, cluster);
    exits = Suppliers.memoize(rails::ofRings);
    treeRails = Suppliers.memoize(rails::ofTrees);
    network = Suppliers.memoize(() -> new NetworkReduction(channels, group, cluster));
  }

  @Override
  public CollectivePlan plan(Collective collective) {
    CollectivePlan plan =
        CollectivePlan.of(new SchedulePlanner(this, collective).schedule().withWindow(WINDOW));
    return ranks() == 1 ? plan : plan.withPipelines(() -> new PipelinePlanner(this, collective).pipelines());
  }

  CommunicatorTiming timing() {
    return timing;
  }

  MachineTiming machine() {
    return timing.machine();
  }

  Buffers buffers() {
    NcclConfig config = channels.config();
    return Buffers.of(config);
  }

  /** Access of ranks to each other's own buffers. */
  DirectAccess access() {
    return access;
  }

  int ranks() {
    return group.size();
  }

  int terminal(int rank) {
    return group.member(rank);
  }

  /**
   * The latency of the links from the first rank to another rank of its node, or to one of another node, picoseconds.
   */
  long linkLatencyPs(boolean apart) {
    return Hops.linkLatencyPs(cluster, group, apart);
  }

  /** Whether two ranks lie on different nodes. */
  boolean onDifferentNodes(int one, int other) {
    return channels.placement().node(one) != channels.placement().node(other);
  }

  Rings rings(int count) {
    return new Rings() {
      @Override
      public int channels() {
        return count;
      }

      @Override
      public int ranks() {
        return group.size();
      }

      @Override
      public int position(int channel, int rank) {
        return channels.ringPosition(channel % channels.count(), rank);
      }

      @Override
      public int rank(int channel, int position) {
        return channels.ringRank(channel % channels.count(), position);
      }

      @Override
      public int relay(int channel, int rank) {
        return ringRelay(channel % channels.count(), rank);
      }
    };
  }

  // The rank through which a rank sends on a channel's ring: where that leads to another node, the one next to the NIC
  // of the channel, unless the message takes PCIe to it.
  private int ringRelay(int channel, int rank) {
    boolean leaves = onDifferentNodes(rank, channels.ringNext(channel, rank));
    return leaves && exits.get().relayed()
        ? channels.relay(rank, channels.ringExit(channel, channels.placement().node(rank))) : rank;
  }

  /** The rails of rings. */
  Schedule.Rails ringRails() {
    return exits.get().rails();
  }

  /** The rails of trees. */
  Schedule.Rails treeRails() {
    return treeRails.get();
  }

  Trees trees(int count) {
    return new Trees() {
      @Override
      public int channels() {
        return count;
      }

      @Override
      public int ranks() {
        return group.size();
      }

      @Override
      public int parent(int channel, int rank) {
        return channels.treeParent(channel % channels.count(), rank);
      }

      @Override
      public int[] children(int channel, int rank) {
        return channels.treeChildren(channel % channels.count(), rank);
      }
    };
  }

  /** The ranks that share NVSwitches, with the heads of NVLS. */
  NvlsDomains domains() {
    return new NodeDomains(channels, channels.nvlsHeads(), channels::nvlsHead);
  }

  /** Reduction in the network's switches. */
  NetworkReduction network() {
    return network.get();
  }

  /** The aggregator of each node: the first of its terminals that reduces. */
  int[] aggregators() {
    Placement placement = channels.placement();
    int[] all = cluster.terminals(DeviceKind.AGGREGATOR);
    int[] found = new int[placement.nodes()];
    for (int domain = 0; domain < found.length; domain++) {
      int node = cluster.node(group.member(placement.rank(domain, 0)));
      found[domain] = Arrays.stream(all).filter(terminal -> cluster.node(terminal) == node).findFirst()
          .orElseThrow(() -> new InvalidSettingException(
              "",
              "NVLS needs switches that add, but a node has no aggregator; write 'aggregator: 1' among its terminals"
                  + " and 'reduction' in its topology, or NCCL_NVLS_ENABLE: 0"));
    }
    return found;
  }

  /** Whether pipelines of chains are those of a call that follows equal ones, with which it overlaps. */
  boolean repeated() {
    return repeated;
  }

  /** The time between a chain's call and the next in a row of equal ones, on an idle machine. */
  CallTime interval(Collective collective) {
    return timing.time(collective.op(), collective.bytes(), false);
  }

  /** The time of a collective out of place on an idle machine. */
  CallTime time(Collective collective) {
    return collective.op() == CollectiveOp.ALL_TO_ALL_V
        ? timing.exchange(collective) : timing.isolated(collective.op(), collective.bytes());
  }

  private int relay(int rank, int peer) {
    return pairs.remote(rank, peer) ? pairs.relay(rank, peer, 0) : pairs.intermediate(rank, peer);
  }

  /**
   * The number of paths over which a connection's messages spread; 1 within a node. Each queue pair has its own path:
   * all are used where a message is divided among them, otherwise at most one for each message. Messages above the
   * threshold of adaptive routing use many paths, as do all messages on a fabric that sprays packets.
   */
  int paths(long bytes, long messageBytes) {
    TransportModel.Connections connections = connections();
    if (channels.placement().nodes() == 1) {
      return 1;
    }
    long messages = Math.max(1, (bytes + messageBytes - 1) / messageBytes);
    int apart = connections.headers().spreads() ? connections.paths() : 1;
    int used = connections.splitsMessages() ? apart : (int) Math.min(apart, messages);
    boolean adaptive = Math.min(bytes, messageBytes) > connections.adaptiveAbove();
    return adaptive || spreads() ? Math.max(used, ADAPTIVE_PATHS) : used;
  }

  // Whether the fabric sprays packets between nodes, independent of queue pairs.
  private boolean spreads() {
    int first = terminal(0);
    return IntStream.range(1, ranks()).filter(rank -> onDifferentNodes(0, rank)).limit(1)
        .anyMatch(rank -> cluster.spraysPackets(first, terminal(rank)));
  }

  /**
   * The connections between nodes: one path for each queue pair, adaptive routing above its threshold if it is enabled,
   * and the traffic class that follows from the upper three bits of NCCL_IB_TC.
   */
  TransportModel.Connections connections() {
    NcclConfig config = channels.config();
    int pairs = config.get(Environment.IB_QPS_PER_CONNECTION);
    OptionalInt threshold = config.isSet(Environment.IB_ADAPTIVE_ROUTING)
        ? config.adaptiveAbove(true) : OptionalInt.empty();
    int dataClass = config.isSet(Environment.IB_TC)
        ? config.get(Environment.IB_TC) >> PRIORITY_SHIFT : MessageLabel.SAME_CLASS;
    return new TransportModel.Connections(
        pairs, config.splitsMessages() && pairs > 1,
        threshold.isPresent() ? threshold.getAsInt() : Long.MAX_VALUE, dataClass,
        config.get(Environment.IB_FIFO_TC).map(tc -> tc >> PRIORITY_SHIFT).orElse(dataClass),
        address.headers(), machine().network().map(NetworkTiming::buffers).orElse(1));
  }

  Peers peers(int parts) {
    Placement placement = channels.placement();
    return new OrderedPeers(pairs.order()) {
      @Override
      public int parts() {
        return parts;
      }

      @Override
      public int channel(int round, int part) {
        return pairs.channel(round, part);
      }

      @Override
      public int concurrentPeers() {
        return CONCURRENT_PEERS;
      }

      @Override
      public int channels() {
        return pairs.channels();
      }

      @Override
      public int relay(int rank, int peer) {
        return NcclCommunicator.this.relay(rank, peer);
      }

      @Override
      public boolean selfCopySeparate() {
        return pairs.selfCopySeparate();
      }

      @Override
      public int[] neighbours(int rank) {
        return placement.members(placement.node(rank));
      }

      @Override
      public int localRanks() {
        return placement.ranks(placement.fullest());
      }
    };
  }
}
