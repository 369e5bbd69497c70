package dev.heddle.collectives.nccl.algorithm;

import com.google.common.base.Suppliers;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.MessageLabel;
import dev.heddle.collective.TransportModel;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.p2p.DirectAccess;
import dev.heddle.collectives.nccl.p2p.PeerOrder;
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

/** Communicator on a machine: its channels as schedules want them, and plans of its collectives. */
final class NcclCommunicator implements Communicator {
  // Rings pass on before they free: a connection holds at least four slices.
  private static final int WINDOW = 4;

  private static final int PEERS_ABREAST = 8;

  // Of a traffic class the upper six bits are a code point, and the upper three of that a priority [RFC 2474].
  private static final int PRIORITY_SHIFT = 5;

  // Enough that hashes spread them evenly over the ways of a fabric.
  private static final int ADAPTIVE_WAYS = 32;

  private final CommunicatorTiming timing;
  private final Group group;
  private final Cluster cluster;
  private final CommunicatorTopology channels;
  private final PointToPoint pairs;
  private final DirectAccess access;
  private final NicAddress address;
  private final Supplier<NetworkReduction> network;

  NcclCommunicator(CommunicatorTiming timing, DirectAccess access, Group group, Cluster cluster) {
    this.timing = timing;
    this.access = access;
    address = NicAddress.of(cluster, timing.channels().config());
    this.group = group;
    this.cluster = cluster;
    channels = timing.channels();
    pairs = PointToPoint.of(channels);
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

  /** Which ranks write each other's own buffers. */
  DirectAccess access() {
    return access;
  }

  int ranks() {
    return group.size();
  }

  int terminal(int rank) {
    return group.member(rank);
  }

  /** The latency of the links from the first rank to one of its node, or of another, picoseconds. */
  long wayPs(boolean apart) {
    return Hops.wayPs(cluster, group, apart);
  }

  /** Whether two ranks lie on different nodes. */
  boolean apart(int one, int other) {
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
    };
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
  NvlsDomains teams() {
    return new Teams(channels, channels.nvlsHeads(), channels::nvlsHead);
  }

  /** The network's switches that add. */
  NetworkReduction network() {
    return network.get();
  }

  /** The aggregator of each team: the first of its node. */
  int[] aggregators() {
    Placement placement = channels.placement();
    int[] all = cluster.terminals(DeviceKind.AGGREGATOR);
    int[] found = new int[placement.nodes()];
    for (int team = 0; team < found.length; team++) {
      int node = cluster.node(group.member(placement.rank(team, 0)));
      found[team] = Arrays.stream(all).filter(terminal -> cluster.node(terminal) == node).findFirst()
          .orElseThrow(() -> new InvalidSettingException(
              "",
              "NVLS needs switches that add, but a node has no aggregator; write 'aggregator: 1' among its terminals"
                  + " and 'reduction' in its topology, or NCCL_NVLS_ENABLE: 0"));
    }
    return found;
  }

  /** What a collective takes out of place when nothing else goes on. */
  CallTime time(Collective collective) {
    return collective.op() == CollectiveOp.ALL_TO_ALL_V
        ? timing.exchange(collective) : timing.isolated(collective.op(), collective.bytes());
  }

  private int relay(int rank, int peer) {
    return pairs.remote(rank, peer) ? pairs.relay(rank, peer, 0) : rank;
  }

  /**
   * Over how many ways a connection's messages spread; one within a node. Each queue pair has a way of its own: all are
   * used where a message is divided among them, else no more than there are messages. Messages above the threshold of
   * adaptive routing, where that is asked for, take many ways, and so do all where the fabric itself spreads packets.
   */
  int ways(long bytes, long messageBytes) {
    TransportModel.Connections connections = connections();
    if (channels.placement().nodes() == 1) {
      return 1;
    }
    long messages = Math.max(1, (bytes + messageBytes - 1) / messageBytes);
    int apart = connections.headers().spreads() ? connections.paths() : 1;
    int used = connections.splitsMessages() ? apart : (int) Math.min(apart, messages);
    boolean adaptive = Math.min(bytes, messageBytes) > connections.adaptiveAbove();
    return adaptive || spreads() ? Math.max(used, ADAPTIVE_WAYS) : used;
  }

  // Whether the fabric spreads what goes to another node, whatever the connection's queue pairs are.
  private boolean spreads() {
    int first = terminal(0);
    return IntStream.range(1, ranks()).filter(rank -> apart(0, rank)).limit(1)
        .anyMatch(rank -> cluster.spraysPackets(first, terminal(rank)));
  }

  /**
   * How connections between nodes use the network: a route per queue pair, and messages above the threshold of adaptive
   * routing, where that is asked for, a route each; a traffic class by the upper three bits of the variables', which
   * stand for a priority.
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
    PeerOrder order = pairs.order();
    Placement placement = channels.placement();
    return new Peers() {
      @Override
      public int rounds() {
        return order.rounds();
      }

      @Override
      public int target(int rank, int round) {
        return order.sendsTo(rank, round);
      }

      @Override
      public int source(int rank, int round) {
        return order.receivesFrom(rank, round);
      }

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
        return PEERS_ABREAST;
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
        return pairs.ownApart();
      }

      @Override
      public int[] neighbours(int rank) {
        return IntStream.range(0, localRanks()).map(place -> placement.rank(placement.node(rank), place)).toArray();
      }

      @Override
      public int localRanks() {
        return placement.ranks(0);
      }
    };
  }
}
