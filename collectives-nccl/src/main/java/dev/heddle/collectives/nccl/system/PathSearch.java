package dev.heddle.collectives.nccl.system;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collectives.nccl.PathType;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;

/** A breadth-first search for the best path from every vertex to one. */
final class PathSearch {
  private final SystemGraph graph;
  private final boolean relayByGpu;

  /**
   * A search on a graph.
   *
   * @param relayByGpu whether a GPU may relay NVLink traffic to another
   */
  PathSearch(SystemGraph graph, boolean relayByGpu) {
    this.graph = graph;
    this.relayByGpu = relayByGpu;
  }

  /** The best paths to a vertex, by their first vertex. */
  Path[] to(int target, int localMegabytes) {
    Path[] paths = new Path[graph.vertices()];
    Arrays.fill(paths, Path.NONE);
    paths[target] = new Path(PathType.LOC, localMegabytes, ImmutableIntArray.of());
    Queue<Integer> queue = new ArrayDeque<>();
    queue.add(target);
    while (!queue.isEmpty()) {
      int near = queue.remove();
      for (int link : graph.leaving(near)) {
        int far = graph.to(link);
        if (mayExtend(target, near, link, paths[near])) {
          Path path = extended(near, link, paths[near]);
          if (path.betterThan(paths[far])) {
            paths[far] = path;
            queue.add(far);
          }
        }
      }
    }
    return paths;
  }

  private boolean mayExtend(int target, int near, int link, Path path) {
    if (near == target || graph.type(near) != NodeType.GPU) {
      return true;
    }
    return relayByGpu && graph.linkType(link) == LinkType.NVL && graph.type(graph.to(link)) == NodeType.GPU
        && path.hops() == 1;
  }

  private Path extended(int near, int link, Path path) {
    int back = graph.reverse(link);
    PathType type = graph.linkType(link).path();
    NodeType nearType = graph.type(near);
    NodeType farType = graph.type(graph.to(link));
    if (nearType == NodeType.PCI && farType == NodeType.PCI) {
      type = PathType.PXB;
    } else if (graph.linkType(link) == LinkType.PCI && (nearType == NodeType.CPU || farType == NodeType.CPU)) {
      type = PathType.PHB;
    } else if (nearType == NodeType.GPU && type == PathType.NVL && path.type() == PathType.NVL) {
      type = PathType.NVB;
    }
    return new Path(type, graph.megabytes(back), ImmutableIntArray.of(back)).then(path);
  }
}
