package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.parallel.Accumulation;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GraphScope;
import dev.heddle.workload.megatron.parallel.GroupKind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the times of operations with those of host and accelerator. */
class StageOpsTest {
  private static final String BLOCKING =
      "launch-blocking: true, tensor-overlap: none, reduce-overlap: false, gather-overlap: false";

  private static StageOps ops(String execution) {
    try (Registry registry = Registry.discover(StageOpsTest.class.getClassLoader(), List.of())) {
      Execution read = new ScenarioReader(registry)
          .record(Execution.class, "test", "{host-per-kernel: 10 us, " + execution + "}");
      return new StageOps(kernel -> kernel.bytes() * 1e-12, read);
    }
  }

  private static long ps(StageOps ops) {
    return ops.build().stream().mapToLong(piece -> piece instanceof StageOp.Compute compute ? compute.ps() : 0).sum();
  }

  // Two kernels of 4 us and 30 us; the host takes 10 us to start each.
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"dropout: false | 34000000", BLOCKING + " | 54000000"})
  void shouldAddTheHostsTimeUpWhenItWaitsForEveryKernel(String execution, long expected) {
    assertThat(ps(ops(execution).move("short", 4e6).move("long", 30e6))).isEqualTo(expected);
  }

  @Test
  void shouldWaitForTheHostWhenKernelsAreShorterThanTheirStart() {
    // Launched at 10 and 20 us, the second ends at 21: the device has 4 us before the host is done, and 1 us after.
    assertThat(ops("dropout: false").move("short", 4e6).move("shorter", 1e6).build()).containsExactly(
        new StageOp.Compute(Activity.COMPUTE, 4_000_000), new StageOp.Launch(20_000_000),
        new StageOp.Compute(Activity.COMPUTE, 1_000_000));
  }

  @Test
  void shouldBeginAKernelOnceItIsLaunchedWhenKernelsAreLongerThanTheirStart() {
    // Launched at 10 and 20 us, kernels of 30 and 40 us end at 80: 60 us after the host is done.
    assertThat(ops("dropout: false").move("first", 30e6).move("second", 40e6).build()).containsExactly(
        new StageOp.Compute(Activity.COMPUTE, 10_000_000), new StageOp.Launch(20_000_000),
        new StageOp.Compute(Activity.COMPUTE, 60_000_000));
  }

  @Test
  void shouldLaunchNeighbouringModulesAtOnceWhenAGraphHoldsThem() {
    StageOps ops = ops("graphs: [attn, moe-router]");
    ops.module(GraphScope.ATTN, () -> ops.move("first", 4e6).move("second", 1e6));
    ops.module(GraphScope.MOE_ROUTER, () -> ops.move("third", 2e6));
    ops.module(GraphScope.MOE_PREPROCESS, () -> ops.move("fourth", 3e6));
    // The graph, launched at 10 us, ends at 17; the fourth kernel is launched at 20.
    assertThat(ops.build()).containsExactly(new StageOp.Compute(Activity.COMPUTE, 7_000_000),
        new StageOp.Launch(20_000_000), new StageOp.Compute(Activity.COMPUTE, 3_000_000));
  }

  // An operator, 3.7 us of the host's, starts each copy of 4 us before the graph is launched.
  @Test
  void shouldCopyWhatAGraphReadsBeforeItIsLaunched() {
    StageOps ops = ops("graphs: [attn]").graphCopies(List.of(new Kernel.Memory("copy", 4e6)));
    ops.module(GraphScope.ATTN, () -> ops.move("first", 20e6).move("second", 1e6));
    ops.module(GraphScope.MOE_ROUTER, () -> ops.move("third", 1e6));
    assertThat(ops.build()).containsExactly(new StageOp.Compute(Activity.COMPUTE, 4_000_000 + 10_000_000),
        new StageOp.Launch(23_703_704), new StageOp.Compute(Activity.COMPUTE, 12_000_000));
  }

  // A launch from a loop of C++ takes a third of an operator, which takes 1 / 2.7 of a kernel: 1.2346 us of 10.
  @Test
  void shouldTakeLessOfTheHostWhenALoopLaunches() {
    StageOps ops = ops("dropout: false").move("group", 1e6).launches(27, false).operators(2.7, false);
    assertThat(ops.build()).contains(new StageOp.Launch(10_000_000 + 33_333_333 + 10_000_000));
  }

  @Test
  void shouldHaveTheHostWaitWhereItReadsResultsUnlessItTakesNoTime() {
    assertThat(ops("dropout: false").reach().synchronise().build()).startsWith(
        new StageOp.Reach(), new StageOp.Synchronise());
    assertThat(ops(BLOCKING).reach().synchronise().build()).noneMatch(StageOp.Synchronise.class::isInstance);
  }

  @Test
  void shouldCountTheStartOfCollectivesWhenTheHostWaitsForThem() {
    StageOps ops = ops(BLOCKING).move("short", 4e6)
        .blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_REDUCE, 1 << 20);
    assertThat(ps(ops)).isEqualTo(24_000_000);
  }

  // [DeepSpeed, BF16_Optimizer]: 16 bits converted (2+4), added to 32 bits (4+4+4).
  @ParameterizedTest
  @CsvSource({"PRODUCT, 4, 8, 0", "PRODUCT, 2, 4, 0", "ADDED, 2, 2, 6", "ADDED, 4, 2, 10", "CONVERTED, 4, 2, 18"})
  void shouldMoveEachGradientAsOftenAsTheSoftwareDoes(Accumulation how, int gradient, int product, int added) {
    assertThat(how.productBytes(gradient)).isEqualTo(product);
    assertThat(how.addedBytes(gradient)).isEqualTo(added);
  }

  @Test
  void shouldCollectOnlyProductsOfWeightsWhenOnlyThoseAreWanted() {
    StageOps ops = ops("dropout: false").restrictTo(StageOps.Part.WEIGHTS).move("norm", 50e6)
        .runWeightGradient(new Kernel.Memory("accumulation", 20e6));
    assertThat(ps(ops)).isEqualTo(20_000_000);
  }

  // [torch.distributed.fsdp]: into the flat gradient (2+2), to 32 bits (2+4), divided (4+4).
  @ParameterizedTest
  @CsvSource({"ADDED, 4, 18", "ADDED, 2, 8", "PRODUCT, 4, 0", "CONVERTED, 4, 18"})
  void shouldMoveEachGradientAsOftenAsFsdpDoesBeforeItIsShared(Accumulation how, int gradient, int moved) {
    assertThat(how.shardedBytes(gradient)).isEqualTo(moved);
  }

  // Kernels of 30 us and 40 us lose the units that concurrent collectives occupy, a fifth at most.
  @ParameterizedTest
  @CsvSource({"0, 70000000", "7e-6, 77000000", "14e-6, 84000000", "1, 84000000"})
  void shouldLoseNoMoreToACollectiveThanItsShareOfTheUnits(double lost, long expected) {
    StageOps ops = ops("dropout: false").move("first", 30e6)
        .begin(GroupKind.DATA, CollectiveOp.REDUCE_SCATTER, 1 << 20).addContention(lost, 0.2).move("second", 40e6);
    assertThat(ps(ops)).isEqualTo(expected);
  }
}
