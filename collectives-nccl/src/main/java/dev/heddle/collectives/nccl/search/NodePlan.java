package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.search.GraphXml.Id;
import dev.heddle.collectives.nccl.system.SystemDescription;
import dev.heddle.collectives.nccl.system.SystemGraph;
import dev.heddle.collectives.nccl.system.SystemPaths;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.text.Unreadable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The result of the search on one node, which holds for all identical nodes.
 *
 * @param paths paths between its devices
 * @param ring channels of rings
 * @param tree channels of trees
 * @param nvls channels of NVLS; none if it is not available
 * @param chain channels of CollNetChain; none without reduction in the network
 * @param direct channels of CollNetDirect; none without reduction in the network
 */
public record NodePlan(
    SystemPaths paths, ChannelGraph ring, ChannelGraph tree, ChannelGraph nvls, ChannelGraph chain,
    ChannelGraph direct) {
  /**
   * Searches a node.
   *
   * @param description of the whole node
   * @param gpus GPUs of the communicator, ascending
   * @param networks whether the communicator has ranks on other nodes
   */
  public static NodePlan of(SystemDescription description, NcclConfig config, int[] gpus, boolean networks) {
    SystemPaths paths = SystemPaths.of(SystemGraph.of(description, config, gpus, networks), config);
    Optional<String> file = config.get(Environment.GRAPH_FILE);
    SearchedGraphs graphs = SearchedGraphs.of(paths, config, networks);
    NodePlan found =
        new NodePlan(paths, graphs.ring(), graphs.tree(), graphs.nvls(), graphs.chain(), graphs.direct());
    return file.isPresent() ? found.with(read(Path.of(file.get()), paths.graph())) : found;
  }

  private static Map<Id, ChannelGraph> read(Path file, SystemGraph graph) {
    try (InputStream in = Files.newInputStream(file)) {
      return GraphXml.read(file.toString(), in, graph);
    } catch (IOException e) {
      throw new InvalidSettingException("environment", Unreadable.message(file, e));
    }
  }

  private NodePlan with(Map<Id, ChannelGraph> given) {
    return new NodePlan(
        paths, given.getOrDefault(Id.RING, ring), given.getOrDefault(Id.TREE, tree),
        given.getOrDefault(Id.NVLS, nvls), given.getOrDefault(Id.COLLNET_CHAIN, chain),
        given.getOrDefault(Id.COLLNET_DIRECT, direct));
  }

  /** The graphs by their numbers in graph files. */
  Map<Id, ChannelGraph> graphs() {
    Map<Id, ChannelGraph> graphs = new TreeMap<>();
    graphs.put(Id.RING, ring);
    graphs.put(Id.TREE, tree);
    graphs.put(Id.COLLNET_CHAIN, chain);
    graphs.put(Id.NVLS, nvls);
    graphs.put(Id.COLLNET_DIRECT, direct);
    return graphs;
  }

  /** Whether all GPUs of the node are joined by NVLink. */
  public boolean allNvlink() {
    int gpus = paths.graph().gpus();
    return IntStream.range(0, gpus * gpus)
        .allMatch(i -> paths.gpuToGpu(i / gpus, i % gpus).type().atMost(PathType.NVL));
  }
}
