package dev.heddle.collectives.nccl.tuner;

import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.search.ChannelGraph;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.NodePlan;
import dev.heddle.collectives.nccl.search.Pattern;
import java.util.List;
import java.util.function.Function;

/**
 * A summary of one algorithm's channels over all nodes: the least of each number, the worst types.
 *
 * @param channels number of channels of the search
 * @param intra bandwidth of a channel within nodes, GB/s
 * @param inter bandwidth of a channel between nodes, GB/s
 * @param types worst types of paths
 * @param latencyUs latency stated by ports, microseconds
 * @param shape properties of the channels' order
 */
record Summary(int channels, double intra, double inter, Types types, double latencyUs, Form shape) {
  record Types(PathType intra, PathType inter) {}

  record Form(boolean same, boolean plainTree) {}

  static Summary of(CommunicatorTopology channels, Algorithm algorithm) {
    return of(channels.plans().stream().map(plan -> graph(algorithm).apply(plan)).toList());
  }

  private static Summary of(List<ChannelGraph> graphs) {
    return new Summary(
        graphs.stream().mapToInt(ChannelGraph::channels).min().orElseThrow(),
        graphs.stream().mapToDouble(ChannelGraph::intraSpeed).min().orElseThrow(),
        graphs.stream().mapToDouble(ChannelGraph::interSpeed).min().orElseThrow(),
        new Types(
            graphs.stream().map(ChannelGraph::intraType).reduce(PathType.LOC, PathType::worse),
            graphs.stream().map(ChannelGraph::interType).reduce(PathType.LOC, PathType::worse)),
        graphs.stream().mapToDouble(ChannelGraph::latencyUs).max().orElseThrow(),
        new Form(
            graphs.stream().allMatch(ChannelGraph::sameChannels),
            graphs.stream().anyMatch(graph -> graph.pattern() == Pattern.TREE)));
  }

  private static Function<NodePlan, ChannelGraph> graph(Algorithm algorithm) {
    return switch (algorithm) {
      case TREE -> NodePlan::tree;
      case RING, PAT -> NodePlan::ring;
      case COLLNET_DIRECT -> NodePlan::direct;
      case COLLNET_CHAIN -> NodePlan::chain;
      case NVLS, NVLS_TREE -> NodePlan::nvls;
    };
  }
}
