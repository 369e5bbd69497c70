package dev.heddle.collectives.nccl.system;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collectives.nccl.PathType;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;

/** Finds the best way from every vertex to one, breadth first. */
final class PathSearch {
  private final SystemGraph graph;
  private final boolean relayByGpu;

  /**
   * Makes a search.
   *
   * @param relayByGpu whether one GPU may pass NVLink traffic on to another
   */
  PathSearch(SystemGraph graph, boolean relayByGpu) {
    this.graph = graph;
    this.relayByGpu = relayByGpu;
  }

  /** The ways to a vertex, by where they start. */
  Path[] to(int target, int localMegabytes) {
    Path[] ways = new Path[graph.vertices()];
    Arrays.fill(ways, Path.NONE);
    ways[target] = new Path(PathType.LOC, localMegabytes, ImmutableIntArray.of());
    Queue<Integer> queue = new ArrayDeque<>();
    queue.add(target);
    while (!queue.isEmpty()) {
      int near = queue.remove();
      for (int link : graph.leaving(near)) {
        int far = graph.to(link);
        if (mayExtend(target, near, link, ways[near])) {
          Path way = extended(near, link, ways[near]);
          if (way.betterThan(ways[far])) {
            ways[far] = way;
            queue.add(far);
          }
        }
      }
    }
    return ways;
  }

  private boolean mayExtend(int target, int near, int link, Path way) {
    if (near == target || graph.type(near) != NodeType.GPU) {
      return true;
    }
    return relayByGpu && graph.linkType(link) == LinkType.NVL && graph.type(graph.to(link)) == NodeType.GPU
        && way.hops() == 1;
  }

  private Path extended(int near, int link, Path way) {
    int back = graph.reverse(link);
    PathType type = graph.linkType(link).path();
    NodeType nearType = graph.type(near);
    NodeType farType = graph.type(graph.to(link));
    if (nearType == NodeType.PCI && farType == NodeType.PCI) {
      type = PathType.PXB;
    } else if (graph.linkType(link) == LinkType.PCI && (nearType == NodeType.CPU || farType == NodeType.CPU)) {
      type = PathType.PHB;
    } else if (nearType == NodeType.GPU && type == PathType.NVL && way.type() == PathType.NVL) {
      type = PathType.NVB;
    }
    return new Path(type, graph.megabytes(back), ImmutableIntArray.of(back)).then(way);
  }
}
