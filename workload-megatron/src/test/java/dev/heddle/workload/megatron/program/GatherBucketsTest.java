package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.Jobs;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Gathers of parameters that the optimizer divides, by stage and model chunk, and where an iteration has none. */
class GatherBucketsTest {
  private static final int RANKS = 8;

  private static StagePlan plan(int stage, String execution) {
    Training job = Jobs.small("pipeline: 2, chunks: 2, sharding: optimizer", "global: 16", execution);
    return new StagePlanner(job, new RankGrid(job.parallel(), RANKS, 1), kernel -> 0, Contention.NONE, RANKS,
        new HostWork(0, HostCopies.NONE)).plan(stage);
  }

  private static List<Long> gathers(Stream<StageOp> pass) {
    return pass.filter(StageOp.Begin.class::isInstance).map(StageOp.Begin.class::cast)
        .filter(each -> each.op() == CollectiveOp.ALL_GATHER && each.group() == GroupKind.PARAMETERS)
        .map(StageOp.Begin::bytes).toList();
  }

  private static List<Long> first(int stage, int chunk) {
    return gathers(plan(stage, "gather-aligned: false").forward().special().get(chunk).stream());
  }

  // Two layers a chunk: the first chunk of the first stage has the embedding and each layer, any other has one bucket.
  @Test
  void shouldHaveBucketsOnTheFirstChunkOfTheFirstStageAlone() {
    assertThat(first(0, 0)).hasSize(3);
    assertThat(first(0, 1)).hasSize(1);
    assertThat(first(1, 0)).hasSize(1).isEqualTo(first(0, 1));
    assertThat(first(0, 0).subList(1, 3).stream().mapToLong(i -> i).sum()).isEqualTo(first(0, 1).get(0));
  }

  @Test
  void shouldGatherNothingWhereAnEvaluationDoes() {
    for (String overlap : List.of("", ", gather-overlap: false", ", gather-aligned: false")) {
      StagePlan plan = plan(1, "gather-in-iteration: false" + overlap);
      Stream<StageOp> all = Stream.concat(Stream.concat(plan.forward().special().stream().flatMap(List::stream),
          plan.launches().values().stream().flatMap(List::stream)), plan.end().stream());
      assertThat(gathers(all)).isEmpty();
    }
    assertThat(gathers(plan(1, "gather-overlap: false").end().stream())).isNotEmpty();
  }
}
