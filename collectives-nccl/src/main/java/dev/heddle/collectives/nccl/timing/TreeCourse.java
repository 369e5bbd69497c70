package dev.heddle.collectives.nccl.timing;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.timing.Course.Rates;

/**
 * A tree: a channel's chunks go up the chain of each node and the tree over the nodes, and down again, both ways at the
 * same time. Filling takes both ways once, one level of the tree over the nodes at a time, so that each has the NICs to
 * itself; then the chunks follow one another at the rate of the narrowest part. A GPU within the chain sends what goes up
 * and what goes down; a node within the tree sends twice. Where the network reduces, it takes the place of the tree over
 * the nodes, and CollNetDirect's GPUs talk to its heads without a chain: all hand to the head, whose threads add, others
 * spread what comes back, and all keep it. To gather or to scatter, data go one way only.
 */
final class TreeCourse {
  // Of the threads that serve one way, so much data goes before the next thing is looked at.
  private static final double LL_LINES = 154 * 8;
  private static final double LL128_LINES = 192 * 60;

  private final MachineTiming machine;
  private final RankLayout layout;
  private final Buffers buffers;
  private final Protocol protocol;
  private final int channels;
  private final Algorithm algorithm;
  private final Way way;

  TreeCourse(MachineTiming machine, RankLayout layout, Buffers buffers, Execution execution) {
    this.machine = machine;
    this.layout = layout;
    this.buffers = buffers;
    protocol = execution.protocol();
    channels = execution.channels();
    algorithm = execution.algorithm();
    way = Way.of(algorithm, layout);
  }

  /** Steps up and down, within nodes and between; and how often a node sends a chunk. */
  private record Way(int local, int remote, int sent) {
    static Way of(Algorithm algorithm, RankLayout layout) {
      int chain = 2 * (layout.perNode() - 1);
      return switch (algorithm) {
        case COLLNET_CHAIN -> new Way(chain, 1, 1);
        case COLLNET_DIRECT -> new Way(Math.min(2, chain), 1, 1);
        default -> new Way(chain, 2 * layout.levels(), layout.nodes() == 2 ? 1 : 2);
      };
    }
  }

  Course of(CollectiveOp op, long bytes) {
    double part = (double) bytes / channels;
    double chunk = Math.min(part, chunk(bytes));
    int ways = op == CollectiveOp.ALL_REDUCE ? 2 : 1;
    Rates rates = rates(ways);
    double local = rates.local();
    double head = switch (protocol) {
      case LL -> Math.min(chunk, LL_LINES);
      case LL128 -> Math.min(chunk, LL128_LINES);
      case SIMPLE -> chunk;
    };
    double slice = protocol == Protocol.SIMPLE ? machine.gpu().simple().slice().nanos() : 0;
    double message = Hops.messageNs(machine, layout, channels);
    double step = slice + head / local;
    double remote = Math.max(step, slice + head / (rates.network() * way.sent()));
    double fill = way.local() * ways / 2.0 * (hopNs() + step)
        + way.remote() * (hopNs() + Hops.networkNs(machine, protocol, chunk) + remote + message)
        + (chunk - head) / rates.least() + (algorithm == Algorithm.COLLNET_DIRECT ? step : 0);
    double next = Math.max(slice + chunk / local, message + chunk / Math.min(local, rates.network()));
    double steady = chunk > 0 ? (part / chunk - 1) * next : 0;
    return new Course(fill + steady, rates, part, fill > steady);
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

  // The threads and the port are shared by both ways, where there are two.
  private Rates rates(int ways) {
    GpuTiming gpu = machine.gpu();
    double wire = Buffers.wirePerData(protocol);
    double port = gpu.port().bytesPerNano() / ways * layout.portGain() / channels / wire;
    double copy = switch (protocol) {
      case SIMPLE -> gpu.simple().treeCopy().bytesPerNano();
      case LL -> Rates.serial(gpu.ll().treeRate().bytesPerNano(), port);
      case LL128 -> Rates.serial(gpu.ll128().treeRate().bytesPerNano(), port);
    };
    double network = machine.network().filter(any -> layout.networked())
        .map(net -> net.node().bytesPerNano() / channels / wire / way.sent()).orElse(Double.POSITIVE_INFINITY);
    return new Rates(copy * 2 / ways, port, network, wire);
  }

  private double hopNs() {
    GpuTiming gpu = machine.gpu();
    return switch (protocol) {
      case SIMPLE -> gpu.simple().treeHop().nanos();
      case LL -> gpu.ll().treeHop().nanos();
      case LL128 -> gpu.ll128().treeHop().nanos();
    };
  }
}
