package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of MI250X and Slingshot against OSU's benchmarks on LUMI, and of the suite's reader against malformed tables.
 */
class LumiSuiteTest {
  private static final String TABLE = """
      # name: mine
      # source: my cluster
      # cluster: frontier
      # unit: GB/s
      # bound: 5
      label,op,groups,bytes,measured
      a pair,broadcast,0 8|1 9,1048576,12
      """;

  private static ValidationReport report;

  @BeforeAll
  static void runTheSuite() {
    report = new LumiSuite().run(Optional.empty());
  }

  @Test
  void shouldStayWithinTheBoundsOfRates() {
    assertThat(report.tables()).filteredOn(table -> !Double.isNaN(table.boundPct())).hasSize(4)
        .allSatisfy(table -> assertThat(table.holds()).as(table.name()).isTrue());
    assertThat(report.tables()).filteredOn(table -> table.unit().equals("us"))
        .extracting(Table::boundPct).containsOnly(Double.NaN);
  }

  @Test
  void shouldMatchTheSuiteWhenItsPageIsRead() throws IOException {
    ValidationPage.shouldBe("lumi.md", ValidationPage.of(report));
  }

  @Test
  void shouldReadAFolderOfTheUsersOwn(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("mine.csv"), TABLE);
    ValidationReport mine = new LumiSuite().run(Optional.of(folder));
    assertThat(mine.tables()).hasSize(1);
    assertThat(mine.tables().get(0).rows().get(0).model()).as("two dies on one NIC").isBetween(11.0, 12.1);
    assertThat(mine.notes()).isEmpty();
  }

  @Test
  void shouldNameFileAndLineWhenTableIsMalformed(@TempDir Path folder) throws IOException {
    assertMessage(folder, TABLE.replace("broadcast", "broadcst"), "mine.csv:7: op 'broadcst' is none of all_reduce, ");
    assertMessage(folder, TABLE.replace("broadcast", "broadcst"), "did you mean 'broadcast'?");
    assertMessage(folder, TABLE.replace("0 8", "0 x"), "mine.csv:7: a member is 'x'");
    assertMessage(folder, TABLE.replace("0 8", "0 80"), "a pair: group 0 has the rank 80; ranks are 0 to 15");
    assertMessage(folder, TABLE.replace("1048576", "0"), "mine.csv:7: bytes is '0'; it must be a positive number");
    assertMessage(folder, TABLE.replace("1048576", "9223372036854775808"), "mine.csv:7: bytes are '92233720368547");
    assertMessage(folder, TABLE.replace(",12", ",1e-308"), "mine.csv:7: measured is '1e-308'; it must be from");
    assertMessage(folder, TABLE.replace(",12", ""), "mine.csv:7: 4 cells, but 5 columns");
    assertMessage(folder, TABLE.replace("label", "name"), "mine.csv:6: the columns must be");
    assertMessage(folder, TABLE.replace("GB/s", "Gb/s"), "unit 'Gb/s' is none of [us, GB/s]");
    assertMessage(folder, TABLE.replace("bound: 5", "bound: few"), "bound is 'few'");
    assertMessage(folder, TABLE.replace("# name", "# title"), "a line '# name: ...' is missing");
    assertMessage(folder, TABLE.replace("a pair,broadcast,0 8|1 9,1048576,12\n", ""), "no rows");
    Files.writeString(folder.resolve("mine.csv"), TABLE.replace("frontier", "frontie"));
    assertThatThrownBy(() -> new LumiSuite().run(Optional.of(folder)))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("frontie");
    Files.delete(folder.resolve("mine.csv"));
    assertThatThrownBy(() -> new LumiSuite().run(Optional.of(folder))).hasMessageContaining("holds no table");
  }

  private static void assertMessage(Path folder, String text, String message) throws IOException {
    Files.writeString(folder.resolve("mine.csv"), text);
    assertThatThrownBy(() -> new LumiSuite().run(Optional.of(folder)))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining(message);
  }
}
