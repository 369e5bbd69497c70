package dev.heddle.collectives.neuron;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.StepKind;
import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * Steps by which the ranks of a chip add up their contributions to chunks: one rank reads the others' chunks as
 * operands, which are not stored, and its own.
 */
final class ChipSums {
  private static final int NONE = RankSteps.NONE;
  private static final int CHANNEL = 0;

  private final Placement placement;
  private final Chunks chunks;
  private final StageSteps steps;
  private final int chip;
  private final int index;

  ChipSums(Placement placement, Chunks chunks, StageSteps steps, int rank) {
    this.placement = placement;
    this.chunks = chunks;
    this.steps = steps;
    chip = placement.chip(rank);
    index = placement.index(rank);
  }

  /** The chunk that holds the sum of the chip's chunks for the rank's counterpart on a chip. */
  ChunkRange sum(int of) {
    return chunks.scratch(0, placement.rank(of, index), CHANNEL);
  }

  /**
   * Adds steps that sum up the chip's chunks for the rank's counterparts on all chips, and that send the chip's other
   * ranks the operands that they need.
   *
   * @param order for a position in the chip, the chips for whose ranks there it sums up, in the order in which it does
   * @param written whether the sums are written, as one transfer; otherwise they stay operands of the next step
   * @return for each chip, the step after which its sum is complete
   */
  int[] add(IntFunction<ImmutableIntArray> order, boolean written) {
    int perChip = placement.ranksPerChip();
    int[] done = new int[placement.chips()];
    Arrays.fill(done, NONE);
    for (int distance = 1; distance < perChip; distance++) {
      int to = (index + distance) % perChip;
      int from = (index + perChip - distance) % perChip;
      int sending = steps.threadBlock(CHANNEL, placement.rank(chip, to), NONE);
      int receiving = steps.threadBlock(CHANNEL, NONE, placement.rank(chip, from));
      ImmutableIntArray theirs = order.apply(to);
      boolean begun = false;
      for (int i = 0; i < theirs.length(); i++) {
        int sent = steps.send(sending, chunks.input(placement.rank(theirs.get(i), to), CHANNEL));
        boolean sum = written && (i + distance) % (perChip - 1) == 0;
        steps.access(sent, sum ? MemoryAccess.SUM : MemoryAccess.OPERAND);
        if (sum && begun) {
          steps.coalesced(sent);
        }
        begun |= sum;
      }
      for (int of : order.apply(index).asList()) {
        int received = distance == 1
            ? steps.receive(receiving, sum(of))
            : steps.step(receiving, StepKind.RECEIVE_REDUCE_COPY, sum(of), sum(of));
        done[of] = steps.after(steps.memoryAccess(received, 0, 0), done[of]);
      }
    }
    addOwn(order.apply(index), written, done);
    return done;
  }

  private void addOwn(ImmutableIntArray order, boolean written, int[] done) {
    int own = steps.threadBlock(CHANNEL, NONE, NONE);
    boolean begun = false;
    for (int of : order.asList()) {
      ChunkRange contribution = chunks.input(placement.rank(of, index), CHANNEL);
      boolean alone = placement.ranksPerChip() == 1;
      int added = alone
          ? steps.copy(own, contribution, sum(of))
          : steps.step(own, StepKind.REDUCE, contribution, sum(of));
      // The sum's own operand is read, and the sum written, with a message of this rank's and an incoming one.
      int touches = written && alone ? 1 : 0;
      steps.memoryAccess(added, touches, touches);
      if (touches > 0 && begun) {
        steps.coalesced(added);
      }
      done[of] = steps.after(added, done[of]);
      begun = true;
    }
  }
}
