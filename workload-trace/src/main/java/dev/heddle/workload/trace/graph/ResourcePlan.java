package dev.heddle.workload.trace.graph;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;

/**
 * The assignment of operations to resources.
 *
 * @param resourceOf each operation; -1 where it takes no time of its own
 * @param resources number of resources
 * @param workers of each resource: streams that each do one operation at a time
 * @param computes whether resource 0 computes
 */
record ResourcePlan(int[] resourceOf, int resources, int[] workers, boolean computes) {
  /** The most receipts that are waited for at once; more are waited for one after the other. */
  static final int MOST_RECEIPTS = 1024;

  private static final int SPARE_RECEIPTS = 4;

  static ResourcePlan of(GraphBuilder graph, int[] order, IntRows afterEnd, IntRows afterStart) {
    TreeSet<Resource> used = new TreeSet<>();
    for (int node : order) {
      if (executed(graph, node)) {
        used.add(resource(graph, node));
      }
    }
    List<Resource> numbered = List.copyOf(used);
    int[] resourceOf = new int[graph.size()];
    Arrays.fill(resourceOf, -1);
    for (int node : order) {
      if (executed(graph, node)) {
        resourceOf[node] = Collections.binarySearch(numbered, resource(graph, node));
      }
    }
    int[] workers = new int[numbered.size()];
    Arrays.fill(workers, 1);
    int receipts = numbered.indexOf(new Resource(Resource.Kind.RECEIVE, 0));
    if (receipts >= 0) {
      workers[receipts] = receiptsAtOnce(graph, afterEnd, afterStart);
    }
    return new ResourcePlan(
        resourceOf, workers.length, workers,
        !numbered.isEmpty() && numbered.get(0).kind() == Resource.Kind.COMPUTE);
  }

  private static boolean executed(GraphBuilder graph, int node) {
    return graph.kind[node] != OperationGraph.NOTHING && !graph.matched(node);
  }

  private static Resource resource(GraphBuilder graph, int node) {
    switch (graph.kind[node]) {
      case OperationGraph.COMPUTE :
        return new Resource(Resource.Kind.COMPUTE, graph.tag[node]);
      case OperationGraph.SEND :
        return new Resource(graph.oneAtATime() ? Resource.Kind.COLLECTIVE : Resource.Kind.SEND, 0);
      case OperationGraph.RECEIVE :
        return new Resource(Resource.Kind.RECEIVE, 0);
      default :
        return new Resource(Resource.Kind.COLLECTIVE, graph.oneAtATime() ? 0 : graph.tag[node]);
    }
  }

  // The number of open receipts when all else takes no time and messages come only when nothing else is left to do, in
  // the order of the receipts; twice that, as other orders may leave more open.
  private static int receiptsAtOnce(GraphBuilder graph, IntRows afterEnd, IntRows afterStart) {
    int[] unmet = graph.unmet();
    IntHeap ready = new IntHeap();
    IntHeap open = new IntHeap();
    int total = 0;
    for (int node = 0; node < unmet.length; node++) {
      total += graph.kind[node] == OperationGraph.RECEIVE ? 1 : 0;
      if (unmet[node] == 0) {
        ready.add(node);
      }
    }
    int most = 0;
    int opened = 0;
    while (!ready.isEmpty() || !open.isEmpty()) {
      boolean receipt = ready.isEmpty();
      int node = receipt ? open.removeLeast() : ready.removeLeast();
      if (!receipt) {
        release(afterStart, node, unmet, ready);
        if (graph.kind[node] == OperationGraph.RECEIVE) {
          open.add(node);
          most = Math.max(most, ++opened);
          continue;
        }
      } else {
        opened--;
      }
      release(afterEnd, node, unmet, ready);
    }
    return Math.min(Math.min(total, MOST_RECEIPTS), 2 * most + SPARE_RECEIPTS);
  }

  private static void release(IntRows rows, int node, int[] unmet, IntHeap ready) {
    for (int i = rows.begin(node); i < rows.end(node); i++) {
      if (--unmet[rows.value(i)] == 0) {
        ready.add(rows.value(i));
      }
    }
  }
}
