package dev.heddle.collectives.nccl.algorithm;

import com.google.common.primitives.Ints;
import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.schedule.NetworkTree;
import dev.heddle.collectives.nccl.schedule.NvlsDomains;
import dev.heddle.collectives.nccl.schedule.SharpTrees;
import dev.heddle.collectives.nccl.schedule.Trees;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.spi.Cluster;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Reduction in the network for one communicator: an aggregation tree over the heads of each rail. */
final class NetworkReduction {
  private final CommunicatorTopology channels;
  private final Group group;
  private final AggregationTrees trees;
  // Trees that were built, by their ranks, one of each node.
  private final Map<List<Integer>, NetworkTree> known = new LinkedHashMap<>();

  NetworkReduction(CommunicatorTopology channels, Group group, Cluster cluster) {
    this.channels = channels;
    this.group = group;
    trees = new AggregationTrees(cluster);
  }

  /** The ranks of each node with the heads of CollNetDirect. */
  NvlsDomains domains() {
    return new NodeDomains(channels, channels.collNetHeads(0).length,
        (node, head) -> channels.collNetHeads(node)[head]);
  }

  /**
   * The aggregation trees of all heads on all channels. Tree {@code channel * heads + head} joins the heads of one
   * number; the numbers of its switches begin at {@code firstParticipant}.
   */
  SharpTrees trees(NvlsDomains domains, int count, int firstParticipant) {
    List<NetworkTree> ofLines = IntStream.range(0, count * domains.heads())
        .mapToObj(treeNumber -> tree(domains.rail(treeNumber % domains.heads()))).toList();
    return new SharpTrees(ofLines, firstParticipant, 2 * count);
  }

  /** The aggregation trees of CollNetChain, one for each channel. */
  SharpTrees chainTrees(int count) {
    int nodes = channels.placement().nodes();
    List<NetworkTree> ofLines = IntStream.range(0, count)
        .mapToObj(
            channel -> tree(IntStream.range(0, nodes).map(node -> channels.collNetChain(channel, node)[0]).toArray()))
        .toList();
    return new SharpTrees(ofLines, group.size(), 0);
  }

  /**
   * The chains of CollNetChain; the parent of the first rank of each chain is a switch of the channel's aggregation
   * tree.
   */
  Trees chains(int count, SharpTrees networkTrees) {
    Placement placement = channels.placement();
    return new Trees() {
      @Override
      public int channels() {
        return count;
      }

      @Override
      public int ranks() {
        return group.size();
      }

      @Override
      public int parent(int channel, int rank) {
        int node = placement.node(rank);
        int[] chain = channels.collNetChain(channel, node);
        int place = Ints.indexOf(chain, rank);
        return place > 0 ? chain[place - 1] : networkTrees.above(channel, node);
      }

      @Override
      public int[] children(int channel, int rank) {
        int[] chain = channels.collNetChain(channel, placement.node(rank));
        int place = Ints.indexOf(chain, rank);
        return place + 1 < chain.length ? new int[] {chain[place + 1]} : new int[0];
      }
    };
  }

  private synchronized NetworkTree tree(int[] heads) {
    NetworkTree laid = known.get(Ints.asList(heads));
    if (laid == null) {
      laid = trees.tree(known.size(), heads, IntStream.of(heads).map(group::member).toArray());
      known.put(Ints.asList(heads), laid);
    }
    return laid;
  }
}
