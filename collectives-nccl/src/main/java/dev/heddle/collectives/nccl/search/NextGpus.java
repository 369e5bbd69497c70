package dev.heddle.collectives.nccl.search;

import com.google.common.primitives.Ints;
import dev.heddle.collectives.nccl.system.LinkType;
import dev.heddle.collectives.nccl.system.NodeType;
import dev.heddle.collectives.nccl.system.Path;
import dev.heddle.collectives.nccl.system.SystemGraph;
import dev.heddle.collectives.nccl.system.SystemPaths;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * The order in which the search tries the next GPU of a channel, best first: by the path to the port if the chain
 * returns to it there, otherwise by the path from the current GPU. Bandwidths are compared as integers of GB/s, as in
 * NCCL.
 */
final class NextGpus {
  private static final int GIGA = 1000;

  // Widths of the fields of a score, of which the least is the best.
  private static final int HOPS_BITS = 4;
  private static final int RATE_BITS = 13;
  private static final int INDEX_BITS = 10;
  private static final long INDEX_MASK = (1L << INDEX_BITS) - 1;
  private static final long WITHIN_MASK = (1L << RATE_BITS + HOPS_BITS) - 1;

  private final SystemPaths paths;
  private final int gpus;
  private final int[] pciRates;
  // By GPU and port, the last for none: the scores of all next GPUs, ascending; worked out when first asked for.
  private final long[][][] scores;

  NextGpus(SystemPaths paths) {
    this.paths = paths;
    SystemGraph graph = paths.graph();
    gpus = graph.gpus();
    pciRates = new int[gpus];
    for (int link = 0; link < graph.links(); link++) {
      int from = graph.from(link);
      if (graph.type(from) == NodeType.GPU && graph.linkType(link) == LinkType.PCI) {
        pciRates[graph.index(from)] = graph.megabytes(link) / GIGA;
      }
    }
    scores = new long[gpus][graph.nets() + 1][];
  }

  /**
   * The next GPUs in order.
   *
   * @param used GPUs of the channel so far
   * @param net port to which the chain returns; -1 for none
   * @param nextReturns whether the chain returns from the next GPU; otherwise, if all scores are equal, the last GPU
   *     comes first
   */
  int[] after(int gpu, boolean[] used, int net, boolean nextReturns) {
    long[] ascending = scores(gpu, net);
    int[] order = new int[ascending.length];
    int count = 0;
    boolean alike = true;
    long first = 0;
    for (long score : ascending) {
      int next = (int) ((gpu + (score & INDEX_MASK)) % gpus);
      if (!used[next]) {
        long within = score >> INDEX_BITS & WITHIN_MASK;
        first = count == 0 ? within : first;
        alike &= within == first;
        order[count++] = next;
      }
    }
    if (net >= 0 && !nextReturns && alike) {
      Ints.reverse(order, 0, count);
    }
    return Arrays.copyOf(order, count);
  }

  private long[] scores(int gpu, int net) {
    int column = net < 0 ? scores[gpu].length - 1 : net;
    if (scores[gpu][column] == null) {
      scores[gpu][column] = LongStream.range(1, gpus)
          .filter(i -> paths.gpuToGpu(gpu, (int) (gpu + i) % gpus).hops() > 0)
          .map(i -> fullScore(gpu, (int) (gpu + i) % gpus, net) << INDEX_BITS | i).sorted().toArray();
    }
    return scores[gpu][column];
  }

  private long fullScore(int gpu, int next, int net) {
    long toNet = net < 0 ? 0 : netScore(paths.netToGpu(net, next), next);
    return toNet << RATE_BITS + HOPS_BITS | score(paths.gpuToGpu(gpu, next));
  }

  private static long score(Path path) {
    return inverted(path.megabytes()) << HOPS_BITS | Math.min(path.hops(), (1 << HOPS_BITS) - 1);
  }

  private long netScore(Path path, int gpu) {
    long rates = inverted(path.megabytes()) << RATE_BITS | inverted(pciRates[gpu] * GIGA);
    return rates << HOPS_BITS | Math.min(path.hops(), (1 << HOPS_BITS) - 1);
  }

  private static long inverted(int megabytes) {
    int most = (1 << RATE_BITS) - 1;
    return most - Math.min(megabytes / GIGA, most);
  }
}
