package dev.heddle.collectives.neuron;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Layout;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.StepKind;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * One rank's steps of the Mesh algorithm, in two stages: over the chips' links with routing, and within each chip
 * [Neuron, Mesh]. To gather, a rank writes its chunk to one rank of each other chip, another one for each distance, and
 * those forward it to the others of their chip. To reduce, it adds up its chip's chunks for its counterparts on all
 * chips and writes the sums there; each then adds up the received sums, one from each chip.
 */
final class MeshSteps {
  private static final int NONE = RankSteps.NONE;
  private static final int GATHER = 1;
  private static final int SCATTER = 2;
  private static final int WITHIN = 3;

  private final Placement placement;
  private final Chunks chunks;
  private final int rank;
  private final int chip;
  private final StageSteps steps;

  MeshSteps(Placement placement, Chunks chunks, int rank) {
    this.placement = placement;
    this.chunks = chunks;
    this.rank = rank;
    chip = placement.chip(rank);
    steps = StageSteps.whole(chunks.layout(), rank);
  }

  RankSteps steps(Phases phases) {
    int own = phases.reduces() ? reduce() : NONE;
    if (phases.gathers()) {
      gather(own);
    }
    return steps.build();
  }

  private int reduce() {
    ChipSums sums = new ChipSums(placement, chunks, steps, rank);
    ImmutableIntArray order = ImmutableIntArray.copyOf(
        IntStream.rangeClosed(1, placement.chips()).map(turn -> (chip + turn) % placement.chips()));
    int[] summed = sums.add(any -> order, false);
    int chips = placement.chips();
    int index = placement.index(rank);
    int adding = steps.threadBlock(SCATTER, NONE, NONE);
    int last = NONE;
    for (int turn = 1; turn < chips; turn++) {
      int there = (chip + turn) % chips;
      int peer = placement.rank(there, index);
      int block = steps.threadBlock(SCATTER, peer, peer);
      steps.after(steps.access(steps.send(block, sums.sum(there)), MemoryAccess.COPY), summed[there]);
      ChunkRange partial = chunks.partial(peer);
      int received = steps.memoryAccess(steps.receive(block, partial), 0, 0);
      int added = steps.memoryAccess(steps.step(adding, StepKind.REDUCE, partial, sums.sum(chip)), 0, 0);
      steps.after(steps.after(added, received), summed[chip]);
      last = added;
    }
    // The chip's own sum is written as the others are, before all are read.
    int result = steps.copy(adding, sums.sum(chip), chunks.result(rank, 0));
    return steps.after(steps.after(steps.memoryAccess(result, chips + 1, 2), last), summed[chip]);
  }

  private void gather(int own) {
    int chips = placement.chips();
    int perChip = placement.ranksPerChip();
    int last = own;
    for (int turn = 1; turn < chips; turn++) {
      int there = (chip + turn) % chips;
      int peer = placement.rank(there, (turn - 1) % perChip);
      int block = steps.threadBlock(GATHER, peer, NONE);
      steps.after(steps.access(steps.send(block, chunks.output(rank, 0)), MemoryAccess.COPY), own);
    }
    int barrier = steps.threadBlock(GATHER, NONE, NONE);
    int wait = steps.memoryAccess(steps.step(barrier, StepKind.NO_OP, null, null), 0, 0);
    steps.after(wait, last);
    for (int owner : gathered(rank).asList()) {
      if (owner != rank) {
        int block = steps.threadBlock(GATHER, NONE, owner);
        steps.after(wait, steps.memoryAccess(steps.receive(block, chunks.output(owner, 0)), 0, 0));
      }
    }
    new ChipBroadcast(steps, placement, chunks, rank, WITHIN).broadcastAll(this::gathered, wait);
  }

  // The owners of a rank's chunks after the first stage of gathering: itself, and the ranks of every few chips.
  private ImmutableIntArray gathered(int by) {
    int chips = placement.chips();
    int perChip = placement.ranksPerChip();
    ImmutableIntArray.Builder owners = ImmutableIntArray.builder();
    owners.add(by);
    for (int turn = 1; turn < chips; turn++) {
      if ((turn - 1) % perChip == placement.index(by)) {
        int from = Math.floorMod(placement.chip(by) - turn, chips);
        for (int index = 0; index < perChip; index++) {
          owners.add(placement.rank(from, index));
        }
      }
    }
    return owners.build();
  }

  /** All_reduce in one step: every rank writes its whole input to every other, and each adds up all of them. */
  static RankSteps single(int ranks, Layout layout, int rank) {
    RankStepsBuilder steps = new RankStepsBuilder(layout, rank);
    ChunkRange whole = ChunkRange.input(0, 1);
    int adding = steps.threadBlock(0, NONE, NONE);
    int[] before = new int[2 * ranks];
    Arrays.fill(before, NONE);
    for (int turn = 1; turn < ranks; turn++) {
      int to = (rank + turn) % ranks;
      int from = Math.floorMod(rank - turn, ranks);
      int block = steps.threadBlock(0, to, from);
      before[2 * turn] = steps.access(
          steps.send(block, whole), turn % 2 == 1 ? MemoryAccess.COPY : MemoryAccess.DUPLICATE);
      before[2 * turn + 1] = steps.memoryAccess(steps.receive(block, ChunkRange.scratch(turn - 1, 1)), 0, 0);
    }
    int sum = NONE;
    for (int turn = 1; turn < ranks; turn++) {
      sum = steps.memoryAccess(
          turn == 1
              ? steps.step(adding, StepKind.REDUCE, whole, ChunkRange.scratch(0, 1))
              : steps.step(adding, StepKind.REDUCE, ChunkRange.scratch(turn - 1, 1), ChunkRange.scratch(0, 1)),
          0, 0);
      steps.after(sum, before[2 * turn + 1]);
    }
    int result = steps.memoryAccess(steps.copy(adding, ChunkRange.scratch(0, 1), ChunkRange.output(0, 1)), ranks, 1);
    for (int step : before) {
      steps.after(result, step);
    }
    return steps.build();
  }

  /** All_to_all in one step: every rank writes every other its block. */
  static RankSteps allToAll(int ranks, Layout layout, int rank) {
    RankStepsBuilder steps = new RankStepsBuilder(layout, rank);
    steps.memoryAccess(
        steps.copy(steps.threadBlock(0, NONE, NONE), ChunkRange.input(rank, 1), ChunkRange.output(rank, 1)), 1, 1);
    for (int turn = 1; turn < ranks; turn++) {
      int to = (rank + turn) % ranks;
      int from = Math.floorMod(rank - turn, ranks);
      int block = steps.threadBlock(0, to, from);
      steps.access(steps.send(block, ChunkRange.input(to, 1)), MemoryAccess.COPY);
      steps.memoryAccess(steps.receive(block, ChunkRange.output(from, 1)), 0, 0);
    }
    return steps.build();
  }
}
