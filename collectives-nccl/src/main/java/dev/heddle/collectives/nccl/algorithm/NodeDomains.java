package dev.heddle.collectives.nccl.algorithm;

import dev.heddle.collectives.nccl.schedule.NvlsDomains;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.Placement;
import java.util.Arrays;
import java.util.function.IntBinaryOperator;

/** The ranks of each node as one domain, with given heads. */
final class NodeDomains implements NvlsDomains {
  private final CommunicatorTopology channels;
  private final Placement placement;
  private final int heads;
  private final IntBinaryOperator head;

  /**
   * The domains of a communicator.
   *
   * @param heads number of heads of each node
   * @param head the rank of a head, by node and number of the head
   */
  NodeDomains(CommunicatorTopology channels, int heads, IntBinaryOperator head) {
    this.channels = channels;
    this.heads = heads;
    this.head = head;
    placement = channels.placement();
  }

  @Override
  public int ranks() {
    return placement.ranks();
  }

  @Override
  public int count() {
    return placement.nodes();
  }

  @Override
  public int domain(int rank) {
    return placement.node(rank);
  }

  @Override
  public int[] members(int domain) {
    int[] members = new int[placement.ranks(domain)];
    Arrays.setAll(members, place -> placement.rank(domain, place));
    return members;
  }

  @Override
  public int heads() {
    return heads;
  }

  @Override
  public int head(int domain, int number) {
    return head.applyAsInt(domain, number);
  }

  @Override
  public int parent(int channel, int domain) {
    int parent = channels.nvlsTreeParent(channel, channels.nvlsHead(domain, 0));
    return parent < 0 ? parent : placement.node(parent);
  }

  @Override
  public int[] children(int channel, int domain) {
    return Arrays.stream(channels.nvlsTreeChildren(channel, channels.nvlsHead(domain, 0)))
        .map(placement::node).toArray();
  }
}
