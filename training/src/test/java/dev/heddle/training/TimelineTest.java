package dev.heddle.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.fabric.Fabric;
import dev.heddle.results.Results;
import dev.heddle.results.Timeline;
import dev.heddle.results.Timeline.Lane;
import dev.heddle.results.Timeline.Span;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.workload.megatron.MegatronWorkloadProvider;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.program.Activity;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** Compares the recorded timelines of ranks with the metrics of the run. */
class TimelineTest {
  private static final Fabric FABRIC = SmallJobs.nodes(4, 4);

  private static Results run(Training training, SimulationOptions options) {
    return new Simulation("test", FABRIC, new MegatronWorkloadProvider().create(training), options, 1)
        .with(RingAlgorithmProvider.single())
        .at(Fidelity.FLOW).run();
  }

  private static Results traced(String parallel, String execution, List<Integer> ranks) {
    return run(SmallJobs.small(parallel, "global: 16", execution), SimulationOptions.defaults().trace(ranks));
  }

  private static List<Span> spans(Timeline timeline, int rank, int stream) {
    return timeline.spans().stream()
        .filter(span -> timeline.lanes().get(span.lane()).rank() == rank
            && timeline.lanes().get(span.lane()).stream() == stream)
        .toList();
  }

  @Test
  void shouldAddUpToTheActivitiesOfTheRunWhenAllRanksAreKept() {
    Results results = traced("tensor: 2, pipeline: 4", "", IntStream.range(0, 16).boxed().toList());
    for (Activity activity : Activity.values()) {
      double kept = results.timeline().spans().stream().filter(span -> span.activity().equals(activity.title()))
          .mapToLong(span -> span.endPs() - span.startPs()).sum();
      double said = results.metric("activity." + activity.id()).orElseThrow().value();
      assertThat(kept / 16 / 1e6).as(activity.id()).isCloseTo(said, Percentage.withPercentage(1e-6));
    }
  }

  @Test
  void shouldDoOneThingAfterTheOtherInEveryStream() {
    Results results = traced("pipeline: 4", "", List.of(0, 15));
    Timeline timeline = results.timeline();
    assertThat(timeline.lanes()).extracting(Lane::rank).containsOnly(0, 15);
    for (Lane lane : timeline.lanes()) {
      long before = 0;
      for (Span span : spans(timeline, lane.rank(), lane.stream())) {
        assertThat(span.startPs()).isGreaterThanOrEqualTo(before);
        assertThat(span.endPs()).isGreaterThan(span.startPs()).isLessThanOrEqualTo(results.run().simulatedPs());
        before = span.endPs();
      }
    }
  }

  @Test
  void shouldNameThePassesInThePipelinesOrder() {
    Timeline timeline = traced("pipeline: 4", "", List.of(12)).timeline();
    // The last stage has one forward pass in flight: forward and backward of each of its 4 micro-batches, in turn.
    List<String> passes = spans(timeline, 12, 0).stream().filter(span -> !span.pass().isEmpty())
        .map(span -> span.pass() + " " + span.label()).distinct().toList();
    assertThat(passes).containsExactly(
        "Forward 0", "Backward 0", "Forward 1", "Backward 1", "Forward 2", "Backward 2", "Forward 3", "Backward 3",
        "Update ");
  }

  @Test
  void shouldChangeNothingWhenTimeIsKept() {
    Training training = SmallJobs.small("tensor: 2, pipeline: 2", "global: 16", "");
    Results without = run(training, SimulationOptions.defaults());
    Results with = run(training, SimulationOptions.defaults().trace(List.of(3)));
    assertThat(without.timeline()).isEqualTo(Timeline.NONE);
    assertThat(with.run().fingerprint()).isEqualTo(without.run().fingerprint());
    assertThat(with.metrics()).isEqualTo(without.metrics());
  }

  @Test
  void shouldRefuseARankThatIsNotOfTheRun() {
    assertThatThrownBy(() -> traced("tensor: 2", "", List.of(16))).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("rank 16 is not of the run's 16 ranks");
  }
}
