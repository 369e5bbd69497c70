package dev.heddle.collectives.nccl.timing;

import com.google.common.base.Suppliers;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.p2p.DirectAccess;
import dev.heddle.collectives.nccl.p2p.Message;
import dev.heddle.collectives.nccl.p2p.PointToPoint;
import dev.heddle.collectives.nccl.search.ChannelGraph;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.NodePlan;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.collectives.nccl.tuner.Call;
import dev.heddle.collectives.nccl.tuner.Candidate;
import dev.heddle.collectives.nccl.tuner.Choice;
import dev.heddle.collectives.nccl.tuner.Tuner;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.units.SimTime;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** The timing of a communicator: from its channels, its tuner and the timing of its machine to the times of calls. */
public final class CommunicatorTiming {
  private static final int AMPERE = 80;
  private static final int HOPPER = 90;

  private final Plan plan;
  private final CommunicatorTopology channels;
  private final Tuner tuner;
  private final PointToPoint pairs;
  private final NcclTiming timing;
  private final NcclTiming isolated;
  private final NcclTiming exchanges;
  private final MachineTiming machine;
  private final RankLayout layout;
  // Rate of all NVLinks of a GPU together, bytes per nanosecond.
  private final double port;
  // The loads of the busiest link by operations that consist of messages, of one byte each.
  private final Map<CollectiveOp, Supplier<PairLinks.Load>> loads = new EnumMap<>(CollectiveOp.class);

  private CommunicatorTiming(Plan plan, MachineTiming given) {
    this.plan = plan;
    channels = plan.channels();
    layout = plan.layout();
    tuner = plan.tuner();
    pairs = plan.pairs();
    MachineTiming routed =
        routed(channels, streaming(channels, flushing(channels, given.withLocalRate(plan.localRate()))))
            .posting(plan.post());
    machine = used(routed, plan.rings());
    Buffers buffers = Buffers.of(channels.config());
    isolated = new NcclTiming(machine, layout, buffers);
    timing = new NcclTiming(machine, layout, buffers, plan.chains());
    exchanges = new NcclTiming(used(routed, plan.exchanges()), layout, buffers);
    port = given.gpu().port().bytesPerNano();
    for (CollectiveOp op : CollectiveOp.values()) {
      loads.put(op, Suppliers.memoize(() -> plan.links().busiest(PairLinks.unit(op, layout.ranks()), port)));
    }
  }

  /** The properties of a communicator that do not depend on the machine's timing. */
  private record Plan(CommunicatorTopology channels, RankLayout layout, Tuner tuner, PointToPoint pairs,
      Optional<NicUse> rings, Optional<NicUse> exchanges, double localRate, SimTime post,
      Supplier<ChainOrder> chains, PairLinks links) {
    static Plan of(CommunicatorTopology channels, RankLayout layout, DirectAccess access) {
      boolean networked = layout.networked();
      PointToPoint pairs = PointToPoint.of(channels, access);
      return new Plan(channels, layout, Tuner.of(channels), pairs,
          networked ? Optional.of(NicUse.ofRings(channels)) : Optional.empty(),
          networked ? Optional.of(NicUse.ofPairs(channels)) : Optional.empty(),
          localRate(channels, layout), Tuner.post(channels), Suppliers.memoize(() -> ChainOrder.of(channels)),
          new PairLinks(channels, pairs));
    }

    // The rate within a node: when a ring leaves NVLink, the bandwidth that the search assumes, of which loads beside
    // stores reach a share when data lie in the host's memory on their way.
    private static double localRate(CommunicatorTopology channels, RankLayout layout) {
      NodePlan node = channels.node(channels.placement().fullest());
      ChannelGraph ring = node.ring();
      boolean direct = ring.intraType().atMost(node.paths().peerLevel());
      return layout.perNode() == 1 || ring.intraType().atMost(PathType.NVB) ? Double.POSITIVE_INFINITY
          : ring.channels() * ring.intraSpeed() * (direct ? 1 : HostMemory.LOADS);
    }
  }

