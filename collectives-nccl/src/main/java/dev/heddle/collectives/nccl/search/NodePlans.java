package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.system.SystemDescription;
import dev.heddle.spi.Cluster;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A cache of a cluster's description and of searched nodes: communicators of many groups use the same GPUs of identical
 * nodes of one cluster.
 */
public final class NodePlans {
  private final NcclConfig config;
  private final Map<Kind, NodePlan> known = new LinkedHashMap<>();
  private @Nullable ClusterPlan cluster;

  private record Kind(SystemDescription description, List<Integer> gpus, boolean networks) {}

  /** An empty cache for a configuration. */
  public NodePlans(NcclConfig config) {
    this.config = config;
  }

  /**
   * The plan of a node, searched once.
   *
   * @param description of the whole node
   * @param gpus GPUs of the communicator, ascending
   * @param networks whether the communicator has ranks on other nodes
   */
  synchronized NodePlan of(SystemDescription description, int[] gpus, boolean networks) {
    return known.computeIfAbsent(
        new Kind(description, Arrays.stream(gpus).boxed().toList(), networks),
        kind -> SearchedNodes.of(description, config, gpus, networks));
  }

  /** The description of a cluster; that of the last one is kept. */
  synchronized ClusterPlan of(Cluster asked) {
    if (cluster == null || !cluster.isOf(asked)) {
      cluster = new ClusterPlan(asked, config);
    }
    return cluster;
  }

  NcclConfig config() {
    return config;
  }
}
