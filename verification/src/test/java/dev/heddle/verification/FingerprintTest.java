package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Guard against unintended change: the hash of each scenario's deliveries equals the value in {@code fingerprints.csv},
 * for any partition of the fabric. It detects a change of results, not its correctness; the message of a commit that
 * changes a row gives the reason.
 */
class FingerprintTest {
  record Row(String scenario, String fingerprint, long events, boolean seeded) {}

  static List<Row> rows() throws IOException {
    return text("fingerprints.csv").lines().skip(1).map(line -> line.split(","))
        .map(cells -> new Row(cells[0], cells[1], Long.parseLong(cells[2]), Boolean.parseBoolean(cells[3])))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void shouldKeepFingerprintWhenCodeChanges(Row row) throws IOException {
    Results results = run(row.scenario(), Map.of());
    assertThat(new Row(row.scenario(), hex(results), results.run().events(), row.seeded())).isEqualTo(row);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void shouldYieldEqualResultsWhenFabricIsDivided(Row row) throws IOException {
    Results whole = run(row.scenario(), Map.of());
    assertThat(whole.metrics()).isNotEmpty();
    for (int partitions : new int[] {2, 3, 8}) {
      for (int threads : new int[] {1, 2}) {
        Results divided = run(row.scenario(), ImmutableMap.of(
            "run.partitions", Integer.toString(partitions), "run.threads", Integer.toString(threads)));
        assertThat(divided).as("%d partitions on %d threads", partitions, threads).isEqualTo(whole);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void shouldFollowSeedOnlyWhenScenarioDrawsRandomly(Row row) throws IOException {
    Results other = run(row.scenario(), ImmutableMap.of("seed", "12345"));
    assertThat(!hex(other).equals(row.fingerprint())).isEqualTo(row.seeded());
  }

  private static Results run(String scenario, Map<String, String> overrides) throws IOException {
    try (Registry registry = Registry.discover(FingerprintTest.class.getClassLoader(), List.of())) {
      ScenarioFile file = new ScenarioReader(registry).parse(scenario, text(scenario), overrides);
      return file.points().get(0).scenario().simulation().run();
    }
  }

  private static String hex(Results results) {
    return String.format(Locale.ROOT, "%016x", results.run().fingerprint());
  }

  private static String text(String name) throws IOException {
    return Resources.toString(Resources.getResource(FingerprintTest.class, name), StandardCharsets.UTF_8);
  }
}
