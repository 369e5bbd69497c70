package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.system.SystemDescription;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The nodes that were searched: communicators of many groups have the same few GPUs of the same node. */
public final class NodePlans {
  private final NcclConfig config;
  private final Map<Kind, NodePlan> known = new LinkedHashMap<>();

  private record Kind(SystemDescription description, List<Integer> gpus, boolean networks) {}

  /** Nodes as NCCL of a configuration searches them. */
  public NodePlans(NcclConfig config) {
    this.config = config;
  }

  /**
   * Searches a node, unless it is known.
   *
   * @param description of the whole node
   * @param gpus those of the communicator, ascending
   * @param networks whether the communicator has ranks on other nodes too
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
