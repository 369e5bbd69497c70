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

/** What the network's switches that add do for one communicator: a tree over the heads of each rail. */
final class NetworkReduction {
  private final CommunicatorTopology channels;
  private final Group group;
  private final AggregationTrees trees;
  // By its ranks, one of each node.
  private final Map<List<Integer>, NetworkTree> known = new LinkedHashMap<>();

  NetworkReduction(CommunicatorTopology channels, Group group, Cluster cluster) {
    this.channels = channels;
    this.group = group;
    trees = new AggregationTrees(cluster);
  }

  /** The ranks of each node, with the heads of CollNetDirect. */
  NvlsDomains teams() {
    return new Teams(channels, channels.collNetHeads(0).length, (node, head) -> channels.collNetHeads(node)[head]);
  }

  /** The lines of teams' heads, one of each head on each channel, behind so many other participants. */
  SharpTrees lines(NvlsDomains teams, int count, int firstParticipant) {
    List<NetworkTree> ofLines = IntStream.range(0, count * teams.heads())
        .mapToObj(line -> tree(teams.rail(line % teams.heads()))).toList();
    return new SharpTrees(ofLines, firstParticipant, 2 * count);
  }

  /** The lines of CollNetChain, one of each channel. */
  SharpTrees chainLines(int count) {
    int nodes = channels.placement().nodes();
    List<NetworkTree> ofLines = IntStream.range(0, count)
        .mapToObj(
            channel -> tree(IntStream.range(0, nodes).map(node -> channels.collNetChain(channel, node)[0]).toArray()))
        .toList();
    return new SharpTrees(ofLines, group.size(), 0);
  }

  /** The chains of CollNetChain; the parent of the first rank of each is on its line. */
  Trees chains(int count, SharpTrees lines) {
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
        return place > 0 ? chain[place - 1] : lines.above(channel, node);
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
