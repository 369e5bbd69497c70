package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.registry.Registry;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the closed forms of HPL against the paper's tables, and of the suite's reader against malformed tables. */
class HplSuiteTest {
  private static final String TABLE = """
      # name: mine
      # source: my cluster
      # model: layered
      # unit: Tflop/s
      label,preset,nodes,devices_per_node,n,published,measured
      all,hpl-selene,,,3382272,,27580
      """;

  private static ValidationReport report;

  @BeforeAll
  static void runTheSuite() {
    report = new HplSuite().run(Optional.empty());
  }

  private static Table table(String name) {
    return report.tables().stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void shouldStayWithinTheBoundsOfThePublishedEstimates() {
    List<Table> published = report.tables().stream()
        .filter(each -> each.name().contains("published estimate and ours") || each.name().contains("root mean square"))
        .toList();
    assertThat(published).hasSize(6);
    assertThat(published).extracting(Table::boundPct).contains(1.0, 1.5, 5.0, 3.0);
    assertThat(published).allSatisfy(each -> assertThat(each.holds()).as(each.name()).isTrue());
  }

  @Test
  void shouldBeNearerToMeasurementsThanThePublishedModelWhenChannelIsShared() {
    Table ours = table("Table 5, P100 cluster with its shared PCIe channel: measured and ours");
    Table theirs = table("Table 5, P100 cluster: measured and published estimate");
    assertThat(ours.boundPct()).isEqualTo(5.5);
    assertThat(ours.holds()).isTrue();
    assertThat(ours.rows()).hasSize(15);
    assertThat(ours.meanAbsErrorPct()).isLessThan(theirs.meanAbsErrorPct());
    assertThat(ours.rows()).filteredOn(row -> List.of("1N4G", "2N8G", "3N12G").contains(row.label().split(",")[0]))
        .hasSize(3).allSatisfy(row -> assertThat(Math.abs(row.errorPct())).isLessThan(13));
  }

  @Test
  void shouldStayWithinTheBoundOfMeasurementsWhenTopologiesBlock() {
    Table blocked = table("Table 2, several layers with the blocking of topologies: measured and ours");
    Table theirs = table("Table 2, several layers: measured and published estimate");
    assertThat(blocked.boundPct()).isEqualTo(7.5);
    assertThat(blocked.rows()).hasSize(8);
    assertThat(blocked.meanAbsErrorPct()).isLessThan(theirs.meanAbsErrorPct());
    ValidationPage.shouldMissKnownBoundsAlone(report);
    assertThat(table("Table 2, several layers: measured and ours").holds()).isFalse();
  }

  @Test
  void shouldFindThePapersOwnDifferencesWhenItsEstimatesAreComparedWithMeasurement() {
    // The averages of [MCL-HPL §4.2, §5.2]: 20.2, 18.6 and 7.5 %.
    assertThat(table("Table 1, original model: measured and published estimate").meanAbsErrorPct()).isBetween(20.1,
        20.3);
    assertThat(table("Table 2, single layer: measured and published estimate").meanAbsErrorPct()).isBetween(18.5, 18.7);
    assertThat(table("Table 2, several layers: measured and published estimate").meanAbsErrorPct()).isBetween(7.4, 7.8);
  }

  @Test
  void shouldMatchTheSuiteWhenItsPageIsRead() throws IOException {
    String page = ValidationPage.of(report).replace(
        "## What the model does",
        "![Gflop/s over N: figures 3, 6 and 7, and a node of H100](hpl-figures.svg)\n\n## What the model does");
    String figures;
    try (Registry registry = Registry.discover(HplSuiteTest.class.getClassLoader(), List.of())) {
      figures = new HplFigures(new ScenarioReader(registry)).svg();
    }
    ValidationPage.shouldBe("hpl.md", page);
    ValidationPage.shouldBe("hpl-figures.svg", figures);
  }

  @Test
  void shouldReadAFolderOfTheUsersOwn(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("mine.csv"), TABLE);
    ValidationReport mine = new HplSuite().run(Optional.of(folder));
    assertThat(mine.tables()).hasSize(1);
    assertThat(mine.tables().get(0).rows().get(0).model()).isBetween(26_000.0, 29_000.0);
    assertThat(mine.notes()).isEmpty();
  }

  @Test
  void shouldNameFileAndLineWhenTableIsMalformed(@TempDir Path folder) throws IOException {
    assertMessage(folder, TABLE.replace("3382272", "-1"), "mine.csv:6: n is '-1'; it must be a positive number");
    assertMessage(folder, TABLE.replace(",27580", ""), "mine.csv:6: 6 cells, but 7 columns");
    assertMessage(folder, TABLE.replace(",n,", ",order,"), "mine.csv:5: the columns must be");
    assertMessage(folder, TABLE.replace("Tflop/s", "MW"), "unit 'MW' is none of [Gflop/s, Tflop/s, Pflop/s]");
    assertMessage(folder, TABLE.replace("layered", "best"), "model 'best' is none of [original, single, layered]");
    assertMessage(folder, TABLE.replace("# name", "# title"), "a line '# name: ...' is missing");
    assertMessage(folder, TABLE.replace("all,hpl-selene,,,3382272,,27580\n", ""), "no rows");
    Files.writeString(folder.resolve("mine.csv"), TABLE.replace("hpl-selene", "hpl-selen"));
    assertThatThrownBy(() -> new HplSuite().run(Optional.of(folder)))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("hpl-selene");
    Files.delete(folder.resolve("mine.csv"));
    assertThatThrownBy(() -> new HplSuite().run(Optional.of(folder))).hasMessageContaining("holds no table");
  }

  private static void assertMessage(Path folder, String text, String message) throws IOException {
    Files.writeString(folder.resolve("mine.csv"), text);
    assertThatThrownBy(() -> new HplSuite().run(Optional.of(folder)))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining(message);
  }
}
