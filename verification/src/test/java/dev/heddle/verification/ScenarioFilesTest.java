package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.registry.Registry;
import dev.heddle.registry.Registry.PresetResource;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that every scenario of the repository can be read, with every point of its sweep. */
class ScenarioFilesTest {
  private static final Path SCENARIOS = Path.of("..", "scenarios");

  private final Registry registry = Registry.discover(ScenarioFilesTest.class.getClassLoader(), List.of());
  private final ScenarioReader reader = new ScenarioReader(registry);

  static List<Path> scenarios() throws IOException {
    try (Stream<Path> files = Files.walk(SCENARIOS)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void shouldBindEveryPointWhenAShippedScenarioIsRead(Path file) {
    assertThat(reader.read(file, Map.of()).points()).isNotEmpty();
  }

  @Test
  void shouldDescribeItselfWhenAPresetIsShipped() {
    assertThat(registry.presets()).isNotEmpty();
    for (PresetResource preset : registry.presets()) {
      assertThat(reader.description(preset)).as(preset.id()).isNotBlank();
    }
  }

  @Test
  void shouldDeliverNearlyAllThatIsOfferedWhenTheFirstScenarioRuns() {
    ScenarioFile file = reader.read(SCENARIOS.resolve("first.yaml"), Map.of());
    Results results = file.points().get(0).scenario().simulation().run();
    double offered = value(results, "intra.offered") + value(results, "inter.offered");
    double delivered = value(results, "intra.throughput") + value(results, "inter.throughput");
    // 32 accelerators at 30 % of 16 GB/s; about 7,600 Poisson arrivals in the measurement window: 3 sigma are 3.5 %.
    assertThat(offered).isBetween(0.965 * 153.6, 1.035 * 153.6);
    assertThat(delivered).isBetween(0.98 * offered, 1.02 * offered);
  }

  private static double value(Results results, String metric) {
    return results.metric(metric).orElseThrow().value();
  }
}
