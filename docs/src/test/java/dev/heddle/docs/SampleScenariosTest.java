package dev.heddle.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs the scenarios of this folder, which name the plug-ins. */
class SampleScenariosTest {
  static List<Path> scenarios() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("scenarios"))) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void shouldRunToTheEndWhenAScenarioNamesThePlugIn(Path scenario) {
    try (Registry registry = Registry.discover(SampleScenariosTest.class.getClassLoader(), List.of())) {
      Results results = new ScenarioReader(registry).read(scenario, Map.of()).points().get(0).scenario().simulation()
          .run();
      assertThat(results.run().simulatedPs()).isPositive();
      assertThat(results.metric("messages.delivered").orElseThrow().value()).isPositive();
    }
  }
}
