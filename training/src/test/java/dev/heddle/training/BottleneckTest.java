package dev.heddle.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.fabric.Fabric;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.program.Iteration;
import dev.heddle.workload.megatron.program.Resource;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks gains of faster resources against sums that hold for any job. */
class BottleneckTest {
  private static final Fabric MACHINE = SmallJobs.nodes(4, 4);
  private static final Offset<Double> ROUNDING = Offset.offset(1e-4);

  private static List<Bottleneck> bottlenecks(Training training, Fabric machine) {
    Iteration iteration = new Iteration(training, machine);
    ProfiledCommTimes times = new ProfiledCommTimes(iteration, machine, SmallJobs.algorithm());
    return Bottleneck.of(RepresentativeRanks.of(iteration, times), machine, times);
  }

  private static double sum(List<Bottleneck> bottlenecks) {
    return bottlenecks.stream().mapToDouble(Bottleneck::gain).sum();
  }

  @Test
  void shouldHalveTheTimeOfOneRankByAllResourcesTogether() {
    List<Bottleneck> bottlenecks =
        bottlenecks(SmallJobs.small("sharding: none", "global: 2", ""), SmallJobs.nodes(1, 1));
    assertThat(bottlenecks).extracting(Bottleneck::resource).contains(Resource.ARITHMETIC, Resource.MEMORY)
        .doesNotContain(Resource.HOST, Resource.TENSOR, Resource.DATA, Resource.MESSAGES);
    assertThat(sum(bottlenecks)).isCloseTo(0.5, ROUNDING);
  }

  @Test
  void shouldHalveTheTimeWithCommunicationThatNothingHides() {
    List<Bottleneck> bottlenecks =
        bottlenecks(SmallJobs.small("tensor: 16, sharding: none", "global: 2", ""), MACHINE);
    assertThat(bottlenecks.get(0).resource()).isEqualTo(Resource.TENSOR);
    assertThat(sum(bottlenecks)).isCloseTo(0.5, ROUNDING);
  }

  @Test
  void shouldHalveTheTimeOfAJobThatWaitsForItsHost() {
    List<Bottleneck> bottlenecks =
        bottlenecks(SmallJobs.small("sharding: none", "global: 1", "host-per-kernel: 10 ms"), SmallJobs.nodes(1, 1));
    assertThat(bottlenecks.get(0).resource()).isEqualTo(Resource.HOST);
    assertThat(bottlenecks.get(0).gain()).isBetween(0.49, 0.5);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "pipeline: 4 | global: 32 | MESSAGES",
      "pipeline: 4, chunks: 2, tensor: 2 | global: 16 | TENSOR",
      "context: 4, context-exchange: a2a | global: 16 | CONTEXT",
      "sharding: parameters | global: 16 | DATA"})
  void shouldGainAtMostHalfAndByEachKindOfCommunication(String parallel, String batch, Resource resource) {
    List<Bottleneck> bottlenecks = bottlenecks(SmallJobs.small(parallel, batch, ""), MACHINE);
    assertThat(bottlenecks).extracting(Bottleneck::resource).contains(resource);
    assertThat(bottlenecks).allSatisfy(each -> assertThat(each.gain()).isBetween(0.0, 0.5));
    assertThat(bottlenecks).isSortedAccordingTo((a, b) -> Double.compare(b.gain(), a.gain()));
  }

  @Test
  void shouldGainByFasterExchangesOfExperts() {
    List<Bottleneck> bottlenecks =
        bottlenecks(SmallJobs.experts("expert: 8, sharding: optimizer", "global: 32", ""), MACHINE);
    assertThat(bottlenecks).extracting(Bottleneck::resource).contains(Resource.EXPERT);
  }
}
