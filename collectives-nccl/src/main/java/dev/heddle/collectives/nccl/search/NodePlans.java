package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.system.SystemDescription;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A cache of searched nodes: communicators of many groups use the same GPUs of identical nodes. */
public final class NodePlans {
  private final NcclConfig config;
  private final Map<Kind, NodePlan> known = new LinkedHashMap<>();

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
        kind -> NodePlan.of(description, config, gpus, networks));
  }

  NcclConfig config() {
    return config;
  }
}
