package dev.heddle.collectives.neuron;

import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.StepKind;
import java.util.Arrays;

/**
 * One rank's steps of KangaRing. Where it is primary it moves two streams round the cycle, of chunks that primaries own and
 * of those that secondaries own. To gather, it reads what it has received once and writes it downstream and to its
 * secondary (1R2W). To reduce, it reads what it has received, its own and its secondary's chunk, and writes their sum
 * downstream (3R1W): the secondary's comes as an operand, which is read there and written nowhere.
 */
final class KangaRingSteps {
  private static final int NONE = RankSteps.NONE;

  private final Chunks chunks;
  private final KangaRing cycles;
  private final Phases phases;
  private final int rank;
  private final RankSteps.Builder steps;
  // The steps by which this rank moves on in the first channel in which it is primary: others keep pace with them.
  private final int[] pace;

  KangaRingSteps(Chunks chunks, KangaRing cycles, Phases phases, int rank) {
    this.chunks = chunks;
    this.cycles = cycles;
    this.phases = phases;
    this.rank = rank;
    steps = new RankSteps.Builder(chunks.layout(), rank);
    pace = new int[cycles.pairs()];
    Arrays.fill(pace, NONE);
  }

  RankSteps steps() {
    for (int channel = 0; channel < cycles.channels(); channel++) {
      int position = cycles.primaries().get(channel).indexOf(rank);
      if (position >= 0) {
        new Primary(channel, position, false).add();
        new Primary(channel, position, true).add();
      }
    }
    for (int channel = 0; channel < cycles.channels(); channel++) {
      int position = cycles.secondaries().get(channel).indexOf(rank);
      if (position >= 0) {
        addSecondary(channel, position, false);
        addSecondary(channel, position, true);
      }
    }
    return steps.build();
  }

  private static int stream(int channel, boolean ofSecondary) {
    return 2 * channel + (ofSecondary ? 1 : 0);
  }

  /** The steps of one stream where the rank is primary. */
  private final class Primary {
    private final int channel;
    private final int position;
    private final boolean ofSecondary;
    private final int ring;
    private final int toSecondary;
    private final int fromSecondary;

    Primary(int channel, int position, boolean ofSecondary) {
      this.channel = channel;
      this.position = position;
      this.ofSecondary = ofSecondary;
      int stream = stream(channel, ofSecondary);
      int secondary = cycles.secondary(channel, position);
      ring = steps.threadBlock(
          stream, cycles.primary(channel, position + 1), cycles.primary(channel, position - 1));
      toSecondary = steps.threadBlock(stream, secondary, NONE);
      fromSecondary = steps.threadBlock(stream, NONE, secondary);
    }

    void add() {
      int own = phases.reduces() ? reduce() : NONE;
      if (phases.gathers()) {
        gather(own);
      }
    }

    private int owner(int at) {
      return cycles.owner(channel, at, ofSecondary);
    }

    private int reduce() {
      int pairs = cycles.pairs();
      for (int step = 0; step < pairs - 1; step++) {
        int owner = owner(position - 1 - step);
        int summed = sumOfPair(owner);
        int moved = step == 0
            ? steps.access(steps.send(ring, chunks.scratch(0, owner, channel)), MemoryAccess.COPY)
            : steps.access(
                steps.step(ring, StepKind.RECEIVE_REDUCE_SEND, chunks.scratch(0, owner, channel), null),
                MemoryAccess.SUM);
        steps.after(moved, summed);
        if (pace[step] == NONE) {
          pace[step] = moved;
        }
      }
      int owner = owner(position);
      int summed = sumOfPair(owner);
      if (!ofSecondary) {
        return steps.after(
            steps.touches(
                steps.step(
                    ring, StepKind.RECEIVE_REDUCE_COPY, chunks.scratch(0, owner, channel),
                    chunks.result(owner, channel)),
                2, 1),
            summed);
      }
      int whole = steps.after(
          steps.touches(
              steps.step(
                  ring, StepKind.RECEIVE_REDUCE_COPY, chunks.scratch(0, owner, channel),
                  chunks.scratch(0, owner, channel)),
              0, 0),
          summed);
      return steps.after(
          steps.access(steps.send(toSecondary, chunks.scratch(0, owner, channel)), MemoryAccess.SUM), whole);
    }

    // The secondary's operand and the rank's own chunk; what is read is counted where the sum is written.
    private int sumOfPair(int owner) {
      int received = steps.touches(steps.receive(fromSecondary, chunks.scratch(0, owner, channel)), 0, 0);
      return steps.after(
          steps.touches(
              steps.step(
                  fromSecondary, StepKind.REDUCE, chunks.input(owner, channel), chunks.scratch(0, owner, channel)),
              0, 0),
          received);
    }

    private void gather(int own) {
      int pairs = cycles.pairs();
      int first = owner(position);
      if (ofSecondary) {
        int received = steps.touches(steps.receive(fromSecondary, chunks.output(first, channel)), 0, 0);
        steps.after(
            steps.access(steps.send(ring, chunks.output(first, channel)), MemoryAccess.DUPLICATE), received);
      } else {
        steps.after(steps.access(steps.send(ring, chunks.output(first, channel)), MemoryAccess.COPY), own);
        steps.after(
            steps.access(steps.send(toSecondary, chunks.output(first, channel)), MemoryAccess.DUPLICATE), own);
      }
      for (int step = 1; step < pairs - 1; step++) {
        int owner = owner(position - step);
        int moved = steps.access(
            steps.step(ring, StepKind.RECEIVE_COPY_SEND, null, chunks.output(owner, channel)), MemoryAccess.COPY);
        steps.after(
            steps.access(steps.send(toSecondary, chunks.output(owner, channel)), MemoryAccess.DUPLICATE), moved);
      }
      int last = owner(position + 1);
      int received = steps.touches(steps.receive(ring, chunks.output(last, channel)), 0, 0);
      steps.after(steps.access(steps.send(toSecondary, chunks.output(last, channel)), MemoryAccess.COPY), received);
    }
  }

  private void addSecondary(int channel, int position, boolean ofSecondary) {
    int primary = cycles.primary(channel, position);
    int stream = stream(channel, ofSecondary);
    int pairs = cycles.pairs();
    int toPrimary = steps.threadBlock(stream, primary, NONE);
    int fromPrimary = steps.threadBlock(stream, NONE, primary);
    int own = NONE;
    if (phases.reduces()) {
      for (int step = 0; step < pairs; step++) {
        int owner = cycles.owner(channel, position - 1 - step, ofSecondary);
        int operand = steps.access(steps.send(toPrimary, chunks.input(owner, channel)), MemoryAccess.OPERAND);
        steps.after(operand, step < 2 ? NONE : pace[step - 2]);
      }
      if (ofSecondary) {
        own = steps.touches(steps.receive(fromPrimary, chunks.result(rank, channel)), 0, 0);
      }
    }
    if (phases.gathers()) {
      if (ofSecondary) {
        steps.after(steps.access(steps.send(toPrimary, chunks.output(rank, channel)), MemoryAccess.COPY), own);
      }
      for (int step = ofSecondary ? 1 : 0; step < pairs; step++) {
        int owner = cycles.owner(channel, position - step, ofSecondary);
        steps.touches(steps.receive(fromPrimary, chunks.output(owner, channel)), 0, 0);
      }
    }
  }
}
