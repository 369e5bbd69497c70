package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.system.SystemDescription;
import java.util.Arrays;
import java.util.List;

/**
 * A cache of searched nodes for all clusters and configurations of the process: points of a sweep and layouts of a
 * search have machines of the same nodes. A search depends on its arguments alone and takes up to a second; its result
 * has some megabytes on a rack of 72 GPUs, and may be forgotten. Any number of threads may use it.
 */
final class SearchedNodes {
  private static final int MOST = 256;

  private static final SearchCache<Kind, NodePlan> KNOWN = new SearchCache<>(MOST);

  private SearchedNodes() {}

  private record Kind(
      NcclConfig.Identity config, SystemDescription description, List<Integer> gpus, boolean networks) {}

  /**
   * The plan of a node, searched once; where the configuration names a file of graphs, which may change, each time.
   *
   * @param description of the whole node
   * @param gpus GPUs of the communicator, ascending
   * @param networks whether the communicator has ranks on other nodes
   */
  static NodePlan of(SystemDescription description, NcclConfig config, int[] gpus, boolean networks) {
    if (config.get(Environment.GRAPH_FILE).isPresent()) {
      return NodePlan.of(description, config, gpus, networks);
    }
    Kind kind = new Kind(config.identity(), description, Arrays.stream(gpus).boxed().toList(), networks);
    return KNOWN.get(kind, () -> NodePlan.of(description, config, gpus, networks));
  }
}
