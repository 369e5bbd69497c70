package dev.heddle.collectives.oneccl;

import dev.heddle.collective.Buffer;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.StepKind;

/** One participant's steps between nodes, on the chunks of its place. */
final class ScaleOutSteps {
  private final RankStepsBuilder steps;
  private final Ends ends;
  private final int node;
  private final int nodes;
  private final Chunks chunks;
  private Buffer data;
  private int last;
  private int low;
  private int size;

  /** Connections to the other nodes. */
  interface Ends {
    /**
     * A thread block that exchanges with the same position of other nodes.
     *
     * @param round number that both ends use, below {@link #rounds}
     * @param sendNode node that it sends to
     * @param receiveNode node that it receives from
     */
    int block(int round, int sendNode, int receiveNode);
  }

  /**
   * The chunks that are reduced.
   *
   * @param first of them
   * @param count number of chunks: {@link #parts}
   * @param data buffer that holds them
   * @param sums buffer of their sums
   */
  record Chunks(int first, int count, Buffer data, Buffer sums) {}

  ScaleOutSteps(RankStepsBuilder steps, Ends ends, int node, int nodes, Chunks chunks) {
    this.steps = steps;
    this.ends = ends;
    this.node = node;
    this.nodes = nodes;
    this.chunks = chunks;
    data = chunks.data();
    size = chunks.count();
  }

  /** The number of chunks into which a rank's share is divided. */
  static int parts(ScaleOut how, int nodes) {
    return how == ScaleOut.RING ? nodes : Integer.highestOneBit(nodes);
  }

  /** More than the number of any round. */
  static int rounds(int nodes) {
    return 1 + Integer.SIZE - Integer.numberOfLeadingZeros(nodes);
  }

  /**
   * Adds the steps.
   *
   * @param after the step to wait for, or {@link RankSteps#NONE}
   * @return the step after which all sums are there
   */
  int add(ScaleOut how, int after) {
    last = after;
    if (nodes == 1) {
      return last;
    }
    switch (how) {
      case RING :
        ring();
        break;
      case HALVING_DOUBLING :
        folded();
        break;
      default :
        foldedInHalves();
    }
    return last;
  }

  private ChunkRange data(int slot, int count) {
    return new ChunkRange(data, chunks.first() + slot, count);
  }

  private ChunkRange sums(int slot, int count) {
    return new ChunkRange(chunks.sums(), chunks.first() + slot, count);
  }

  // Chunk p travels the ring once from node p, accumulating, and is complete at p - 1; then it travels the ring again.
  private void ring() {
    int block = ends.block(0, (node + 1) % nodes, Math.floorMod(node - 1, nodes));
    steps.after(steps.send(block, data(node, 1)), last);
    for (int i = 1; i < nodes - 1; i++) {
      steps.step(block, StepKind.RECEIVE_REDUCE_SEND, data(Math.floorMod(node - i, nodes), 1), null);
    }
    int whole = (node + 1) % nodes;
    last = steps.step(block, StepKind.RECEIVE_REDUCE_COPY_SEND, data(whole, 1), sums(whole, 1));
    for (int i = 0; i < nodes - 2; i++) {
      last = steps.step(block, StepKind.RECEIVE_COPY_SEND, null, sums(Math.floorMod(node - i, nodes), 1));
    }
    last = steps.receive(block, sums((node + 2) % nodes, 1));
  }

  private void folded() {
    int cube = Integer.highestOneBit(nodes);
    int extra = nodes - cube;
    if (node >= cube) {
      int block = ends.block(0, node - cube, node - cube);
      steps.after(steps.send(block, data(0, size)), last);
      last = steps.receive(block, sums(0, size));
      return;
    }
    int block = RankSteps.NONE;
    if (node < extra) {
      block = ends.block(0, node + cube, node + cube);
      last = steps.after(steps.step(block, StepKind.RECEIVE_REDUCE_COPY, data(0, size), sums(0, size)), last);
      data = chunks.sums();
    }
    cube(node, cube, at -> at);
    if (block != RankSteps.NONE) {
      steps.after(steps.send(block, sums(0, chunks.count())), last);
    }
  }

  // Of two neighbours each adds one half; the even one takes over the other half, and takes part in the cube for both.
  private void foldedInHalves() {
    int cube = Integer.highestOneBit(nodes);
    int extra = nodes - cube;
    int block = RankSteps.NONE;
    int half = chunks.count() / 2;
    if (node < 2 * extra) {
      boolean even = node % 2 == 0;
      int own = even ? 0 : half;
      block = ends.block(0, node ^ 1, node ^ 1);
      steps.after(steps.send(block, data(half - own, half)), last);
      last = steps.after(
          steps.step(block, StepKind.RECEIVE_REDUCE_COPY, data(own, half), sums(own, half)), last);
      data = chunks.sums();
      if (!even) {
        steps.after(steps.send(block, sums(half, half)), last);
        last = steps.receive(block, sums(0, chunks.count()));
        return;
      }
      last = steps.receive(block, sums(half, half));
    }
    int number = node < 2 * extra ? node / 2 : node - extra;
    cube(number, cube, at -> at < extra ? 2 * at : at + extra);
    if (block != RankSteps.NONE) {
      steps.after(steps.send(block, sums(0, chunks.count())), last);
    }
  }

  private interface Members {
    int node(int number);
  }

  private void cube(int number, int cube, Members members) {
    int[] rounds = new int[Integer.numberOfTrailingZeros(cube)];
    for (int i = rounds.length - 1; i >= 0; i--) {
      int peer = members.node(number ^ 1 << i);
      rounds[i] = ends.block(1 + i, peer, peer);
      halve(rounds[i], (number & 1 << i) != 0);
    }
    for (int round : rounds) {
      steps.after(steps.send(round, sums(low, size)), last);
      last = steps.receive(round, sums(low ^ size, size));
      low &= ~size;
      size *= 2;
    }
  }

  // Sends the half that the peer keeps, and adds the peer's to the half that this participant keeps.
  private void halve(int round, boolean upper) {
    int half = size / 2;
    int own = low + (upper ? half : 0);
    steps.after(steps.send(round, data(low + half - (own - low), half)), last);
    last = steps.after(
        steps.step(round, StepKind.RECEIVE_REDUCE_COPY, data(own, half), sums(own, half)), last);
    data = chunks.sums();
    low = own;
    size = half;
  }
}
