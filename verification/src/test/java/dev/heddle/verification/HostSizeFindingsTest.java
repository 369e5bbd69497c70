package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Simulation;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.training.ProfiledCommTimes;
import dev.heddle.training.RepresentativeRanks;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.program.Iteration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests of the best tensor parallelism on hosts of 8 to 64 GPUs against [SimAI §5.2, Figure 11], by estimates on the
 * clusters of the shipped scenario.
 */
class HostSizeFindingsTest {
  private static final Path SCENARIO = Path.of("..", "scenarios", "simai", "figure-11.yaml");
  private static final List<Simulation> HOSTS = new ArrayList<>();
  private static ScenarioReader reader;
  private static Registry registry;

  @BeforeAll
  static void read() throws IOException {
    registry = Registry.discover(HostSizeFindingsTest.class.getClassLoader(), List.of());
    reader = new ScenarioReader(registry);
    reader.parse(
        SCENARIO.toString(), Files.readString(SCENARIO),
        Map.of("workload.model", "{preset: gpt3-13b}", "workload.parallel", "{tensor: 4, sequence-parallel: true}"))
        .points().forEach(point -> HOSTS.add(point.scenario().simulation()));
    assertThat(HOSTS).hasSize(4);
  }

  @AfterAll
  static void close() {
    registry.close();
  }

  private static Iteration iteration(int host, String model, int pipeline, int tensor) {
    Training training = reader.record(Training.class, "job", "{model: {preset: " + model + "}, parallel: {tensor: "
        + tensor + ", sequence-parallel: true, pipeline: " + pipeline + "}, batch: {global: 1024}, "
        + "execution: {precision: bf16}, kernels: {preset: kernels-hopper}}");
    return new Iteration(training, HOSTS.get(host).fabric());
  }

  private static double seconds(int host, String model, int pipeline, int tensor) {
    Iteration iteration = iteration(host, model, pipeline, tensor);
    return RepresentativeRanks.of(
        iteration, new ProfiledCommTimes(iteration, HOSTS.get(host).fabric(), HOSTS.get(host).collectives())).seconds();
  }

  // The best width that fits in memory on hosts of 8 GPUs; half of it does not fit, twice the width is slower.
  @ParameterizedTest
  @CsvSource({"gpt3-13b, 1, 4", "llama-65b, 2, 8", "gpt3-175b, 8, 8"})
  void shouldBeBestWithTheLeastThatFits(String model, int pipeline, int best) {
    assertThatThrownBy(() -> iteration(0, model, pipeline, best / 2))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("does not fit");
    assertThat(seconds(0, model, pipeline, best)).isLessThan(seconds(0, model, pipeline, 2 * best));
  }

  // Larger hosts are covered by the scenario alone.
  @Test
  void shouldGainFromLargerHosts() {
    assertThat(seconds(1, "gpt3-175b", 8, 8)).isLessThan(seconds(0, "gpt3-175b", 8, 8));
  }

  @Test
  void shouldLoseWithMoreTensorParallelismOnLargerHosts() {
    assertThat(seconds(1, "gpt3-175b", 8, 16)).isGreaterThan(seconds(1, "gpt3-175b", 8, 8));
  }
}
