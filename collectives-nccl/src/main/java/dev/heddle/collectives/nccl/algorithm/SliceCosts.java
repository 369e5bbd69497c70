package dev.heddle.collectives.nccl.algorithm;

import com.google.common.primitives.Ints;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.TransportModel;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.p2p.Message;
import dev.heddle.collectives.nccl.schedule.PeerSteps;
import dev.heddle.collectives.nccl.schedule.Peers;
import dev.heddle.collectives.nccl.timing.Buffers;
import dev.heddle.collectives.nccl.timing.CallTime;
import dev.heddle.collectives.nccl.timing.Execution;
import dev.heddle.collectives.nccl.timing.GpuTiming;
import dev.heddle.collectives.nccl.timing.Hops;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.collectives.nccl.timing.PortSpread;
import dev.heddle.collectives.nccl.timing.RankLayout;
import dev.heddle.collectives.nccl.timing.SendRecvModel;
import dev.heddle.units.SimTime;
import java.util.stream.IntStream;

/**
 * The costs of single slices on a machine. The latency of a hop is that of the closed form less the latency of the
 * fabric's links, so that it does not count twice.
 */
final class SliceCosts {
  private static final int SLICES_OF_LINES = 8;
  // A receiver copies a slice when all of it has arrived; this counts for the last slice, and for the first slices of
  // messages that share its threads.
  private static final int SLICES_OF_LOCAL_CHUNK = 4;
  private static final long PIECE = 16L << 10;

  private final NcclCommunicator communicator;
  private final Collective collective;
  private final GpuTiming gpu;
  private final CallTime time;

  SliceCosts(NcclCommunicator communicator, Collective collective) {
    this.communicator = communicator;
    this.collective = collective;
    gpu = communicator.machine().gpu();
    time = communicator.time(collective);
  }

  /**
   * The transport of an algorithm that the tuner chooses. In a ring or tree a slice leaves in pieces: the store of one
   * piece to a neighbour overlaps the copy of the next.
   */
  TransportModel of(Execution execution) {
    return switch (execution.algorithm()) {
      case NVLS, NVLS_TREE -> switches(execution);
      case RING, TREE -> copied(execution).inPieces(PIECE);
      default -> copied(execution);
    };
  }

  private TransportModel copied(Execution execution) {
    boolean ring = execution.algorithm() == Algorithm.RING;
    double perByte = psPerByte(execution);
    return switch (execution.protocol()) {
      case LL -> lines("LL", new int[] {8, 16}, execution, stored(execution, SimTime.ZERO, costs(
          0, gpu.ll().hop().nanos(), networkNs(execution), perByte)));
      case LL128 -> lines("LL128", new int[] {120, 128}, execution, stored(execution, start(execution), costs(
          0, gpu.hopNs(Protocol.LL128, execution.algorithm() == Algorithm.TREE), networkNs(execution), perByte)));
      case SIMPLE -> protocol(
          "Simple", new int[] {1, 1, window(execution)}, ring ? ringSlice(execution) : Long.MAX_VALUE,
          stored(execution, ring ? spread(execution) : gpu.start(),
              costs(gpu.slice().nanos(), gpu.hop().nanos(), networkNs(execution), perByte)));
    };
  }

  // The costs with a start, which is that of Simple where the ranks of a node exchange the addresses of their buffers,
  // with the share of the port that the stores of a ring have, and with its last step, which stays in memory. In
  // a tree with Simple a further child costs a load on the way up and a store on the way down, both counted with the
  // step that adds its data.
  private TransportModel.Costs stored(Execution execution, SimTime start, TransportModel.Costs costs) {
    double data = data(execution);
    double port = paced(execution) && data > 0 ? time.resources().portNs() * 1e3 / data : 0;
    double store = execution.algorithm() == Algorithm.RING && !collective.op().rooted()
        ? 1e3 * gpu.localStep(collective.op(), execution.protocol(), communicator.timing().layout().reads(), false)
        : shared(execution) ? GpuTiming.ONE_CHILD * 1e3 / gpu.copy().bytesPerNano() : costs.copyPsPerByte();
    return new TransportModel.Costs(costs.startPs() + start.ps(), costs.slicePs(), costs.copyPsPerByte(), store,
        costs.hopPs(), costs.networkHopPs(), pairPsPerByte(execution), port,
        ps(proxies(execution).sliceNs(lineSlice(execution))));
  }

  private ProxyTimes proxies(Execution execution) {
    return new ProxyTimes(communicator, execution, message(execution));
  }

  // The time per byte of a ring's connection to another node by the rate of its queue pairs and of what CPUs forward
  // between their ports, of which the fabric knows nothing; 0 if ports alone limit it.
  private double pairPsPerByte(Execution execution) {
    if (execution.algorithm() == Algorithm.TREE) {
      return 1e3 * proxies(execution).treeNsPerByte();
    }
    return execution.algorithm() == Algorithm.RING
        ? 1e3 * Buffers.wirePerData(execution.protocol())
            / communicator.timing().connectionRate(execution.channels())
        : 0;
  }

