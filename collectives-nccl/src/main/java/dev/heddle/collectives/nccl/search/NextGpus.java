package dev.heddle.collectives.nccl.search;

import com.google.common.primitives.Ints;
import dev.heddle.collectives.nccl.system.LinkType;
import dev.heddle.collectives.nccl.system.NodeType;
import dev.heddle.collectives.nccl.system.Path;
import dev.heddle.collectives.nccl.system.SystemGraph;
import dev.heddle.collectives.nccl.system.SystemPaths;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

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
  private final int[] onlyWays;
  // By GPU and port, the last for none; worked out when first asked for.
  private final @Nullable Ascending[][] known;

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
    onlyWays = IntStream.range(0, gpus).map(this::findOnlyWay).toArray();
    known = new Ascending[gpus][graph.nets() + 1];
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
    Ascending ascending = ascending(gpu, net);
    int[] order = new int[ascending.gpus.length];
    int count = 0;
    for (int next : ascending.gpus) {
      if (!used[next]) {
        order[count++] = next;
      }
    }
    if (net >= 0 && !nextReturns && ascending.alike(used)) {
      Ints.reverse(order, 0, count);
    }
    return count == order.length ? order : Arrays.copyOf(order, count);
  }

  /** The first link of the paths to all other GPUs; -1 if they have none in common. */
  int onlyWay(int gpu) {
    return onlyWays[gpu];
  }

  private int findOnlyWay(int gpu) {
    int[] first = IntStream.range(0, gpus).mapToObj(other -> paths.gpuToGpu(gpu, other).links())
        .filter(links -> !links.isEmpty()).mapToInt(links -> links.get(0)).distinct().limit(2).toArray();
    return first.length == 1 ? first[0] : -1;
  }

  private Ascending ascending(int gpu, int net) {
    int column = net < 0 ? known[gpu].length - 1 : net;
    if (known[gpu][column] == null) {
      known[gpu][column] = new Ascending(gpu, gpus, LongStream.range(1, gpus)
          .filter(i -> paths.gpuToGpu(gpu, (int) (gpu + i) % gpus).hops() > 0)
          .map(i -> fullScore(gpu, (int) (gpu + i) % gpus, net) << INDEX_BITS | i).sorted().toArray());
    }
    return known[gpu][column];
  }

  /** All next GPUs of a GPU by ascending score, and the part of their scores that is not their index. */
  private static final class Ascending {
    private final int[] gpus;
    private final long[] within;
    private final boolean allAlike;

    Ascending(int gpu, int all, long[] scores) {
      gpus = Arrays.stream(scores).mapToInt(score -> (int) ((gpu + (score & INDEX_MASK)) % all)).toArray();
      within = Arrays.stream(scores).map(score -> score >> INDEX_BITS & WITHIN_MASK).toArray();
      allAlike = Arrays.stream(within).distinct().count() <= 1;
    }

    /** Whether all that are not used have one score. */
    boolean alike(boolean[] used) {
      long first = -1;
      for (int i = 0; i < gpus.length && !allAlike; i++) {
        if (!used[gpus[i]]) {
          if (first >= 0 && within[i] != first) {
            return false;
          }
          first = within[i];
        }
      }
      return true;
    }
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
