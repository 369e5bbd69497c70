package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.Jobs;
import dev.heddle.workload.megatron.job.LayerShare;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Places in a stage's order at which the gradients of its chunks are scaled and reduced, and their sizes. */
class AlignedReductionsTest {
  private static final int RANKS = 8;
  private static final int STAGES = 4;
  private static final int CHUNKS = 2;
  private static final int MICROS = 8;
  private static final String REDUCE = "gather-overlap: false, gradient-bytes: 4, bucket-parameters: 1000000000";

  private static Training job(int chunks, String execution) {
    return Jobs.small("pipeline: 4, chunks: " + chunks + ", sharding: optimizer", "global: 16", execution);
  }

  // Each kernel of a scaling takes 1 s, all others none.
  private static StagePlan plan(Training job, int stage) {
    return new StagePlanner(job, new RankGrid(job.parallel(), RANKS, 1),
        kernel -> kernel.name().equals("gradient-scale") ? 1 : 0, Contention.NONE,
        RANKS, new HostWork(0, HostCopies.NONE)).plan(stage);
  }

  private static Stream<StageOp.Begin> reductions(List<StageOp> ops) {
    return ops.stream().filter(StageOp.Begin.class::isInstance).map(StageOp.Begin.class::cast)
        .filter(each -> each.op() == CollectiveOp.REDUCE_SCATTER && each.group() == GroupKind.DATA);
  }

  private static long scaledSeconds(List<StageOp> ops) {
    return ops.stream().mapToLong(op -> op instanceof StageOp.Compute each ? each.ps() / 1_000_000_000_000L : 0).sum();
  }

  // A backward pass of a stage ends as many passes after the last stage's as stages lie between them.
  @Test
  void shouldBeginChunksOfAllStagesAtOneTime() {
    Training job = job(CHUNKS, REDUCE);
    TreeSet<Integer> times = new TreeSet<>();
    for (int stage = 0; stage < STAGES; stage++) {
      StagePlan plan = plan(job, stage);
      for (int place : plan.launches().keySet()) {
        long backward = IntStream.range(0, place)
            .filter(each -> PipelineSlots.kind(plan.slots()[each]) == PipelineSlots.BACKWARD).count();
        if (place < plan.slots().length) {
          times.add(Math.toIntExact(backward + STAGES - 1 - stage));
        }
      }
    }
    // The last micro-batch of the last chunk is the 12th of 16 passes, the first stage's the 15th.
    assertThat(times).containsExactly(MICROS * CHUNKS - STAGES + STAGES - 1);
  }

  // The first stage's embedding is a bucket of its own.
  @Test
  void shouldScaleOnceForEachChunkAndNotWithinPasses() {
    Training job = job(CHUNKS, REDUCE);
    for (int stage = 0; stage < STAGES; stage++) {
      StagePlan plan = plan(job, stage);
      assertThat(plan.launches().values().stream().mapToLong(AlignedReductionsTest::scaledSeconds).sum())
          .isEqualTo(stage == 0 ? CHUNKS + 1 : CHUNKS);
      assertThat(plan.backward().special()).allSatisfy(pass -> assertThat(scaledSeconds(pass)).isZero());
      assertThat(scaledSeconds(plan.end())).isZero();
    }
    StagePlan own = plan(job(CHUNKS, REDUCE + ", reduce-aligned: false"), 1);
    assertThat(own.launches()).isEmpty();
    assertThat(own.backward().special()).allSatisfy(pass -> assertThat(scaledSeconds(pass)).isPositive());
  }

  @Test
  void shouldReduceWhatTheStageTrains() {
    Training job = job(CHUNKS, REDUCE);
    for (int stage = 0; stage < STAGES; stage++) {
      long bytes = plan(job, stage).launches().values().stream().flatMap(AlignedReductionsTest::reductions)
          .mapToLong(StageOp.Begin::bytes).sum();
      assertThat(bytes).isEqualTo(4 * new LayerShare(job).trained(stage));
    }
  }

  // Without chunks a later stage waits for the end of its passes, and the first reduces within its last one.
  @Test
  void shouldReduceWithinTheLastPassOfTheFirstStageAloneWithoutChunks() {
    Training job = job(1, REDUCE);
    StagePlan first = plan(job, 0);
    assertThat(first.launches()).isEmpty();
    assertThat(reductions(first.backward().special().get(0))).isNotEmpty();
    for (int stage = 1; stage < STAGES; stage++) {
      StagePlan later = plan(job, stage);
      assertThat(later.launches()).containsOnlyKeys(later.slots().length);
      assertThat(reductions(later.backward().special().get(0))).isEmpty();
    }
  }
}
