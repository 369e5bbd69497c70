package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of HPL on current clusters against measured runs, and of the suite's reader against malformed tables. */
class HplRunsSuiteTest {
  private static final String TABLE = """
      # name: mine
      # source: my cluster
      # model: network
      # unit: Tflop/s
      label,cluster,nodes,n,nb,p,q,sustained,measured
      all,hgx-h100,1,65536,1024,2,4,80,300
      """;

  private static ValidationReport report;

  @BeforeAll
  static void runTheSuite() {
    report = new HplRunsSuite().run(Optional.empty());
  }

  private static Table table(String name) {
    return report.tables().stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void shouldBeNearMeasuredRunsWhenLayersOrNetworkComeFromTheCluster() {
    assertThat(table("Runs of GPUs, as programs on the network").rows()).hasSize(5);
    assertThat(table("Layers from the links of clusters").rows()).hasSize(7);
    assertThat(report.tables()).filteredOn(each -> !Double.isNaN(each.boundPct())).hasSize(2)
        .allSatisfy(each -> assertThat(each.holds()).as(each.name()).isTrue());
  }

  @Test
  void shouldMatchTheSuiteWhenItsPageIsRead() throws IOException {
    ValidationPage.shouldBe("hpl-runs.md", ValidationPage.of(report));
  }

  @Test
  void shouldReadAFolderOfTheUsersOwn(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("mine.csv"), TABLE);
    ValidationReport mine = new HplRunsSuite().run(Optional.of(folder));
    assertThat(mine.tables()).hasSize(1);
    assertThat(mine.tables().get(0).rows().get(0).model()).isBetween(100.0, 429.0);
    Files.delete(folder.resolve("mine.csv"));
    assertThatThrownBy(() -> new HplRunsSuite().run(Optional.of(folder))).hasMessageContaining("holds no table");
  }

  @Test
  void shouldNameFileAndLineWhenTableIsMalformed(@TempDir Path folder) throws IOException {
    assertMessage(folder, TABLE.replace("65536", "many"), "mine.csv:6: n is 'many'; it must be a positive number");
    assertMessage(folder, TABLE.replace(",300", ""), "mine.csv:6: 8 cells, but 9 columns");
    assertMessage(folder, TABLE.replace(",nb,", ",block,"), "mine.csv:5: the columns must be");
    assertMessage(folder, TABLE.replace("# source", "# from"), "a line '# source: ...' is missing");
    assertMessage(folder, TABLE.replace("2,4,80", "2,8,80"), "P x Q is 2 x 8 = 16, but there are 8 ranks");
    assertMessage(folder, TABLE.replace("all,hgx-h100,1,65536,1024,2,4,80,300\n", ""), "no rows");
    assertMessage(folder, TABLE.replace("Tflop/s", "MW"), "unit 'MW' is none of [Gflop/s, Tflop/s, Pflop/s]");
    assertMessage(folder, TABLE.replace("network", "net"), "model 'net' is none of [network, links]");
  }

  private static void assertMessage(Path folder, String text, String message) throws IOException {
    Files.writeString(folder.resolve("mine.csv"), text);
    assertThatThrownBy(() -> new HplRunsSuite().run(Optional.of(folder)))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining(message);
  }
}