  private static MachineTiming used(MachineTiming machine, Optional<NicUse> nics) {
    return nics.flatMap(use -> machine.network().map(net -> machine.with(use.limit(net)))).orElse(machine);
  }

  /**
   * The least rate of a ring's connection between nodes by its queue pairs and by its share of the paths between GPUs
   * and NICs, bytes per nanosecond; infinite where ports alone limit it.
   *
   * @param rings that share the NICs
   */
  public double connectionRate(int rings) {
    double path = plan.rings().map(NicUse::pathLimit).orElse(Double.POSITIVE_INFINITY);
    return Math.min(machine.connectionRate(layout), path / rings);
  }

  /** The same communicator on a machine with another timing. */
  public CommunicatorTiming with(MachineTiming other) {
    return new CommunicatorTiming(plan, other);
  }

  /**
   * The timing of a communicator without direct access.
   *
   * @param linkLatencyPs latency of the links between two nodes, picoseconds; 0 if unknown
   * @throws InvalidSettingException when the machine lacks the network that nodes need
   */
  public static CommunicatorTiming of(CommunicatorTopology channels, MachineTiming machine, long linkLatencyPs) {
    return of(channels, machine, DirectAccess.of(channels, 1), linkLatencyPs);
  }

  /**
   * The timing of a communicator with direct access between some ranks.
   *
   * @param linkLatencyPs latency of the links between two nodes, picoseconds; 0 if unknown
   * @throws InvalidSettingException when the machine lacks the network that nodes need
   */
  public static CommunicatorTiming of(CommunicatorTopology channels, MachineTiming machine, DirectAccess access,
      long linkLatencyPs) {
    Placement placement = channels.placement();
    RankLayout layout = new RankLayout(
        placement.ranks(), placement.nodes(), placement.ranks(placement.fullest()), access.perThread(), linkLatencyPs,
        reads(channels));
    return new CommunicatorTiming(Plan.of(channels, layout, access), machine);
  }

  // Whether GPUs read from one another: Ampere over NVLink.
  private static boolean reads(CommunicatorTopology channels) {
    return channels.plans().stream().allMatch(plan -> plan.paths().graph().leastCapability() == AMPERE
        && plan.paths().graph().greatestCapability() == AMPERE && plan.ring().intraType().atMost(PathType.NVL));
  }

  // The machine with a flush after each receive if the configuration demands it; GPUs before Hopper always flush, which
  // their measured times include.
  private static MachineTiming flushing(CommunicatorTopology channels, MachineTiming machine) {
    boolean needless = channels.plans().stream().allMatch(plan -> plan.paths().graph().leastCapability() >= HOPPER);
    return needless && channels.config().get(Environment.NET_FORCE_FLUSH)
        ? machine.withFlush()
        : machine;
  }

  private static MachineTiming streaming(CommunicatorTopology channels, MachineTiming machine) {
    return channels.config().sockets() ? machine.withSockets() : machine;
  }

  // The machine with the configuration's queue pairs, and its variables of adaptive routing if they are set.
  private static MachineTiming routed(CommunicatorTopology channels, MachineTiming machine) {
    NcclConfig config = channels.config();
    MachineTiming paired = machine.withPairs(config.get(Environment.IB_QPS_PER_CONNECTION));
    return config.isSet(Environment.IB_ADAPTIVE_ROUTING) || config.isSet(Environment.IB_AR_THRESHOLD)
        ? paired.withAdaptiveRouting(config.adaptiveAbove(true)) : paired;
  }

  /** The timing of the machine as this communicator uses it. */
  public MachineTiming machine() {
    return machine;
  }

  /** Whether NCCL's tuner chooses among algorithms for an operation. */
  public static boolean tuned(CollectiveOp op) {
    return switch (op) {
      case ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, BROADCAST, REDUCE -> true;
      case ALL_TO_ALL, ALL_TO_ALL_V, GATHER, SCATTER, SEND_RECV -> false;
    };
  }

  /**
   * The choice of the tuner.
   *
   * @throws IllegalArgumentException when the operation is not {@linkplain #tuned tuned}
   */
  public Choice choice(CollectiveOp op, long bytes) {
    return tuner.choose(Call.of(op, bytes));
  }

