package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.registry.Registry;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the perftest suite against the published tables, and of its reader against malformed tables. */
class PerftestSuiteTest {
  private static ValidationReport report;

  @BeforeAll
  static void runTheSuite() {
    report = new PerftestSuite().run(Optional.empty());
  }

  private static Table table(String name) {
    return report.tables().stream().filter(table -> table.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void shouldStayWithinTheBoundsOfThePublishedTables() {
    assertThat(table("CELLIA, ib_write_lat").rows()).hasSize(16);
    assertThat(table("CELLIA, ib_write_lat").meanAbsErrorPct()).isLessThanOrEqualTo(3);
    assertThat(table("CELLIA, ib_write_bw").meanAbsErrorPct()).isLessThanOrEqualTo(4);
    assertThat(report.tables()).hasSizeGreaterThanOrEqualTo(13).allSatisfy(
        table -> {
          assertThat(table.boundPct()).as(table.name()).isLessThanOrEqualTo(6);
          assertThat(table.meanAbsErrorPct()).as(table.name()).isLessThanOrEqualTo(table.boundPct());
        });
  }

  @Test
  void shouldMatchTheSuiteWhenItsPageIsRead() throws IOException {
    ValidationPage.shouldBe(report.suite() + ".md", ValidationPage.of(report));
  }

  @Test
  void shouldStepBetween8And16KiBBecauseOfTheReadWindowAlone() {
    DataFolder folder = DataFolder.bundled("perftest");
    double with = step(folder, Map.of());
    double without = step(folder, Map.of("workload.hca.initial-reads", "64"));
    List<Row> rows = table("CELLIA, ib_write_lat").rows();
    double measured = rows.get(7).reference() - rows.get(6).reference();
    // At the rate of the links 8 KiB take 0.67 us; the rest is the stall.
    assertThat(without).isBetween(0.6, 0.7);
    assertThat(with).isBetween(0.9 * measured, 1.1 * measured);
  }

  private static double step(DataFolder folder, Map<String, String> overrides) {
    try (Registry registry = Registry.discover(PerftestSuite.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      double[] time = new double[2];
      for (int i = 0; i < 2; i++) {
        Map<String, String> all = new java.util.LinkedHashMap<>(overrides);
        all.put("workload.size", (8 << i) + " KiB");
        all.put("workload.iterations", "1");
        time[i] =
            reader.parse("cellia", folder.text("cellia.yaml"), all).points().get(0).scenario().simulation().run()
                .metric("time").orElseThrow().value() / 2;
      }
      return time[1] - time[0];
    }
  }

  @Test
  void shouldReadAFolderOfTheUsersOwn(@TempDir Path folder) throws IOException {
    write(folder, "mine.csv",
        "dataset,tool,size_bytes,metric,value,unit,note\nmy cluster,ib_write_lat,4096,t,2.5,us,\n");
    Files.writeString(
        folder.resolve("systems.yaml"), "systems: [{match: my cluster, machine: machine.yaml, bound: 10}]\n");
    Files.writeString(folder.resolve("machine.yaml"), DataFolder.bundled("perftest").text("cellia.yaml"));
    ValidationReport mine = new PerftestSuite().run(Optional.of(folder));
    assertThat(mine.tables()).hasSize(1);
    assertThat(mine.tables().get(0).rows().get(0).reference()).isEqualTo(2.5);
    assertThat(mine.tables().get(0).rows().get(0).model()).isBetween(2.4, 2.6);
    assertThat(mine.holds()).isTrue();
  }

  @Test
  void shouldNameFileAndLineOfAMalformedTable(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("systems.yaml"), "systems: [{match: x, machine: machine.yaml}]\n");
    write(folder, "bad.csv", "dataset,tool,size_bytes,metric,value,unit,note\nx,ib_write_lat,4096,t,fast,us,\n");
    assertThatThrownBy(() -> new PerftestSuite().run(Optional.of(folder)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("bad.csv:2")
        .hasMessageContaining("'fast'");
    write(folder, "bad.csv", "dataset,tool,bytes,value,unit\nx,ib_write_lat,4096,1,us\n");
    assertThatThrownBy(() -> new PerftestSuite().run(Optional.of(folder)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("no column 'size_bytes'");
    write(folder, "bad.csv", "dataset,tool,size_bytes,metric,value,unit,note\ny,ib_write_lat,4096,t,1,us,\n");
    assertThatThrownBy(() -> new PerftestSuite().run(Optional.of(folder)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("no system matches data set 'y'");
  }

  private static void write(Path folder, String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }
}
