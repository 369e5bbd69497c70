package dev.heddle.collectives.neuron;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.StepKind;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

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
   * @param batches for a place of the chip, the chips for whose ranks there it sums up, in the order in which it does
   * @param written whether the sums of each batch are written as one transfer; otherwise they stay operands of what comes
   *     next
   * @return for each chip, the step after which its sum is there
   */
  int[] add(IntFunction<List<ImmutableIntArray>> batches, boolean written) {
    int perChip = placement.ranksPerChip();
    int[] done = new int[placement.chips()];
    Arrays.fill(done, NONE);
    for (int distance = 1; distance < perChip; distance++) {
      int to = (index + distance) % perChip;
      int from = (index + perChip - distance) % perChip;
      int sending = steps.threadBlock(CHANNEL, placement.rank(chip, to), NONE);
      int receiving = steps.threadBlock(CHANNEL, NONE, placement.rank(chip, from));
      for (ImmutableIntArray batch : batches.apply(to)) {
        boolean begun = false;
        for (int i = 0; i < batch.length(); i++) {
          int sent = steps.send(sending, chunks.input(placement.rank(batch.get(i), to), CHANNEL));
          boolean sum = written && (i + distance) % (perChip - 1) == 0;
          steps.access(sent, sum ? MemoryAccess.SUM : MemoryAccess.OPERAND);
          if (sum && begun) {
            steps.continuing(sent);
          }
          begun |= sum;
        }
      }
      for (ImmutableIntArray batch : batches.apply(index)) {
        for (int of : batch.asList()) {
          int received = distance == 1
              ? steps.receive(receiving, sum(of))
              : steps.step(receiving, StepKind.RECEIVE_REDUCE_COPY, sum(of), sum(of));
          done[of] = steps.after(steps.touches(received, 0, 0), done[of]);
        }
      }
    }
    int own = steps.threadBlock(CHANNEL, NONE, NONE);
    for (ImmutableIntArray batch : batches.apply(index)) {
      addOwn(own, batch, written, done);
    }
    return done;
  }

  private void addOwn(int own, ImmutableIntArray batch, boolean written, int[] done) {
    int last = NONE;
    for (int of : batch.asList()) {
      ChunkRange contribution = chunks.input(placement.rank(of, index), CHANNEL);
      boolean alone = placement.ranksPerChip() == 1;
      int added = alone
          ? steps.copy(own, contribution, sum(of))
          : steps.step(own, StepKind.REDUCE, contribution, sum(of));
      // The sum's own operand is read, and it is written, with a message of this rank's and one that comes in.
      int touches = written && alone ? 1 : 0;
      steps.touches(added, touches, touches);
      if (touches > 0 && last != NONE) {
        steps.continuing(added);
      }
      done[of] = steps.after(added, done[of]);
      last = added;
    }
    if (written) {
      for (int of : batch.asList()) {
        done[of] = last;
      }
    }
  }
}