  // The start of a ring or tree; consecutive calls of chains overlap.
  private SimTime start(Execution execution) {
    return collective.op().rooted() ? SimTime.ZERO
        : SimTime.ofNanos(gpu.startNs(execution.protocol(), execution.algorithm() == Algorithm.TREE));
  }

  // Whether both directions of a tree or chain share a thread block's copies.
  private static boolean shared(Execution execution) {
    return execution.protocol() == Protocol.SIMPLE
        && (execution.algorithm() == Algorithm.TREE || execution.algorithm() == Algorithm.COLLNET_CHAIN);
  }

  // The start of a ring with Simple, with the time by which its last channel ends after the mean: the fabric serves
  // channels in turn, so that all end together.
  private SimTime spread(Execution execution) {
    double late =
        collective.op().rooted() ? 0 : PortSpread.ns(execution.channels(), data(execution), time.resources());
    return SimTime.ofPs(gpu.start().ps() + ps(late));
  }

  // The thread blocks of a ring or chain work on a slice while others of their rank have the port, unless a ring with
  // Simple has a single loop: then all wait for flags at the same time.
  private boolean paced(Execution execution) {
    return execution.algorithm() == Algorithm.RING
        && (execution.protocol() != Protocol.SIMPLE || collective.op().rooted()
            || loops(execution) > 1);
  }

  private int loops(Execution execution) {
    return new SchedulePlanner(communicator, collective).loops(execution);
  }

  private double data(Execution execution) {
    return time.channel().wireBytes() / Buffers.wirePerData(execution.protocol());
  }

  private int window(Execution execution) {
    return Buffers.window(execution.algorithm(), execution.protocol(), collective.op().rooted());
  }

  // The transport of the LL protocols. Trees and chains forward lines before a whole chunk has arrived; all ranks of a
  // ring have a chunk at any time.
  private TransportModel lines(String name, int[] line, Execution execution, TransportModel.Costs costs) {
    long slice = lineSlice(execution);
    long step = communicator.buffers().step(execution.protocol());
    int slices = slice == Long.MAX_VALUE ? 1 : Math.toIntExact((step + slice - 1) / slice);
    return protocol(name, new int[] {line[0], line[1], slices * window(execution)}, slice, costs);
  }

  private long lineSlice(Execution execution) {
    return execution.protocol() == Protocol.SIMPLE ? Long.MAX_VALUE
        : execution.algorithm() != Algorithm.RING ? Buffers.treePass(execution.protocol())
        : collective.op().rooted() ? Buffers.ringPass(execution.protocol()) : Long.MAX_VALUE;
  }

  // The slice of a ring: half of a chunk, but not below the least.
  private long ringSlice(Execution execution) {
    long parts = (long) execution.channels() * collective.ranks() * loops(execution);
    long chunk = Math.max(1, (collective.bytes() + parts - 1) / parts);
    return collective.op().rooted() || chunk <= Buffers.LEAST_SLICE ? Long.MAX_VALUE
        : Math.max(Buffers.LEAST_SLICE, (chunk + 1) / 2);
  }

  // The most data of a message of a ring: a slice, or with the LL protocols, which have none, a chunk.
  private long ringMessage(Execution execution) {
    return execution.protocol() == Protocol.SIMPLE ? ringSlice(execution) : Long.MAX_VALUE;
  }

  // NCCL posts the chunks of a loop to all heads at once, packets pass them on one by one, so that a loop is added to
  // the time until the first result.
  private TransportModel switches(Execution execution) {
    int heads = communicator.domains().heads();
    boolean tree = execution.algorithm() == Algorithm.NVLS_TREE;
    long concurrent = (long) execution.channels() * heads;
    double loops = (double) collective.bytes() / concurrent / communicator.buffers()
        .nvlsChunk(collective.bytes(), concurrent, communicator.timing().layout(), tree);
    double fill = gpu.nvlsFill().nanos() + time.resources().blockNs() / Math.max(1, loops)
        + (tree ? proxies(execution).aheadNs() : 0);
    double slice = gpu.nvlsLoop().nanos() / heads;
    double network = networkNs(execution.protocol()) + (tree ? proxies(execution).longerNs() : 0);
    TransportModel.Costs costs = costs(slice, 0, network, psPerByte(execution));
    return protocol("Simple", new int[] {1, 1, Buffers.STEPS}, Long.MAX_VALUE, new TransportModel.Costs(
        costs.startPs() + ps(fill), costs.slicePs(), costs.copyPsPerByte(), costs.copyPsPerByte(), costs.hopPs(),
        costs.networkHopPs(), tree ? 1e3 * proxies(execution).nicNsPerByte() : 0, 0,
        tree ? ps(proxies(execution).sliceNs(Long.MAX_VALUE)) : 0));
  }

