package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.parallel.DeepSpeed;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GroupKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParameterGathersTest {
  private static final int HALF = 2;

  private static final Execution EXECUTION = execution();

  private static Execution execution() {
    try (Registry registry = Registry.discover(ParameterGathersTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).record(Execution.class, "test", "{host-per-kernel: 0 s}");
    }
  }

  private static DeepSpeed deepSpeed(long prefetch, long live) {
    return new DeepSpeed(1, 1, prefetch, live, 0, Optional.empty());
  }

  /** Bytes that have begun when each unit's kernels start, and those that may still be in flight. */
  private static List<long[]> run(List<Long> units, Optional<DeepSpeed> deepSpeed) {
    StageOps ops = new StageOps(kernel -> 1, EXECUTION);
    ParameterGathers gathering = new ParameterGathers(ops, GroupKind.PARAMETERS, units, deepSpeed, Contention.NONE, 2);
    for (int unit = 0; unit < units.size(); unit++) {
      gathering.need(unit);
      ops.run(new Kernel.Memory("unit", 1));
    }
    List<long[]> starts = new ArrayList<>();
    List<Long> begun = new ArrayList<>();
    int leave = 0;
    for (StageOp piece : ops.build()) {
      if (piece instanceof StageOp.Begin begin) {
        begun.add(begin.bytes());
      } else if (piece instanceof StageOp.Join join) {
        leave = join.leave();
      } else {
        long all = begun.stream().mapToLong(Long::longValue).sum();
        long open = begun.subList(begun.size() - leave, begun.size()).stream().mapToLong(Long::longValue).sum();
        starts.add(new long[] {all, open});
      }
    }
    return starts;
  }

  @Test
  void shouldGatherEachUnitWhileTheOneBeforeRunsWhenThereIsNoDeepSpeed() {
    List<long[]> starts = run(List.of(10L, 20L, 30L), Optional.empty());
    assertThat(starts).containsExactly(new long[] {60, 40}, new long[] {120, 60}, new long[] {120, 0});
  }

  @Test
  void shouldPrefetchPartOfAUnitWhenTheBucketIsSmaller() {
    List<long[]> starts = run(List.of(10L, 10L), Optional.of(deepSpeed(4, 100)));
    assertThat(starts).containsExactly(new long[] {28, 8}, new long[] {40, 0});
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void shouldHaveEachUnitInTimeAndNoMoreAheadThanAllowed(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 100; round++) {
      List<Long> units = new ArrayList<>();
      for (int unit = 0; unit <= random.nextInt(8); unit++) {
        units.add((long) random.nextInt(50));
      }
      long prefetch = random.nextInt(120);
      long live = random.nextInt(200);
      List<long[]> starts = run(units, Optional.of(deepSpeed(prefetch, live)));
      long needed = 0;
      for (int unit = 0; unit < units.size(); unit++) {
        needed += units.get(unit);
        long ahead = starts.get(unit)[0] - HALF * needed;
        String what = "seed " + seed + ", round " + round + ", unit " + unit;
        assertThat(starts.get(unit)[0] - starts.get(unit)[1]).as(what).isGreaterThanOrEqualTo(HALF * needed);
        assertThat(ahead).as(what).isLessThanOrEqualTo(
            HALF * Math.max(0, Math.min(prefetch, Math.max(0, live - units.get(unit)))));
      }
      assertThat(starts.get(units.size() - 1)[0]).isEqualTo(HALF * needed);
    }
  }
}