  /** The execution of an operation that the tuner chooses. */
  public Execution execution(CollectiveOp op, long bytes) {
    return execution(Call.of(op, bytes));
  }

  /** The execution of a call that the tuner chooses. */
  public Execution execution(Call call) {
    Candidate best = tuner.choose(call).best();
    int capability =
        channels.plans().stream().mapToInt(plan -> plan.paths().graph().leastCapability()).min().orElse(0);
    return new Execution(
        best.algorithm(), best.protocol(), best.shape().channels(), channels.config().version(),
        call.reduction() == Call.Reduction.BYTES ? ByteSums.ofCapability(capability) : Double.POSITIVE_INFINITY);
  }

  /**
   * The time of a call.
   *
   * @param op operation; an all_to_all_v counts as if all messages had equal sizes, see {@link #exchange(Collective)}
   * @param bytes of the largest buffer of any rank, at least 0
   * @param inPlace whether the call is in place, so that a rank does not copy its own block
   */
  public CallTime time(CollectiveOp op, long bytes, boolean inPlace) {
    return time(timing, op, bytes, inPlace);
  }

  private CallTime time(NcclTiming by, CollectiveOp op, long bytes, boolean inPlace) {
    return tuned(op)
        ? by.collective(op, bytes, execution(op, bytes), inPlace)
        : exchanges.pairs(op, bytes, messages(op, bytes), inPlace, link(op, bytes));
  }

  // The load of the busiest link between GPUs of a node by an operation that consists of send and receive.
  private PairLinks.Load link(CollectiveOp op, long bytes) {
    PairLinks.Load unit = Objects.requireNonNull(loads.get(op)).get();
    return new PairLinks.Load(unit.bytes() * (op == CollectiveOp.SEND_RECV ? bytes : (double) bytes / layout.ranks()),
        unit.rate());
  }

  /**
   * The time of a call with a given execution, or of an operation that consists of send and receive.
   *
   * @param execution of an operation that is {@linkplain #tuned tuned}
   */
  public CallTime time(CollectiveOp op, long bytes, boolean inPlace, Execution execution) {
    return tuned(op) ? timing.collective(op, bytes, execution, inPlace) : time(op, bytes, inPlace);
  }

  /**
   * The time of a call out of place, without the delays of consecutive calls whose chains have different orders on
   * different channels.
   */
  public CallTime isolated(CollectiveOp op, long bytes) {
    return time(isolated, op, bytes, false);
  }

  /**
   * The time in which every rank sends a message to the rank at a distance.
   *
   * @param distance between the numbers of the ranks, at least 1; within a node if it is less than the ranks of a node
   * @param bytes of each message, at least 0
   */
  public CallTime exchange(int distance, long bytes) {
    Message message = pairs.message(0, distance, Math.max(1, bytes));
    PairLinks.Load link = plan.links().busiest((from, to) -> to == (from ^ distance) ? bytes : 0, port);
    return exchanges.exchange(
        SendRecvModel.Messages.one(bytes, distance >= layout.perNode()), used(message, 1, 1), link);
  }

  /**
   * The time of an all_to_all_v: that of the rank that sends or receives most, with messages of their average size.
   *
   * @param collective with a size for each pair
   */
  public CallTime exchange(Collective collective) {
    SendRecvModel.Messages most = busiest(collective);
    return exchanges.exchange(most, used(message(collective), 1, most.remote()),
        plan.links().busiest(collective::pairBytes, port));
  }

  /** The messages to other nodes of the rank that sends or receives most by send and receive. */
  public int remoteMessages(Collective collective) {
    return switch (collective.op()) {
      case SEND_RECV -> 1;
      case ALL_TO_ALL_V -> busiest(collective).remote();
      default -> layout.ranks() - layout.perNode();
    };
  }

