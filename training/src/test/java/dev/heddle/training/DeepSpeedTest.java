package dev.heddle.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.fabric.Fabric;
import dev.heddle.results.Timeline;
import dev.heddle.results.Timeline.Lane;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.workload.megatron.MegatronWorkloadProvider;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Counts of the collectives of DeepSpeed's ZeRO: 8 layers of 12.6 million parameters, 33.8 million outside. */
class DeepSpeedTest {
  private static final Fabric FABRIC = SmallJobs.nodes(4, 4);

  private static List<String> collectives(String sharding, String deepSpeed, String stream) {
    Timeline timeline = new Simulation(
        "test", FABRIC, new MegatronWorkloadProvider().create(SmallJobs.small(
            "sharding: " + sharding, "global: 64", "gradient-bytes: 2", "deepspeed: {" + deepSpeed + "}")),
        SimulationOptions.defaults().trace(List.of(5)), 1).with(RingAlgorithmProvider.single()).at(Fidelity.FLOW).run()
        .timeline();
    List<Lane> lanes = timeline.lanes();
    return timeline.spans().stream().filter(span -> lanes.get(span.lane()).title().equals(stream))
        .map(span -> span.what()).filter(what -> what.contains(" of ")).toList();
  }

  @Test
  void shouldReduceByBucketInEveryMicroBatchWhenGradientsAreShared() {
    // Three layers fill a bucket of 30 million: 3 + 3 + 2, and the parameters outside the layers; four micro-batches.
    List<String> reduced = collectives("gradients", "reduce-bucket-size: 30000000", "gradients");
    assertThat(reduced).hasSize(4 * 4).allMatch(what -> what.startsWith("reduce_scatter"));
  }

  @Test
  void shouldReduceOnceWhenOnlyTheOptimizerIsShared() {
    assertThat(collectives("optimizer", "reduce-bucket-size: 30000000", "gradients")).hasSize(4)
        .allMatch(what -> what.startsWith("all_reduce"));
  }

  @Test
  void shouldGatherInPiecesAfterTheStepWhenGradientsAreShared() {
    // 134.6 million parameters in pieces of 50 million.
    assertThat(collectives("gradients", "allgather-bucket-size: 50000000", "parameters")).hasSize(3)
        .allMatch(what -> what.startsWith("all_gather"));
  }

  @Test
  void shouldGatherInEveryPassAndTheSmallTensorsOnceWhenParametersAreShared() {
    // Per micro-batch the parameters outside the layers and each layer forward, each layer backward; the small tensors
    // at the end.
    String whole = "prefetch-bucket-size: 13000000, max-live-parameters: 100000000, param-persistence-threshold: ";
    assertThat(collectives("parameters", whole + "0", "parameters")).hasSize(4 * (1 + 8 + 8));
    assertThat(collectives("parameters", whole + "5000", "parameters")).hasSize(4 * (1 + 8 + 8) + 1);
  }

  @Test
  void shouldRefuseWhatDeepSpeedDoesNotDo() {
    assertThatThrownBy(() -> SmallJobs.small("pipeline: 2, sharding: gradients", "global: 64", "", "deepspeed: {}"))
        .hasMessageContaining("only without a pipeline");
    assertThatThrownBy(() -> SmallJobs.small("", "global: 64", "", "deepspeed: {}"))
        .hasMessageContaining("parallel.sharding");
  }
}
