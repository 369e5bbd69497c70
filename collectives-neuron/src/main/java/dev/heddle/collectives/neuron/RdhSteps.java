package dev.heddle.collectives.neuron;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.StepKind;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * One rank's steps of recursive doubling and halving: with its counterpart across one axis of the hypercube of chips after
 * the other, and within its chip [Neuron, RDH].
 */
final class RdhSteps {
  private static final int NONE = RankSteps.NONE;
  private static final int DOUBLE = 1;
  private static final int HALVE = 2;
  private static final int WITHIN = 3;

  private final Placement placement;
  private final Chunks chunks;
  private final ChipCube cube;
  private final int rank;
  private final int chip;
  private final int index;
  private final RankSteps.Builder steps;

  RdhSteps(Placement placement, Chunks chunks, ChipCube cube, int rank) {
    this.placement = placement;
    this.chunks = chunks;
    this.cube = cube;
    this.rank = rank;
    chip = placement.chip(rank);
    index = placement.index(rank);
    steps = new RankSteps.Builder(chunks.layout(), rank);
  }

  RankSteps steps(Phases phases) {
    int own = phases.reduces() ? reduce() : NONE;
    if (phases.gathers()) {
      gather(own);
    }
    return steps.build();
  }

  private int counterpart(int of) {
    return placement.rank(of, index);
  }

  private int reduce() {
    ChipSums sums = new ChipSums(placement, chunks, steps, rank);
    int[] done = sums.add(true);
    Arrays.fill(done, done[chip]);
    int adding = steps.threadBlock(HALVE, NONE, NONE);
    int[] kept = IntStream.range(0, placement.chips()).toArray();
    for (int step = 0; step < cube.axes(); step++) {
      int at = step;
      int peer = counterpart(cube.across(chip, index, step));
      int block = steps.threadBlock(HALVE, peer, peer);
      int[] sent = Arrays.stream(kept).filter(of -> cube.apart(of, chip, index, at)).toArray();
      kept = Arrays.stream(kept).filter(of -> !cube.apart(of, chip, index, at)).toArray();
      for (int i = 0; i < sent.length; i++) {
        int sending = steps.send(block, sums.sum(sent[i]));
        steps.access(sending, MemoryAccess.sumOf(Math.min(step + 1, MemoryAccess.MOST_OPERANDS)));
        steps.after(i == 0 ? sending : steps.continuing(sending), done[sent[i]]);
      }
      for (int of : kept) {
        ChunkRange partial = chunks.scratch(1 + step, counterpart(of), 0);
        int received = steps.touches(steps.receive(block, partial), 0, 0);
        int added = steps.step(adding, StepKind.REDUCE, partial, sums.sum(of));
        // A message carries the sum of so many operands; what is beyond is read here.
        steps.touches(added, step + 2 > MemoryAccess.MOST_OPERANDS ? 1 : 0, 0);
        done[of] = steps.after(added, received);
      }
    }
    int result = steps.copy(adding, sums.sum(chip), chunks.result(rank, 0));
    int left = Math.min(cube.axes() + 1, MemoryAccess.MOST_OPERANDS);
    return steps.after(steps.touches(result, left, 1), done[chip]);
  }

  private void gather(int own) {
    int last = own;
    int[] held = {chip};
    for (int step = 0; step < cube.axes(); step++) {
      int across = cube.across(chip, index, step);
      int block = steps.threadBlock(DOUBLE, counterpart(across), counterpart(across));
      for (int i = 0; i < held.length; i++) {
        int sent = steps.access(steps.send(block, chunks.output(counterpart(held[i]), 0)), MemoryAccess.COPY);
        if (i == 0) {
          steps.after(sent, last);
        } else {
          steps.continuing(sent);
        }
      }
      int[] theirs = cube.across(held, index, step);
      for (int from : theirs) {
        last = steps.touches(steps.receive(block, chunks.output(counterpart(from), 0)), 0, 0);
      }
      held = IntStream.concat(Arrays.stream(held), Arrays.stream(theirs)).toArray();
    }
    int chips = placement.chips();
    ChipBroadcast.add(
        steps, new ChipBroadcast.Chip(placement, chunks, rank), WITHIN,
        by -> ImmutableIntArray.copyOf(IntStream.range(0, chips).map(of -> placement.rank(of, placement.index(by)))),
        last);
  }
}
