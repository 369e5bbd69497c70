package dev.heddle.collectives.neuron;

import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.StepKind;

/**
 * One rank's steps of KangaRing. As a primary, each step moves two chunks along the cycle, one that a primary owns and
 * one that its secondary owns, each as soon as it is complete: a transfer ends with its own semaphore. To gather, it
 * reads a received chunk once and writes it downstream and to its secondary (1R2W). To reduce, it reads the received
 * chunk, its own and its secondary's, and writes their sum downstream (3R1W).
 *
 * <p>One transfer reads all three: a secondary's chunk is not read before the partial sum that it is added to has
 * arrived. The message from the secondary is only a signal where memories are modelled, and the transfer reads once
 * more at the primary instead of at the secondary; roles alternate over cycles, so that every memory is read equally
 * often.
 */
final class KangaRingSteps {
  private static final int NONE = RankSteps.NONE;

  private final Chunks chunks;
  private final KangaRing cycles;
  private final Phases phases;
  private final int rank;
  private final RankStepsBuilder steps;

  KangaRingSteps(Chunks chunks, KangaRing cycles, Phases phases, int rank) {
    this.chunks = chunks;
    this.cycles = cycles;
    this.phases = phases;
    this.rank = rank;
    steps = new RankStepsBuilder(chunks.layout(), rank);
  }

  RankSteps steps() {
    for (int channel = 0; channel < cycles.channels(); channel++) {
      int position = cycles.primaries().get(channel).indexOf(rank);
      if (position >= 0) {
        new Primary(channel, position).add();
      }
    }
    for (int channel = 0; channel < cycles.channels(); channel++) {
      int position = cycles.secondaries().get(channel).indexOf(rank);
      if (position >= 0) {
        addSecondary(channel, position);
      }
    }
    return steps.build();
  }

  /** A primary's steps on one channel. */
  private final class Primary {
    private final int channel;
    private final int position;
    private final int ring;
    private final int toSecondary;
    private final int fromSecondary;

    Primary(int channel, int position) {
      this.channel = channel;
      this.position = position;
      int secondary = cycles.secondary(channel, position);
      ring = steps.threadBlock(
          channel, cycles.primary(channel, position + 1), cycles.primary(channel, position - 1));
      toSecondary = steps.threadBlock(channel, secondary, NONE);
      fromSecondary = steps.threadBlock(channel, NONE, secondary);
    }

    void add() {
      int own = phases.reduces() ? reduce() : NONE;
      if (phases.gathers()) {
        gather(own);
      }
    }

    private int reduce() {
      for (int step = 0; step < cycles.pairs() - 1; step++) {
        for (int owner : cycles.owners(channel, position - 1 - step)) {
          int summed = add(owner, step > 0);
          int sent = steps.access(
              steps.send(ring, sum(owner)), step == 0 ? MemoryAccess.SUM : MemoryAccess.SUM_OF_THREE);
          steps.after(steps.asynchronous(sent), summed);
        }
      }
      int[] owners = cycles.owners(channel, position);
      int own = add(owners[0], true);
      int theirs = add(owners[1], true);
      int result = steps.memoryAccess(steps.copy(ring, sum(owners[0]), chunks.result(owners[0], channel)), 3, 1);
      steps.after(steps.access(steps.send(toSecondary, sum(owners[1])), MemoryAccess.SUM_OF_THREE), theirs);
      return steps.after(result, own);
    }

    private ChunkRange sum(int owner) {
      return chunks.scratch(0, owner, channel);
    }

    // The secondary's operand, the rank's own chunk, and the partial sum from upstream; the reads are counted where the
    // sum is written. Returns the step after which the sum is complete.
    private int add(int owner, boolean partial) {
      steps.memoryAccess(steps.receive(fromSecondary, sum(owner)), 0, 0);
      int added = steps.step(fromSecondary, StepKind.REDUCE, chunks.input(owner, channel), sum(owner));
      steps.memoryAccess(added, 0, 0);
      if (!partial) {
        return added;
      }
      steps.memoryAccess(steps.receive(ring, chunks.scratch(1, owner, channel)), 0, 0);
      int whole = steps.step(ring, StepKind.REDUCE, chunks.scratch(1, owner, channel), sum(owner));
      return steps.after(steps.memoryAccess(whole, 0, 0), added);
    }

    private void gather(int own) {
      int[] pair = cycles.owners(channel, position);
      int first = steps.access(steps.send(ring, chunks.output(pair[0], channel)), MemoryAccess.COPY);
      steps.coalesced(sendToSecondary(pair[0], MemoryAccess.DUPLICATE, steps.after(first, own)));
      int received = steps.memoryAccess(steps.receive(fromSecondary, chunks.output(pair[1], channel)), 0, 0);
      int second = steps.access(steps.send(ring, chunks.output(pair[1], channel)), MemoryAccess.DUPLICATE);
      steps.after(steps.coalesced(second), received);
      for (int step = 1; step < cycles.pairs(); step++) {
        boolean last = step == cycles.pairs() - 1;
        for (int owner : cycles.owners(channel, position - step)) {
          int there = steps.memoryAccess(steps.receive(ring, chunks.output(owner, channel)), 0, 0);
          if (last) {
            steps.asynchronous(sendToSecondary(owner, MemoryAccess.COPY, there));
          } else {
            int moved = steps.access(steps.send(ring, chunks.output(owner, channel)), MemoryAccess.COPY);
            steps.asynchronous(sendToSecondary(owner, MemoryAccess.DUPLICATE, steps.asynchronous(moved)));
          }
        }
      }
    }

    // To the secondary; the read for the next primary belongs to the same transfer.
    private int sendToSecondary(int owner, MemoryAccess access, int after) {
      return steps.after(steps.access(steps.send(toSecondary, chunks.output(owner, channel)), access), after);
    }
  }

  private void addSecondary(int channel, int position) {
    int primary = cycles.primary(channel, position);
    int pairs = cycles.pairs();
    int toPrimary = steps.threadBlock(channel, primary, NONE);
    int fromPrimary = steps.threadBlock(channel, NONE, primary);
    int own = NONE;
    if (phases.reduces()) {
      for (int step = 0; step < pairs; step++) {
        for (int owner : cycles.owners(channel, position - 1 - step)) {
          steps.access(steps.send(toPrimary, chunks.input(owner, channel)), MemoryAccess.NONE);
        }
      }
      own = steps.memoryAccess(steps.receive(fromPrimary, chunks.result(rank, channel)), 0, 0);
    }
    if (phases.gathers()) {
      steps.after(steps.access(steps.send(toPrimary, chunks.output(rank, channel)), MemoryAccess.COPY), own);
      steps.memoryAccess(steps.receive(fromPrimary, chunks.output(primary, channel)), 0, 0);
      for (int step = 1; step < pairs; step++) {
        for (int owner : cycles.owners(channel, position - step)) {
          steps.memoryAccess(steps.receive(fromPrimary, chunks.output(owner, channel)), 0, 0);
        }
      }
    }
  }
}
