package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.results.Results.LinkUsage;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.LinkMap;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests of a few sizes of the suite; all sizes take minutes and run when the page is renewed. */
class NeuronSuiteTest {
  private static final Path PAGE = Path.of("..", "docs", "validation", "neuron.md");
  private static final List<Long> SIZES = List.of(1L << 10, 1L << 18, 1L << 22, 1L << 27);

  private static ValidationReport report;

  @BeforeAll
  static void runAFewSizes() {
    report = NeuronSuite.run(SIZES, 128L << 20, false);
  }

  private static Table table(String name) {
    return report.tables().stream().filter(table -> table.name().startsWith(name)).findFirst().orElseThrow();
  }

  @Test
  void shouldHaveTheAlgorithmAheadThatTheDocumentNamesAtSizesWithinTheRanges() {
    assertThat(table("Sizes at which the algorithm is best").rows())
        .allSatisfy(row -> assertThat(row.model()).as(row.label()).isEqualTo(row.reference()))
        .extracting(Row::reference).contains(6.0, 3.0);
  }

  @Test
  void shouldHaveKangaRingAheadOfRingAtAllSizes() {
    assertThat(table("Sizes at which KangaRing is ahead").holds()).isTrue();
    assertThat(table("Sizes at which KangaRing is ahead").rows()).hasSize(6)
        .allSatisfy(row -> assertThat(row.reference()).isEqualTo(SIZES.size()));
  }

  @Test
  void shouldCountAccessesAndTimeHopsAsStated() {
    assertThat(table("Accesses of HBM").rows()).hasSize(8);
    assertThat(table("Accesses of HBM").maxAbsErrorPct()).isLessThan(4);
    assertThat(table("Time of a hop").rows()).hasSize(4)
        .allSatisfy(row -> assertThat(row.model()).as(row.label()).isBetween(1.0, 2.0));
  }

  @Test
  void shouldShowOverSubscriptionPartialAndFullUseOfLinks() {
    assertThat(share("kangaring", "is in use")).isGreaterThan(0.75);
    assertThat(share("rdh", "is in use")).isBetween(0.6, share("kangaring", "is in use"));
    assertThat(share("mesh", "is in use")).isLessThan(0.4);
    for (String contended : List.of("mesh", "rdh")) {
      assertThat(share(contended, "waits for room behind it")).as(contended)
          .isBetween(2 * share("kangaring", "waits for room behind it"), 0.25);
    }
    assertThat(table("What an all_gather of 128 MiB").rows())
        .filteredOn(row -> row.label().equals("mesh")).extracting(Row::model)
        .allSatisfy(share -> assertThat(share).isGreaterThan(200.0));
  }

  private static double share(String algorithm, String what) {
    LinkMap map = report.maps().stream()
        .filter(drawn -> drawn.title().contains("by " + algorithm + ",") && drawn.title().endsWith(what))
        .findFirst().orElseThrow();
    assertThat(map.links()).as("directed links between chips").hasSize(64);
    return map.links().stream().mapToDouble(LinkUsage::utilization).average().orElseThrow();
  }

  @Test
  void shouldHaveBordersOnThePageWithinTheFactorThatIsClaimed() throws IOException {
    for (String border : List.of("rdh is ahead of mesh", "kangaring is ahead of rdh")) {
      for (String way : List.of("", " by a line through its lead")) {
        List<String[]> rows = rows("## Size from which " + border + way);
        assertThat(rows).as(border + way).hasSize(6);
        assertThat(rows).allSatisfy(row -> assertThat(factor(row)).as(border + way + ", " + row[1]).isLessThan(1.5));
      }
    }
  }

  // The cells of a table on the page, by its heading.
  private static List<String[]> rows(String heading) throws IOException {
    return Files.readAllLines(PAGE).stream().dropWhile(line -> !line.equals(heading)).skip(1)
        .takeWhile(line -> !line.startsWith("#"))
        .filter(line -> line.startsWith("| all_") || line.startsWith("| reduce_"))
        .map(line -> line.split("[|]")).toList();
  }

  private static double factor(String[] row) {
    double ratio = Double.parseDouble(row[3].trim()) / Double.parseDouble(row[2].trim());
    return Math.max(ratio, 1 / ratio);
  }

  @Test
  void shouldTakeNoDataOfTheUsers() {
    assertThatThrownBy(() -> new NeuronSuite().run(Optional.of(Path.of("."))))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("no --data");
  }

  @Test
  void shouldFindNotesAndTablesOnThePage() throws IOException {
    String page = Files.readString(PAGE);
    report.notes().forEach(note -> assertThat(page).contains(note));
    assertThat(page).contains("neuron-r16-1i-allreduce-algos", "neuron-r2-1i-allreduce", "neuron-r32-1i-allgather",
        "neuron-r64-2i-allreduce");
    // The counts and the time of a hop are independent of the sizes of the run.
    String counted = ValidationPage.of(new ValidationReport("neuron", List.of(table("Accesses of HBM")), List.of()));
    assertThat(page).contains(counted.substring(counted.indexOf("\n## Accesses")));
  }

  @Test
  @EnabledIfSystemProperty(named = "docs.update", matches = "true")
  void shouldRenewThePageWhenAsked() throws IOException {
    ValidationReport whole = new NeuronSuite().run(Optional.empty());
    Files.writeString(PAGE, ValidationPage.of(whole));
    assertThat(Files.readString(PAGE)).contains("28");
  }
}
