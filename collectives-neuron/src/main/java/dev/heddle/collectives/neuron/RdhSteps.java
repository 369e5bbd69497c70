package dev.heddle.collectives.neuron;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.StepKind;
import java.util.Arrays;
import java.util.List;

/**
 * One rank's steps of recursive doubling and halving: with its counterpart across one axis of the hypercube of chips
 * after the other, and within its chip [Neuron, RDH].
 */
final class RdhSteps {
  private static final int NONE = RankSteps.NONE;
  private static final int DOUBLE = 1;
  private static final int HALVE = 2;
  private static final int WITHIN = 3;

  private final Placement placement;
  private final Chunks chunks;
  private final ChipCube cube;
  private final boolean asArrived;
  private final int rank;
  private final int chip;
  private final int index;
  private final StageSteps steps;

  RdhSteps(Rdh rdh, Chunks chunks, StageSteps steps, int rank) {
    this.placement = rdh.placement();
    this.cube = rdh.cube();
    this.asArrived = rdh.asArrived();
    this.chunks = chunks;
    this.steps = steps;
    this.rank = rank;
    chip = placement.chip(rank);
    index = placement.index(rank);
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

  private static ImmutableIntArray joined(List<ImmutableIntArray> parts) {
    return ImmutableIntArray.copyOf(parts.stream().flatMapToInt(ImmutableIntArray::stream));
  }

  /** Adds the steps by which this rank obtains the sum of its chunk, and returns the last one. */
  int reduce() {
    ChipSums sums = new ChipSums(placement, chunks, steps, rank);
    int[] done = sums.add(at -> joined(cube.halves(chip, at)), true);
    List<ImmutableIntArray> halves = cube.halves(chip, index);
    if (!asArrived) {
      // A rank adds up in the order of halves, so its own chip's sum is the last.
      Arrays.fill(done, done[chip]);
    }
    int[] adding = new int[halves.size()];
    Arrays.setAll(adding, any -> steps.threadBlock(HALVE, NONE, NONE));
    for (int step = 0; step < cube.axes(); step++) {
      int peer = counterpart(cube.across(chip, index, step));
      int block = steps.threadBlock(HALVE, peer, peer);
      ImmutableIntArray sent = halves.get(step);
      for (int i = 0; i < sent.length(); i++) {
        int sending = steps.send(block, sums.sum(sent.get(i)));
        steps.access(sending, MemoryAccess.sumOf(Math.min(step + 1, MemoryAccess.MOST_OPERANDS)));
        steps.after(sending, done[sent.get(i)]);
        if (step == 0 && asArrived) {
          steps.asynchronous(sending);
        } else if (i > 0) {
          steps.coalesced(sending);
        }
      }
      int received = receivePartials(block, step, halves);
      for (int half = step + 1; half < halves.size(); half++) {
        for (int of : halves.get(half).asList()) {
          int added = steps.step(adding[half], StepKind.REDUCE, partial(step, of), sums.sum(of));
          // A message carries the sum of a limited number of operands; further operands are read here.
          steps.memoryAccess(added, step + 2 > MemoryAccess.MOST_OPERANDS ? 1 : 0, 0);
          done[of] = steps.after(steps.after(added, received), done[of]);
        }
      }
    }
    int result = steps.copy(adding[cube.axes()], sums.sum(chip), chunks.result(rank, 0));
    int left = Math.min(cube.axes() + 1, MemoryAccess.MOST_OPERANDS);
    return steps.after(steps.memoryAccess(result, left, 1), done[chip]);
  }

  private ChunkRange partial(int step, int of) {
    return chunks.scratch(1 + step, counterpart(of), 0);
  }

  // Adds up the incoming partial sums of a step, in the order in which the counterpart sends them, and returns the last
  // step's number.
  private int receivePartials(int block, int step, List<ImmutableIntArray> halves) {
    int last = NONE;
    int[] kept = halves.subList(step + 1, halves.size()).stream().flatMapToInt(ImmutableIntArray::stream).sorted()
        .toArray();
    for (int of : kept) {
      last = steps.memoryAccess(steps.receive(block, partial(step, of)), 0, 0);
    }
    return last;
  }

  /** Adds the steps by which all chunks reach this rank, whose own is available after a given step. */
  void gather(int own) {
    List<ImmutableIntArray> doubles = cube.doubles(chip, index);
    // The step after which each rank's chunk is here, and that after which all of an exchange are.
    int[] there = new int[placement.ranks()];
    Arrays.fill(there, own);
    int all = own;
    for (int step = 0; step < cube.axes(); step++) {
      int peer = counterpart(cube.across(chip, index, step));
      int block = steps.threadBlock(DOUBLE, peer, peer);
      boolean first = true;
      for (ImmutableIntArray held : doubles.subList(0, step + 1)) {
        for (int of : held.asList()) {
          int sent = steps.access(steps.send(block, chunks.output(counterpart(of), 0)), MemoryAccess.COPY);
          if (first) {
            steps.after(sent, all);
          } else {
            steps.coalesced(sent);
          }
          first = false;
        }
      }
      for (int from : doubles.get(step + 1).asList()) {
        all = steps.memoryAccess(steps.receive(block, chunks.output(counterpart(from), 0)), 0, 0);
        there[counterpart(from)] = all;
      }
    }
    ChipBroadcast broadcast = new ChipBroadcast(steps, placement, chunks, rank, WITHIN);
    if (asArrived) {
      broadcast.asArrived(this::owners, there);
    } else {
      broadcast.broadcastAll(this::owners, all);
    }
  }

  // The owners of the chunks that a rank of the chip has gathered, in that order.
  private ImmutableIntArray owners(int by) {
    int at = placement.index(by);
    return ImmutableIntArray.copyOf(joined(cube.doubles(chip, at)).stream().map(of -> placement.rank(of, at)));
  }
}
