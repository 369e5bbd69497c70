package dev.heddle.collectives.nccl.timing;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.timing.ChannelTime.Rates;

/**
 * The closed form of a tree. The chunks of a channel move up the chain of each node and the tree over the nodes, and
 * down again, in both directions concurrently. The first chunk passes both directions once, one level of the tree over
 * the nodes at a time, so that each level has the NICs to itself; the other chunks follow at the rate of the slowest
 * resource. A GPU within the chain sends the data of both directions; a node within the tree sends every chunk twice.
 *
 * <p>With Simple a thread block loads and stores as much in a given time as in a ring, where it sums two operands and
 * stores one. On the way up it loads a rank's own data and its children's and stores their sum, on the way down it
 * loads the result once and stores it for the rank and each child; the root does both in one [NCCL,
 * device/all_reduce.h, runTreeSplit]. The first chunk has the block to itself in each direction.
 *
 * <p>Reduction in the network replaces the tree over the nodes. With CollNetDirect the GPUs of a node exchange data
 * with its heads without a chain: all send to the heads, whose threads add, and all receive the results. In an
 * all_gather or reduce_scatter, data move in one direction only.
 */
public final class TreeModel {
  // Share of a ring's threads that serve the slower direction of a tree: 154 of 512 with LL, 192 of 640 with LL128;
  // twice as many saturate LL128.
  private static final double TREE_SHARE_LL = 0.3;
  static final double TREE_SHARE_LL128 = 0.6;

  private final MachineTiming machine;
  private final RankLayout layout;
  private final Buffers buffers;
  private final Protocol protocol;
  private final int channels;
  private final Algorithm algorithm;
  private final Shape shape;

  TreeModel(MachineTiming machine, RankLayout layout, Buffers buffers, Execution execution) {
    this.machine = machine;
    this.layout = layout;
    this.buffers = buffers;
    protocol = execution.protocol();
    channels = execution.channels();
    algorithm = execution.algorithm();
    shape = Shape.of(algorithm, layout);
  }

  /**
   * The shape of a tree: the steps up and down within nodes and between them; the part of the channels that a node
   * receives at a time, summed over the steps between nodes (both children of one tree, then of two, except for the
   * single child of the root); how often a node sends a chunk; and how often the thread block of the busiest rank
   * accesses memory for a byte of each direction: once for each child and twice for itself, or once where it is the
   * root.
   */
  private record Shape(int local, int remote, double load, int sent, double accesses) {
    static Shape of(Algorithm algorithm, RankLayout layout) {
      int chain = 2 * (layout.perNode() - 1);
      int below = Math.min(1, layout.perNode() - 1);
      return switch (algorithm) {
        case COLLNET_CHAIN -> new Shape(chain, 1, 1, 1, 2 + below);
        // Copies as trees did before; no times of it have been published.
        case COLLNET_DIRECT -> new Shape(Math.min(2, chain), 1, 1, 1, GpuTiming.SUM_ACCESSES / 2);
        default -> new Shape(
            chain, 2 * layout.depth(), Math.max(0, 2 * layout.depth() - 1), TreeModel.sent(layout),
            layout.ranks() == 2 ? 2 : 2 + below + Math.max(0, Math.min(2, layout.nodes() - 2)));
      };
    }
  }

  /** The number of times that a node sends a chunk of a tree. */
  public static int sent(RankLayout layout) {
    return layout.nodes() == 2 ? 1 : 2;
  }

  ChannelTime of(CollectiveOp op, long bytes) {
    double part = (double) bytes / channels;
    double chunk = Math.min(part, chunk(bytes));
    int directions = op == CollectiveOp.ALL_REDUCE ? 2 : 1;
    Rates rates = rates(directions, directions, shape.accesses());
    double next = Math.max(
        blockNs(moving(directions) * chunk, rates.local()),
        postNs(chunk, shape.sent()) + arrivalNs(chunk) + chunk / rates.network());
    double steady = chunk > 0 ? steadyNs(part / chunk - 1, chunk, next, rates) : 0;
    boolean alone = algorithm != Algorithm.COLLNET_DIRECT && protocol != Protocol.LL;
    double fill = alone
        ? fillNs(chunk, rates(1, directions, Math.min(GpuTiming.SUM_ACCESSES, shape.accesses())),
            rates(1, directions, shape.accesses()), directions)
        : fillNs(chunk, rates, rates, directions);
    return new ChannelTime(machine.gpu().startNs(protocol, true) + fill + steady, rates, part, fill > steady);
  }

