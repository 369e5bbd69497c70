package dev.heddle.collectives.nccl.algorithm;

import dev.heddle.collectives.nccl.schedule.NvlsDomains;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.Placement;
import java.util.Arrays;
import java.util.function.IntBinaryOperator;

/** The ranks of each node as a team, with given heads. */
final class Teams implements NvlsDomains {
  private final CommunicatorTopology channels;
  private final Placement placement;
  private final int heads;
  private final IntBinaryOperator head;

  /**
   * The teams of a communicator.
   *
   * @param heads of each
   * @param head the rank, by node and number
   */
  Teams(CommunicatorTopology channels, int heads, IntBinaryOperator head) {
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
  public int teams() {
    return placement.nodes();
  }

  @Override
  public int team(int rank) {
    return placement.node(rank);
  }

  @Override
  public int[] members(int team) {
    int[] members = new int[placement.ranks(team)];
    Arrays.setAll(members, place -> placement.rank(team, place));
    return members;
  }

  @Override
  public int heads() {
    return heads;
  }

  @Override
  public int head(int team, int number) {
    return head.applyAsInt(team, number);
  }

  @Override
  public int parent(int channel, int team) {
    int parent = channels.nvlsTreeParent(channel, channels.nvlsHead(team, 0));
    return parent < 0 ? parent : placement.node(parent);
  }

  @Override
  public int[] children(int channel, int team) {
    return Arrays.stream(channels.nvlsTreeChildren(channel, channels.nvlsHead(team, 0)))
        .map(placement::node).toArray();
  }
}