  private SendRecvModel.Messages busiest(Collective collective) {
    SendRecvModel.Messages most = new SendRecvModel.Messages(0, 0, false, 0);
    double greatest = 0;
    for (int rank = 0; rank < layout.ranks(); rank++) {
      for (boolean sends : new boolean[] {true, false}) {
        SendRecvModel.Messages messages = messages(collective, rank, sends);
        double bytes = messages.bytes() * (messages.local() + messages.remote());
        if (bytes >= greatest) {
          most = messages;
          greatest = bytes;
        }
      }
    }
    return most;
  }

  private SendRecvModel.Messages messages(Collective collective, int rank, boolean sends) {
    Placement placement = channels.placement();
    int local = 0;
    int remote = 0;
    long bytes = 0;
    for (int other = 0; other < layout.ranks(); other++) {
      long each = sends ? collective.pairBytes(rank, other) : collective.pairBytes(other, rank);
      if (other != rank && each > 0) {
        boolean apart = placement.node(rank) != placement.node(other);
        local += apart ? 0 : 1;
        remote += apart ? 1 : 0;
        bytes += each;
      }
    }
    boolean own = pairs.selfCopySeparate() && collective.pairBytes(rank, rank) > 0;
    return new SendRecvModel.Messages(local, remote, own, (double) bytes / Math.max(1, local + remote));
  }

  /**
   * The channels, chunks and protocol of a collective's message, for the most distant pair of ranks that exchange one.
   */
  public Message message(Collective collective) {
    int last = layout.ranks() - 1;
    long block =
        Math.max(1, collective.op() == CollectiveOp.SEND_RECV ? collective.bytes() : collective.largestShare());
    if (collective.op() != CollectiveOp.ALL_TO_ALL_V || crosses(collective)) {
      return pairs.message(0, last, block);
    }
    Placement placement = channels.placement();
    int node = placement.fullest();
    return pairs.message(placement.rank(node, 0), placement.rank(node, placement.ranks(node) - 1), block);
  }

  /** The mean time of a proxy for a chunk of a message to another node, nanoseconds. */
  public double proxyNs(Message message) {
    return pairs(message).proxyNs((double) message.partBytes() * message.channels());
  }

  /** The number of ranks whose messages to other nodes pass the busiest NIC. */
  public double nicLoad(CollectiveOp op, Message message) {
    return pairs(message).load(op);
  }

  private SendRecvModel pairs(Message message) {
    return exchanges.pairs(used(message, 1, layout.ranks()));
  }

  /** Whether any message of a collective goes to another node. */
  public boolean crosses(Collective collective) {
    Placement placement = channels.placement();
    return layout.networked() && (collective.op() != CollectiveOp.ALL_TO_ALL_V
        || IntStream.range(0, layout.ranks()).anyMatch(from -> IntStream.range(0, layout.ranks()).anyMatch(
            to -> placement.node(from) != placement.node(to) && collective.pairBytes(from, to) > 0)));
  }

  /** The channels of a message between the most distant ranks of an operation. */
  private PairChannels messages(CollectiveOp op, long bytes) {
    long block = op == CollectiveOp.SEND_RECV ? bytes : bytes / layout.ranks();
    int last = layout.ranks() - 1;
    Message message = pairs.message(0, last, Math.max(1, block));
    int rails = op == CollectiveOp.SCATTER && layout.networked() ? pairs.rails(0) : 1;
    return used(message, rails, op == CollectiveOp.SEND_RECV ? 1 : layout.ranks());
  }

  // The channels of a message; messages that one GPU's proxy sends on a channel share its buffers.
  private PairChannels used(Message message, int rails, int peers) {
    int all = Math.max(message.channels(), pairs.channels());
    int remote = Math.min(peers, layout.ranks() - layout.perNode());
    int together = SendRecvModel.sharing(remote, layout, message.channels(), all);
    int relays = layout.networked() ? pairs.rails(0) : 1;
    return new PairChannels(
        message.channels(), all, message.protocol() == Protocol.LL, rails,
        pairs.selfCopySeparate(), message.chunkBytes(), pairs.steps(Math.max(1, (together + relays - 1) / relays)));
  }

  /** The layout of the ranks. */
  public RankLayout layout() {
    return layout;
  }

  /** The channels. */
  public CommunicatorTopology channels() {
    return channels;
  }
}
