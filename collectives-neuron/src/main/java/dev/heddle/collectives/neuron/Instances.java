package dev.heddle.collectives.neuron;

import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The ranks of a group over several instances, the same number and positions in each, and the chunks of a collective
 * among them. The scratch of a rank holds, in this order: for each instance the mirrors of the chunks whose owners are
 * there; for each instance the sum of the chunk whose owner has the rank's position there; and the others' partial sums
 * of the rank's own chunk.
 */
final class Instances {
  private final List<int[]> ranks = new ArrayList<>();
  private final int[] node;
  private final int[] local;
  private final int mirrors;
  private final Chunks chunks;

  /**
   * Cuts the buffers of a collective.
   *
   * @param mirrors scratch buffers that a stage within an instance needs; 0 where nothing is added up
   */
  Instances(Placement placement, Collective collective, int mirrors) {
    this.mirrors = mirrors;
    node = new int[placement.ranks()];
    local = new int[placement.ranks()];
    for (int number = 0; number < placement.nodes(); number++) {
      int[] members = placement.ranksOfNode(number);
      ranks.add(members);
      for (int place = 0; place < members.length; place++) {
        node[members[place]] = number;
        local[members[place]] = place;
      }
    }
    chunks = Chunks.withScratch(collective, this::scratch);
  }

  // The owners of the scratch chunks of a rank, as laid out above.
  private int[] scratch(int rank) {
    if (mirrors == 0) {
      return new int[0];
    }
    int all = node.length;
    int[] owners = new int[mirrors * all + 2 * nodes()];
    for (int number = 0; number < nodes(); number++) {
      for (int slot = 0; slot < mirrors * perNode(); slot++) {
        owners[firstMirror(number) + slot] = ranks.get(number)[slot % perNode()];
      }
      owners[mirrors * all + number] = ranks.get(number)[local[rank]];
    }
    Arrays.fill(owners, mirrors * all + nodes(), owners.length, rank);
    return owners;
  }

  private int firstMirror(int number) {
    return number * mirrors * perNode();
  }

  private int perNode() {
    return ranks.get(0).length;
  }

  int nodes() {
    return ranks.size();
  }

  /** The instance of a rank. */
  int node(int rank) {
    return node[rank];
  }

  /** The place of a rank in its instance. */
  int local(int rank) {
    return local[rank];
  }

  /** The ranks of an instance, by place. */
  int[] ranks(int number) {
    return ranks.get(number);
  }

  /** All chunks. */
  Chunks chunks() {
    return chunks;
  }

  /** The chunks whose owners are in an instance; {@link #sum} gives the location of a rank's sums. */
  Chunks plane(int number) {
    return chunks.subset(ranks.get(number), firstMirror(number), mirrors * node.length + number);
  }

  /** The location of a rank's instance's sum of the chunk of the rank at its position in another instance. */
  ChunkRange sum(int number) {
    return ChunkRange.scratch(mirrors * node.length + number, 1);
  }

  /** Space for another instance's sum of the rank's own chunk. */
  ChunkRange partial(int number) {
    return ChunkRange.scratch(mirrors * node.length + nodes() + number, 1);
  }
}