  // The time of all chunks after the first. With the LL protocols a connection holds parts of a step instead of whole
  // chunks.
  private double steadyNs(double more, double chunk, double next, Rates rates) {
    int steps = Hops.window(machine, layout, Buffers.window(algorithm, protocol, false));
    double held = protocol == Protocol.SIMPLE ? steps : steps * buffers.step(protocol) / chunk;
    double pathNs = hopNs() + networkNs(chunk) + chunk / rates.network();
    return Hops.followNs(more, next, held, Hops.roomNs(pathNs, blockNs(chunk, rates.local()), layout));
  }

  // The time of the first chunk: one step at a time, with the port to itself, at the rates of a chain within a node and
  // of its end that joins others. Lines of the LL protocols are forwarded before a whole chunk has arrived.
  private double fillNs(double chunk, Rates rates, Rates joined, int directions) {
    double head = Math.min(chunk, Buffers.treePass(protocol));
    double load = shape.remote() > 0 ? shape.load() / shape.remote() : 0;
    double block = blockNs(moving(directions) * head, rates.local());
    double join = blockNs(moving(directions) * head, joined.local());
    double wire = arrivalNs(chunk) + load * head / (rates.network() * shape.sent());
    double post = postNs(chunk, load);
    double crossing = algorithm == Algorithm.TREE
        ? join + Math.max(post, wire)
        : Math.max(join, blockNs(0, 1) + wire) + post;
    return shape.local() * directions / 2.0 * (hopNs() + block)
        + shape.remote() * (hopNs() + networkNs(chunk) + crossing)
        + (chunk - head) / rates.least() + (algorithm == Algorithm.COLLNET_DIRECT ? block : 0);
  }

  // The part of a chunk that passes a head's port: with one direction its own part does not.
  private double moving(int directions) {
    return algorithm == Algorithm.COLLNET_DIRECT && directions == 1 ? (layout.perNode() - 1.0) / layout.perNode() : 1;
  }

  private double blockNs(double data, double rate) {
    return (protocol == Protocol.SIMPLE ? machine.gpu().slice().nanos() : 0) + data / rate;
  }

  // The latency of a chunk to another node, which its receiver may have to read.
  private double networkNs(double chunk) {
    return Hops.networkNs(machine, layout, protocol) + Hops.readNs(machine, layout, protocol, chunk, channels);
  }

  private double arrivalNs(double data) {
    return Hops.arrivalNs(machine, layout, protocol, data);
  }

  // The time of the proxies for a part of the channels.
  private double postNs(double data, double load) {
    return Hops.messageNs(machine, layout, protocol, load * channels, data, channels);
  }

  // The chunk of a channel, over all of its heads.
  private long chunk(long bytes) {
    return switch (algorithm) {
      case COLLNET_CHAIN -> buffers.collNetChunk(false, bytes, channels, layout);
      case COLLNET_DIRECT ->
        layout.perNode() * buffers.collNetChunk(true, bytes, channels * layout.perNode(), layout);
      default -> buffers.treeChunk(protocol, bytes, channels, layout);
    };
  }

  // The rates, with threads shared by both directions, and the port and with Simple the thread block by the directions
  // that move at the same time.
  private Rates rates(int moving, int directions, double accesses) {
    GpuTiming gpu = machine.gpu();
    double wire = Buffers.wirePerData(protocol);
    double port = gpu.port().bytesPerNano() / moving * layout.portGain() / channels / wire;
    double shared = 2.0 / directions;
    double copy = switch (protocol) {
      case SIMPLE -> gpu.copy().bytesPerNano() * GpuTiming.SUM_ACCESSES / (moving * accesses);
      case LL -> shared * TREE_SHARE_LL * gpu.ll().rate().bytesPerNano();
      case LL128 -> shared * Rates.serial(TREE_SHARE_LL128 * gpu.ll128Rate(), port);
    };
    double network = machine.network().filter(any -> layout.networked())
        .map(net -> net.nodeRate() / channels / wire / shape.sent()).orElse(Double.POSITIVE_INFINITY);
    return new Rates(copy, port, network, wire);
  }

  private double hopNs() {
    return machine.gpu().hopNs(protocol, true);
  }
}
