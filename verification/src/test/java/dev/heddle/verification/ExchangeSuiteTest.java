package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.kernel.exchange.ExchangeModel;
import dev.heddle.kernel.exchange.ExchangeModels;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of exchanges among experts against measurements, of their fit, and of malformed tables. */
class ExchangeSuiteTest {
  private static final String NVLINK = """
      system,op,kernel,dtype,tokens,hidden,topk,experts,ep,distribution,ms
      gb300,alltoall_dispatch,NVLinkOneSided,nvfp4,4096,7168,8,256,8,balanced,0.2
      """;

  private static ValidationReport report;

  @BeforeAll
  static void runTheSuite() {
    report = new ExchangeSuite().run(Optional.empty());
  }

  @Test
  void shouldMatchTheSuiteWhenItsPageIsRead() throws IOException {
    ValidationPage.shouldBe("collectives.md", ValidationPage.of(report));
  }

  @Test
  void shouldStayWithinTheBoundsExceptWhereTheBasisSaysSo() {
    assertThat(report.unknownMisses()).isEmpty();
    assertThat(report.tables()).filteredOn(Table::claims).hasSize(4);
  }

  @Test
  void shouldShipTheConstantsOfTheFitOfAllRows() {
    List<ExchangeRow> rows = ExchangeSuite.bundledRows();
    for (ExchangeModels.Entry entry : ExchangeModels.bundled().entries()) {
      ExchangeModel fitted = ExchangeFit.of(entry, ExchangeSuite.fitted(rows, entry.model()));
      fitted.costs().forEach((cost, value) -> assertThat(entry.model().costs().get(cost))
          .as("%s %s %s", entry.model().kernel(), entry.model().step(), cost).isCloseTo(value, within(0.01 * value)));
    }
  }

  @Test
  void shouldCompareTheTablesOfAUserWithTheShippedConstants(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("mine.csv"), NVLINK);
    ValidationReport mine = new ExchangeSuite().run(Optional.of(folder));
    assertThat(mine.tables()).singleElement()
        .satisfies(table -> assertThat(table.name()).isEqualTo("nvlink-one-sided dispatch, gb300, 8 ranks"))
        .satisfies(table -> assertThat(table.rows().get(0).model()).isBetween(150.0, 230.0));
  }

  @Test
  void shouldNameTablesThatItCannotReadAndGoOn(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("another.csv"), "a,b\n1,2\n");
    Files.writeString(folder.resolve("mine.csv"), NVLINK);
    ValidationReport mine = new ExchangeSuite().run(Optional.of(folder));
    assertThat(mine.tables()).hasSize(1);
    assertThat(mine.notes()).singleElement().satisfies(note -> assertThat(note).contains("Refused", "another.csv"));
  }

  @Test
  void shouldNameFileAndLineWhenTableIsMalformed(@TempDir Path folder) throws IOException {
    assertMessage(folder, NVLINK.replace("gb300", "gb30"), "mine.csv:2: system is 'gb30'; it must be one of h100_sxm");
    assertMessage(folder, NVLINK.replace("OneSided", "ThreeSided"), "mine.csv:2: kernel is 'NVLinkThreeSided'");
    assertMessage(folder, NVLINK.replace("alltoall_dispatch", "x"), "mine.csv:2: op is 'x'");
    assertMessage(folder, NVLINK.replace(",8,256", ",512,256"), "mine.csv:2: topk is '512'; it must be at most");
    assertMessage(folder, NVLINK.replace("0.2", "-1"), "mine.csv:2: ms is '-1'");
    assertMessage(folder, NVLINK.replace(",distribution", ",dtype"), "mine.csv:1: two columns have the same name");
    assertMessage(folder, "a,b\n1,2\n", "there is no column 'system'");
    Files.delete(folder.resolve("mine.csv"));
    assertThatThrownBy(() -> new ExchangeSuite().run(Optional.of(folder))).hasMessageContaining("holds no table");
  }

  private static void assertMessage(Path folder, String text, String message) throws IOException {
    Files.writeString(folder.resolve("mine.csv"), text);
    assertThatThrownBy(() -> new ExchangeSuite().run(Optional.of(folder)))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining(message);
  }
}
