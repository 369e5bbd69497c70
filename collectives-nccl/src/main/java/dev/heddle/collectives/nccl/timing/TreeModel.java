package dev.heddle.collectives.nccl.timing;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.timing.ChannelTime.Rates;

/**
 * A tree: a channel's chunks go up the chain of each node and the tree over the nodes, and down again, both ways at the
 * same time. Filling takes both ways once, one level of the tree over the nodes at a time, so that each has the NICs to
 * itself; then the chunks follow one another at the rate of the narrowest part. A GPU within the chain sends what goes up
 * and what goes down; a node within the tree sends twice. Where the network reduces, it takes the place of the tree over
 * the nodes, and CollNetDirect's GPUs talk to its heads without a chain: all hand to the head, whose threads add, others
 * spread what comes back, and all keep it. To gather or to scatter, data go one way only.
 */
final class TreeModel {
  // Of the threads of a ring, those that serve the slower way of a tree: 154 of 512 with LL, 192 of 640 with LL128, twice of
  // which keep LL128 at its rate.
  private static final double TREE_SHARE_LL = 0.3;
  private static final double TREE_SHARE_LL128 = 0.6;

  private final MachineTiming machine;
  private final RankLayout layout;
  private final Buffers buffers;
  private final Protocol protocol;
  private final int channels;
  private final Algorithm algorithm;
  private final Way way;

  TreeModel(MachineTiming machine, RankLayout layout, Buffers buffers, Execution execution) {
    this.machine = machine;
    this.layout = layout;
    this.buffers = buffers;
    protocol = execution.protocol();
    channels = execution.channels();
    algorithm = execution.algorithm();
    way = Way.of(algorithm, layout);
  }

  /**
   * Steps up and down, within nodes and between; the part of the channels that a node receives at a time, summed over the
   * steps between nodes: both children's of one tree, of two, but for the root's only child; how often a node sends a
   * chunk.
   */
  private record Way(int local, int remote, double load, int sent) {
    static Way of(Algorithm algorithm, RankLayout layout) {
      int chain = 2 * (layout.perNode() - 1);
      return switch (algorithm) {
        case COLLNET_CHAIN -> new Way(chain, 1, 1, 1);
        case COLLNET_DIRECT -> new Way(Math.min(2, chain), 1, 1, 1);
        default -> new Way(
            chain, 2 * layout.levels(), Math.max(0, 2 * layout.levels() - 1), layout.nodes() == 2 ? 1 : 2);
      };
    }
  }

  ChannelTime of(CollectiveOp op, long bytes) {
    double part = (double) bytes / channels;
    double chunk = Math.min(part, chunk(bytes));
    int ways = op == CollectiveOp.ALL_REDUCE ? 2 : 1;
    Rates rates = rates(ways, ways);
    double next = Math.max(
        blockNs(moving(ways) * chunk, rates.local()),
        postNs(chunk, way.sent()) + arrivalNs(chunk) + chunk / rates.network());
    double steady = chunk > 0 ? steadyNs(part / chunk - 1, chunk, next, rates) : 0;
    boolean alone = algorithm == Algorithm.TREE && protocol == Protocol.SIMPLE;
    double fill = fillNs(chunk, alone ? rates(1, ways) : rates, ways);
    double start = protocol == Protocol.SIMPLE ? machine.gpu().start().nanos() : 0;
    return new ChannelTime(start + fill + steady, rates, part, fill > steady);
  }

  // What follows the first chunk. Lines are held in parts of a step, whatever a chunk has.
  private double steadyNs(double more, double chunk, double next, Rates rates) {
    int steps = Hops.window(machine, layout, Buffers.window(algorithm, protocol, false));
    double held = protocol == Protocol.SIMPLE ? steps : steps * buffers.step(protocol) / chunk;
    double wayNs = hopNs() + Hops.networkNs(machine, layout, protocol) + chunk / rates.network();
    return Hops.followNs(more, next, held, Hops.roomNs(wayNs, blockNs(chunk, rates.local()), layout));
  }

  // One step at a time, of which each has the port to itself. Lines are passed on before all of a chunk is there, both ways.
  private double fillNs(double chunk, Rates rates, int ways) {
    double head = Math.min(chunk, Buffers.treeHead(protocol));
    double load = way.remote() > 0 ? way.load() / way.remote() : 0;
    double block = blockNs(moving(ways) * head, rates.local());
    double wire = arrivalNs(chunk) + load * head / (rates.network() * way.sent());
    double post = postNs(chunk, load);
    double crossing = algorithm == Algorithm.TREE
        ? block + Math.max(post, wire)
        : Math.max(block, blockNs(0, 1) + wire) + post;
    return way.local() * ways / 2.0 * (hopNs() + block)
        + way.remote() * (hopNs() + Hops.networkNs(machine, layout, protocol) + crossing)
        + (chunk - head) / rates.least() + (algorithm == Algorithm.COLLNET_DIRECT ? block : 0);
  }

  // To gather or to scatter, a head's own part of a chunk does not pass its port.
  private double moving(int ways) {
    return algorithm == Algorithm.COLLNET_DIRECT && ways == 1 ? (layout.perNode() - 1.0) / layout.perNode() : 1;
  }

  private double blockNs(double data, double rate) {
    return (protocol == Protocol.SIMPLE ? machine.gpu().slice().nanos() : 0) + data / rate;
  }

  private double arrivalNs(double data) {
    return Hops.arrivalNs(machine, layout, protocol, data);
  }

  // For a part of the channels.
  private double postNs(double data, double load) {
    return Hops.messageNs(machine, layout, protocol, load * channels, data);
  }

  // Of all heads of a channel together, where there are several.
  private long chunk(long bytes) {
    return switch (algorithm) {
      case COLLNET_CHAIN -> buffers.collNetChunk(false, bytes, channels, layout);
      case COLLNET_DIRECT ->
        layout.perNode() * buffers.collNetChunk(true, bytes, channels * layout.perNode(), layout);
      default -> buffers.treeChunk(protocol, bytes, channels, layout);
    };
  }

  // The threads are shared by both ways, where there are two, and the port by as many as move at a time.
  private Rates rates(int moving, int ways) {
    GpuTiming gpu = machine.gpu();
    double wire = Buffers.wirePerData(protocol);
    double port = gpu.port().bytesPerNano() / moving * layout.portGain() / channels / wire;
    double copy = switch (protocol) {
      case SIMPLE -> gpu.copy().bytesPerNano();
      case LL -> TREE_SHARE_LL * gpu.ll().rate().bytesPerNano();
      case LL128 -> Rates.serial(TREE_SHARE_LL128 * gpu.ll128().rate().bytesPerNano(), port);
    };
    double network = machine.network().filter(any -> layout.networked())
        .map(net -> net.nodeRate() / channels / wire / way.sent()).orElse(Double.POSITIVE_INFINITY);
    return new Rates(copy * 2 / ways, port, network, wire);
  }

  private double hopNs() {
    GpuTiming gpu = machine.gpu();
    return switch (protocol) {
      case SIMPLE -> gpu.hop().nanos();
      case LL -> gpu.ll().hop().nanos();
      case LL128 -> gpu.ll128().hop().nanos();
    };
  }
}
