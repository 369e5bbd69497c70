package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.workload.megatron.job.Training;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TensorGathersTest {
  private static final int HALF = 2;
  private static final long HIDDEN = 1024;
  private static final long HOST_PS = 5_000_000;

  private static Training training(String deepSpeed, String execution) {
    try (Registry registry = Registry.discover(TensorGathersTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).record(Training.class, "test",
          "{model: {name: m, hidden: 1024, layers: 2, heads: 8, vocabulary: 1024, sequence: 128}, "
              + "parallel: {sharding: parameters}, batch: {global: 64}, kernels: {preset: kernels-ampere}, "
              + "execution: {host-per-kernel: 13.5 us" + execution + "}, deepspeed: " + deepSpeed + "}");
    }
  }

  private static List<StageOp> forward(String deepSpeed, int ranks) {
    LayerSizes sizes = LayerSizes.of(training(deepSpeed, ", attention: unfused"));
    TensorGathers gathers = new TensorGathers(sizes, ranks);
    StageOps ops = new StageOps(kernel -> 1, sizes.execution());
    for (String name : List.of("qkv", "projection", "up", "down")) {
      gathers.beforeForward(ops, name, false);
    }
    return ops.build();
  }

  private static List<Long> gathered(List<StageOp> ops) {
    List<Long> bytes = new ArrayList<>();
    for (StageOp op : ops) {
      if (op instanceof StageOp.Begin begin) {
        assertThat(begin.op()).isEqualTo(CollectiveOp.ALL_GATHER);
        bytes.add(begin.bytes());
      }
    }
    return bytes;
  }

  @Test
  void shouldGatherTheNextMatrixWhenOneIsNeeded() {
    assertThat(gathered(forward("{}", 8))).containsExactly(HALF * HIDDEN * HIDDEN, HALF * 4 * HIDDEN * HIDDEN,
        HALF * 4 * HIDDEN * HIDDEN, HALF * 3 * HIDDEN * HIDDEN);
  }

  @Test
  void shouldGatherAMatrixWhenItIsNeededWhereTheOneBeforeFillsTheLimit() {
    assertThat(gathered(forward("{max-live-parameters: 1}", 8))).containsExactly(HALF * 3 * HIDDEN * HIDDEN,
        HALF * HIDDEN * HIDDEN, HALF * 4 * HIDDEN * HIDDEN, HALF * 4 * HIDDEN * HIDDEN);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 8, 64, 1536})
  void shouldHaveTheHostCopyThePartOfEachRankWhenGathering(int ranks) {
    long waits = forward("{}", ranks).stream()
        .mapToLong(op -> op instanceof StageOp.Compute each && each.activity() == Activity.DATA ? each.ps() : 0).sum();
    assertThat(waits).isEqualTo(4L * ranks * HOST_PS);
  }

  @Test
  void shouldReduceEachTensorOfALayerWhenGradientsAreReady() {
    LayerSizes sizes = LayerSizes.of(training("{}", ", attention: unfused"));
    StageOps ops = new StageOps(kernel -> 1, sizes.execution());
    TensorGathers gathers = new TensorGathers(sizes, 8);
    List.of("down", "up", "projection", "qkv").forEach(name -> gathers.reduce(ops, name));
    assertThat(ops.build().stream().filter(StageOp.Begin.class::isInstance)).hasSize(12);
  }

  @Test
  void shouldFollowTheTimeOfTheSoftwareWhenNothingIsSaid() {
    assertThat(training("{}", ", attention: unfused").gathersByTensor()).isTrue();
    assertThat(training("{}", "").gathersByTensor()).isFalse();
    assertThat(training("{gather: coalesced}", ", attention: unfused").gathersByTensor()).isFalse();
    assertThat(training("{gather: by-tensor}", "").gathersByTensor()).isTrue();
  }
}
