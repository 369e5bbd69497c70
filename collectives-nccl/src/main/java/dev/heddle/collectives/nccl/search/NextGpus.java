package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.system.LinkType;
import dev.heddle.collectives.nccl.system.NodeType;
import dev.heddle.collectives.nccl.system.Path;
import dev.heddle.collectives.nccl.system.SystemGraph;
import dev.heddle.collectives.nccl.system.SystemPaths;
import java.util.Arrays;

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

  private final SystemPaths paths;
  private final int gpus;
  private final int[] pciRates;

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
    long[] scores = new long[gpus];
    int count = 0;
    boolean alike = true;
    for (int i = 1; i < gpus; i++) {
      int next = (gpu + i) % gpus;
      Path path = paths.gpuToGpu(gpu, next);
      if (path.hops() > 0 && !used[next]) {
        long within = score(path);
        alike &= count == 0 || within == (scores[0] >> INDEX_BITS & (1L << RATE_BITS + HOPS_BITS) - 1);
        long toNet = net < 0 ? 0 : netScore(paths.netToGpu(net, next), next);
        scores[count++] = (toNet << RATE_BITS + HOPS_BITS | within) << INDEX_BITS | i;
      }
    }
    Arrays.sort(scores, 0, count);
    boolean backwards = net >= 0 && !nextReturns && alike;
    int[] order = new int[count];
    for (int i = 0; i < count; i++) {
      long index = scores[backwards ? count - 1 - i : i] & (1L << INDEX_BITS) - 1;
      order[i] = (int) ((gpu + index) % gpus);
    }
    return order;
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
