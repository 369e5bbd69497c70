package dev.heddle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Every benchmark runs once on the class path that the module builds; its time is not looked at. */
class BenchmarksTest {
  @BeforeAll
  static void allowOtherRuns() {
    System.setProperty("jmh.ignoreLock", "true");
  }

  @ParameterizedTest
  @ValueSource(classes = {
      EventQueueBenchmark.class, FlowNetworkBenchmark.class, HplModelBenchmark.class, KernelLookupBenchmark.class,
      NcclPlannerBenchmark.class, PacketNetworkBenchmark.class})
  void shouldRunEveryBenchmarkOnceWhenItIsStarted(Class<?> benchmark) throws RunnerException {
    Options once = new OptionsBuilder().include("\\." + benchmark.getSimpleName() + "\\.")
        .param("pending", "1000").mode(Mode.SingleShotTime).forks(0).warmupIterations(0).measurementIterations(1)
        .measurementBatchSize(1)
        .shouldFailOnError(true).verbosity(VerboseMode.SILENT).build();
    assertThat(new Runner(once).run()).isNotEmpty();
  }
}