  /**
   * The transport of send and receive. Within a node, data go over the link while a thread block copies, so that slices
   * are smaller than the chunks whose flags a receiver waits for; to another node a chunk leaves as a whole.
   */
  TransportModel ofPeers(Message message) {
    boolean lines = message.protocol() == Protocol.LL;
    boolean networked = communicator.timing().crosses(collective);
    double proxyNs = networked ? communicator.timing().proxyNs(message) : 0;
    double shared = networked ? communicator.timing().nicLoad(collective.op(), message) * relayed() : 0;
    TransportModel.Costs costs = costs(0, 0,
        peersNetworkNs(message)
            + ProxyTimes.longerNs(communicator.machine(), proxyNs, Math.min(message.chunkBytes(), message.partBytes())),
        peersPsPerByte(message, lines));
    double channels = channels(message);
    double late = networked ? 0
        : SendRecvModel.localSpreadNs(lines, time.channel().wireBytes(), channels, time.resources());
    long start = gpu.pairStart(networked || lines).ps() + ps(late);
    int cuts = networked ? 1 : lines ? SLICES_OF_LINES : SLICES_OF_LOCAL_CHUNK;
    long chunk = Math.min(message.chunkBytes(), message.partBytes());
    return protocol(
        lines ? "LL" : "Simple",
        lines ? new int[] {8, 16, cuts * Buffers.STEPS} : new int[] {1, 1, cuts * Buffers.STEPS},
        Math.max(1, chunk / cuts),
        new TransportModel.Costs(
            costs.startPs() + start, 0, costs.copyPsPerByte(), costs.copyPsPerByte(), costs.hopPs(),
            costs.networkHopPs(), 1e3 / gpu.pairCopy(chunk, communicator.machine().host().postNs(), oneWay()), 0,
            ps(shared * proxyNs)));
  }

  // The share of a rank's messages to other nodes in those of the rank that sends most, which relays others'.
  private double relayed() {
    if (collective.op() != CollectiveOp.ALL_TO_ALL && collective.op() != CollectiveOp.ALL_TO_ALL_V) {
      return 1;
    }
    Peers peers = communicator.peers(1);
    int[] local = peers.neighbours(0);
    int[] sent = new int[collective.ranks()];
    for (int rank : local) {
      for (int target = 0; target < collective.ranks(); target++) {
        sent[peers.relay(rank, target)] += communicator.onDifferentNodes(rank, target) ? 1 : 0;
      }
    }
    return (double) (collective.ranks() - local.length) / Math.max(1, Ints.max(sent));
  }

  private double peersNetworkNs(Message message) {
    RankLayout layout = communicator.timing().layout();
    int remote = communicator.timing().remoteMessages(collective);
    // A chunk waits for two flags at its receiver, and for two at its sender unless the sender copies other messages
    // meanwhile.
    int flags = layout.networked() ? remote > 1 ? 2 : 4 : 0;
    double filled = Math.min(1, (double) message.partBytes() / message.chunkBytes());
    double peer = (double) message.partBytes() * message.channels();
    return Hops.postedNs(communicator.machine(), layout, remote) + filled * flags * gpu.slice().nanos()
        + Hops.readNs(communicator.machine(), layout, message.protocol(), peer, 1);
  }

  // The copy time per byte of a channel, limited by the port when all channels of a rank exceed it.
  private double peersPsPerByte(Message message, boolean lines) {
    double channels = channels(message);
    double copy = channelCopy(message);
    double wire = Buffers.wirePerData(message.protocol());
    double shared = communicator.timing().crosses(collective) ? gpu.port().bytesPerNano() / wire
        : SendRecvModel.localRate(gpu, copy, wire, channels);
    return 1e3 / Math.min(copy, shared / channels);
  }

  // The number of channels of a rank's messages, as if all had as many as the one with most, which has a greater share
  // of the port than others, as these end before it.
  private double channels(Message message) {
    Peers peers = communicator.peers(message.channels());
    return switch (collective.op()) {
      case SEND_RECV -> channels(peers, IntStream.of(0));
      case ALL_TO_ALL_V -> IntStream.range(0, collective.ranks()).mapToDouble(rank -> channels(
          peers, IntStream.range(0, peers.rounds()).filter(
              round -> PeerSteps.sends(collective, rank, peers.target(rank, round)))))
          .max().orElse(1);
      default -> channels(peers, IntStream.range(peers.selfCopySeparate() ? 1 : 0, peers.rounds()));
    };
  }

