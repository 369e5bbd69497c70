package dev.heddle.collectives.neuron;

import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.StepKind;
import java.util.Arrays;

/**
 * Steps by which the ranks of a chip add up what they contribute to chunks: one rank reads the others' chunks as operands,
 * which are written nowhere, and its own.
 */
final class ChipSums {
  private static final int NONE = RankSteps.NONE;
  private static final int CHANNEL = 0;

  private final Placement placement;
  private final Chunks chunks;
  private final RankSteps.Builder steps;
  private final int chip;
  private final int index;

  ChipSums(Placement placement, Chunks chunks, RankSteps.Builder steps, int rank) {
    this.placement = placement;
    this.chunks = chunks;
    this.steps = steps;
    chip = placement.chip(rank);
    index = placement.index(rank);
  }

  /** Where the sum of the chip's chunks for the rank's counterpart on a chip comes to lie. */
  ChunkRange sum(int of) {
    return chunks.scratch(0, placement.rank(of, index), CHANNEL);
  }

  /**
   * Adds steps that sum up the chip's chunks for the rank's counterparts on all chips, and lets the chip's other ranks have
   * the operands that they need.
   *
   * @param written whether the sums are written as one transfer, that of the rank's own chip last; otherwise they stay
   *     operands of what comes next
   * @return for each chip, the step after which its sum is there
   */
  int[] add(boolean written) {
    int perChip = placement.ranksPerChip();
    int chips = placement.chips();
    int[] done = new int[chips];
    Arrays.fill(done, NONE);
    for (int distance = 1; distance < perChip; distance++) {
      int to = placement.rank(chip, (index + distance) % perChip);
      int from = placement.rank(chip, (index + perChip - distance) % perChip);
      int sending = steps.threadBlock(CHANNEL, to, NONE);
      int receiving = steps.threadBlock(CHANNEL, NONE, from);
      for (int turn = 1; turn <= chips; turn++) {
        int of = (chip + turn) % chips;
        ChunkRange operand = chunks.input(placement.rank(of, placement.index(to)), CHANNEL);
        steps.access(steps.send(sending, operand), MemoryAccess.OPERAND);
        int received = distance == 1
            ? steps.receive(receiving, sum(of))
            : steps.step(receiving, StepKind.RECEIVE_REDUCE_COPY, sum(of), sum(of));
        done[of] = steps.after(steps.touches(received, 0, 0), done[of]);
      }
    }
    int own = steps.threadBlock(CHANNEL, NONE, NONE);
    for (int turn = 1; turn <= chips; turn++) {
      int of = (chip + turn) % chips;
      ChunkRange contribution = chunks.input(placement.rank(of, index), CHANNEL);
      int added = perChip == 1
          ? steps.copy(own, contribution, sum(of))
          : steps.step(own, StepKind.REDUCE, contribution, sum(of));
      int touches = written && turn == chips ? chips : 0;
      done[of] = steps.after(steps.touches(added, touches, touches), done[of]);
    }
    return done;
  }
}
