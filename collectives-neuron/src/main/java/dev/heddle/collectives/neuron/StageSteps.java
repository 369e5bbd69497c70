package dev.heddle.collectives.neuron;

import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Layout;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.StepKind;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One rank's steps of one stage of a collective, whose ranks are some of the collective's, numbered anew. The stages of
 * a collective use separate channels.
 */
final class StageSteps {
  private static final int NONE = RankSteps.NONE;

  private final RankStepsBuilder steps;
  private final int[] ranks;
  private final int firstChannel;

  private StageSteps(RankStepsBuilder steps, int[] ranks, int firstChannel) {
    this.steps = steps;
    this.ranks = ranks;
    this.firstChannel = firstChannel;
  }

  /** A collective of one stage, of all ranks. */
  static StageSteps whole(Layout layout, int rank) {
    return new StageSteps(new RankStepsBuilder(layout, rank), IntStream.range(0, layout.ranks()).toArray(), 0);
  }

  /**
   * Another stage of the same collective.
   *
   * @param others the collective's ranks that take part
   * @param channel the first one that it uses
   */
  StageSteps stage(int[] others, int channel) {
    return new StageSteps(steps, others, channel);
  }

  int threadBlock(int channel, int to, int from) {
    return steps.threadBlock(firstChannel + channel, to == NONE ? NONE : ranks[to], from == NONE ? NONE : ranks[from]);
  }

  int send(int threadBlock, ChunkRange source) {
    return steps.send(threadBlock, source);
  }

  int receive(int threadBlock, ChunkRange target) {
    return steps.receive(threadBlock, target);
  }

  int copy(int threadBlock, ChunkRange source, ChunkRange target) {
    return steps.copy(threadBlock, source, target);
  }

  int step(int threadBlock, StepKind kind, @Nullable ChunkRange source, @Nullable ChunkRange target) {
    return steps.step(threadBlock, kind, source, target);
  }

  int after(int step, int other) {
    return steps.after(step, other);
  }

  int access(int step, MemoryAccess access) {
    return steps.access(step, access);
  }

  int memoryAccess(int step, int reads, int writes) {
    return steps.memoryAccess(step, reads, writes);
  }

  int coalesced(int step) {
    return steps.coalesced(step);
  }

  int asynchronous(int step) {
    return steps.asynchronous(step);
  }

  RankSteps build() {
    return steps.build();
  }
}