  // The copy rate of a channel. Messages to other nodes that share a thread block wait for their flags concurrently.
  private double channelCopy(Message message) {
    if (message.protocol() == Protocol.LL) {
      return gpu.ll().rate().bytesPerNano();
    }
    return communicator.timing().crosses(collective) && collective.op() != CollectiveOp.SEND_RECV
        ? gpu.channelCopy(oneWay()) : gpu.pairCopy(message.chunkBytes(), 0, oneWay());
  }

  private boolean oneWay() {
    return SendRecvModel.oneWay(collective.op());
  }

  // The number of channels of the messages of some rounds, as if all channels had as many as the one with most.
  private static double channels(Peers peers, IntStream rounds) {
    int[] channels = rounds
        .flatMap(round -> IntStream.range(0, peers.parts()).map(part -> peers.channel(round, part))).toArray();
    int[] messages = new int[peers.channels()];
    for (int channel : channels) {
      messages[channel]++;
    }
    return (double) Math.max(1, channels.length) / Math.max(1, Ints.max(messages));
  }

  private TransportModel protocol(String name, int[] lines, long slice, TransportModel.Costs costs) {
    return new TransportModel(name, lines[0], lines[1], slice, lines[2], costs).with(communicator.connections());
  }

  // The copy time per byte of a thread block, without the network, whose time is the fabric's: in a ring that keeps its
  // pace that of its copies alone; in a tree, which fills one step at a time, the rate of a single direction; else the
  // longer of its copies and its share of the port.
  private double psPerByte(Execution execution) {
    if (execution.algorithm() == Algorithm.TREE || shared(execution)) {
      double alone = gpu.port().bytesPerNano() / 1e3 / execution.channels();
      double block = shared(execution) ? gpu.copy().bytesPerNano() / 1e3 : time.channel().limit();
      return linesPerByte(execution, alone, Buffers.wirePerData(execution.protocol()) / Math.min(block, alone));
    }
    double portNs = paced(execution) ? 0 : time.resources().portNs();
    double data = data(execution);
    return data > 0 ? Math.max(time.resources().blockNs(), portNs) * 1e3 / data : 0;
  }

  // A tree with LL128 moves chunks in one direction while it fills, and in both afterwards: the mean, by times.
  private double linesPerByte(Execution execution, double port, double both) {
    if (execution.protocol() != Protocol.LL128) {
      return both;
    }
    double one = 1e3 / gpu.treeLinesAlone(1e3 * port / Buffers.wirePerData(Protocol.LL128));
    double filling = time.waitNs() / (time.waitNs() + time.transferNs());
    return filling * Math.min(one, both) + (1 - filling) * both;
  }

  private TransportModel.Costs costs(double sliceNs, double hopNs, double networkNs, double perByte) {
    // A slice's measured work includes the link latency beyond that of the step itself, which is subtracted here.
    long within = Math.min(ps(sliceNs), Math.max(0, communicator.linkLatencyPs(false) - ps(hopNs)));
    return new TransportModel.Costs(
        ps(time.launchNs()), ps(sliceNs) - within, perByte, beyondFabric(hopNs, false),
        beyondFabric(hopNs + networkNs, true));
  }

  private double networkNs(Execution execution) {
    MachineTiming machine = communicator.machine();
    RankLayout layout = communicator.timing().layout();
    long data = message(execution);
    return Hops.networkNs(machine, layout, execution.protocol(), execution.algorithm() == Algorithm.RING ? data : 0)
        + Hops.readNs(machine, layout, execution.protocol(), data, execution.channels())
        + Hops.arrivalNs(machine, layout, execution.protocol(), data)
        + proxies(execution).longerNs();
  }

  // The data of a message to another node.
  private long message(Execution execution) {
    Buffers buffers = communicator.buffers();
    if (execution.algorithm() == Algorithm.NVLS_TREE) {
      long parts = (long) execution.channels() * communicator.domains().heads();
      return Math.min(collective.bytes() / parts,
          buffers.nvlsChunk(collective.bytes(), parts, communicator.timing().layout(), true));
    }
    boolean ring = execution.algorithm() == Algorithm.RING;
    long part =
        collective.bytes() / execution.channels() / (ring && !collective.op().rooted() ? collective.ranks() : 1);
    long chunk =
        ring ? Math.min(buffers.ringChunk(execution.protocol(), collective.op().rooted()), ringMessage(execution))
            : buffers.treeChunk(
                execution.protocol(), collective.bytes(), execution.channels(), communicator.timing().layout());
    return Math.min(part, chunk);
  }

  private double networkNs(Protocol protocol) {
    return Hops.networkNs(communicator.machine(), communicator.timing().layout(), protocol);
  }

  private long beyondFabric(double hopNs, boolean network) {
    return Math.max(0, ps(hopNs) - communicator.linkLatencyPs(network));
  }

  private static long ps(double nanos) {
    return Math.round(nanos * 1e3);
  }
}
