package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of the closed form of Aurora's all_reduce against the document's tables, and of the reader against malformed
 * tables.
 */
class AuroraSuiteTest {
  private static final String TABLE = """
      # name: mine
      # source: my cluster
      # size: 2 GB
      # path: between
      # rates: aurora-rates-rated
      nodes,ranks_per_node,printed_ms,flaw,efficiency_pct,experiment_ms
      2,12,,,,221.8
      """;

  private static ValidationReport report;

  @BeforeAll
  static void runTheSuite() {
    report = new AuroraSuite().run(Optional.empty());
  }

  private static List<Table> tables(String ending) {
    return report.tables().stream().filter(each -> each.name().endsWith(ending)).toList();
  }

  @Test
  void shouldAgreeToThePrintedDigitInAllCellsButThreeWhenTheDocumentIsRead() {
    List<Table> printed = tables("as printed");
    List<Table> exact = printed.stream().filter(each -> each.boundPct() == 0).toList();
    assertThat(exact).hasSize(5).allSatisfy(each -> assertThat(each.holds()).as(each.name()).isTrue());
    assertThat(exact.stream().mapToInt(each -> each.rows().size()).sum()).isEqualTo(26);
    assertThat(tables("print wrongly").stream().flatMap(each -> each.rows().stream()).map(Row::label))
        .containsExactly(
            "16 nodes of 1 rank, truncated", "2 nodes of 2 ranks, truncated", "16 nodes of 12 ranks, mistyped");
  }

  @Test
  void shouldMissFlawedCellsByNoMoreThanTheDigitThatIsWrong() {
    assertThat(tables("print wrongly").stream().flatMap(each -> each.rows().stream()))
        .allSatisfy(row -> assertThat(row.model()).isCloseTo(row.reference(), within(0.15)));
  }

  @Test
  void shouldFindTheDocumentsEfficienciesBetweenNodesOnly() {
    for (Table table : tables("efficiency as printed")) {
      double most = table.name().startsWith("Within") ? 20 : 1.5;
      assertThat(table.maxAbsErrorPct()).as(table.name()).isLessThan(most);
    }
  }

  @Test
  void shouldMatchTheSuiteWhenItsPageIsRead() throws IOException {
    ValidationPage.shouldBe("aurora.md", ValidationPage.of(report));
  }

  @Test
  void shouldReadAFolderOfTheUsersOwn(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("mine.csv"), TABLE);
    ValidationReport mine = new AuroraSuite().run(Optional.of(folder));
    assertThat(mine.tables()).hasSize(1);
    // 2 Z / (0.8 x 8 x 25) / 2 + 2 (Z/2) / (6 x 53), in milliseconds.
    assertThat(mine.tables().get(0).rows().get(0).model()).isCloseTo(12.5 + 2000.0 / 318, within(1e-9));
    assertThat(mine.notes()).isEmpty();
  }

  @Test
  void shouldNameFileAndLineWhenTableIsMalformed(@TempDir Path folder) throws IOException {
    assertMessage(folder, TABLE.replace("2,12", "2,13"), "2 nodes of 13 ranks: 13 ranks do not fit");
    assertMessage(folder, TABLE.replace("2,12", "2,5"), "1, or an even number up to 12, do");
    assertMessage(folder, TABLE.replace("2,12", "1.5,12"), "mine.csv:7: nodes is '1.5'; it must be a whole number");
    assertMessage(folder, TABLE.replace("221.8", "-1"),
        "mine.csv:7: experiment_ms is '-1'; it must be a positive number");
    for (String noDecimal : List.of("221.8d", "0x1p7", "1e", "\u0000221.8")) {
      assertMessage(folder, TABLE.replace(",,,,221.8", "," + noDecimal + ",,,221.8"), "mine.csv:7: printed_ms is '");
    }
    assertMessage(folder, TABLE.replace(",221.8", ""), "mine.csv:7: 5 cells, but 6 columns");
    assertMessage(folder, TABLE.replace("flaw", "fault"), "mine.csv:6: the columns must be");
    assertMessage(folder, TABLE.replace("2 GB", "0 B"), "size is 0 B; it must be at least 1 B");
    assertMessage(folder, TABLE.replace("2 GB", "2"), "mine.csv");
    assertMessage(folder, TABLE.replace("between", "around"), "path 'around' is none of");
    assertMessage(folder, TABLE.replace("# name", "# title"), "a line '# name: ...' is missing");
    assertMessage(folder, TABLE.replace("2,12,,,,221.8\n", ""), "no rows");
    Files.writeString(folder.resolve("mine.csv"), TABLE.replace("rates-rated", "rates-rate"));
    assertThatThrownBy(() -> new AuroraSuite().run(Optional.of(folder)))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("aurora-rates-rate");
    Files.delete(folder.resolve("mine.csv"));
    assertThatThrownBy(() -> new AuroraSuite().run(Optional.of(folder))).hasMessageContaining("holds no table");
  }

  private static void assertMessage(Path folder, String text, String message) throws IOException {
    Files.writeString(folder.resolve("mine.csv"), text);
    assertThatThrownBy(() -> new AuroraSuite().run(Optional.of(folder)))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining(message);
  }
}
