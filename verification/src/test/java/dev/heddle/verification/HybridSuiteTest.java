package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.results.ValidationReport;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Tests of some scenarios of the suite; all of them take a minute and run when the page is renewed. */
class HybridSuiteTest {
  private static final Path PAGE = Path.of("..", "docs", "validation", "hybrid.md");
  private static final int STEP = 5;
  private static final int LEAST_SCENARIOS = 80;
  private static final String OF_A_ROW = " of the events; flow ";

  private static ValidationReport report;

  @BeforeAll
  static void runSomeScenarios() {
    report = new HybridSuite().run(Optional.of(Path.of("src/main/resources/dev/heddle/verification/hybrid")), STEP);
  }

  @Test
  void shouldStateTheSameRowsAsThePage() throws IOException {
    String page = Files.readString(PAGE);
    String own = ValidationPage.of(report);
    assertThat(page.lines().toList()).as("rows of %s; -Ddocs.update=true renews it", PAGE)
        .containsAll(own.lines().filter(line -> line.startsWith("| ") && line.contains(OF_A_ROW)).toList());
    assertThat(page.lines().filter(line -> line.contains(OF_A_ROW)).count()).isGreaterThanOrEqualTo(LEAST_SCENARIOS);
  }

  @Test
  @EnabledIfSystemProperty(named = "docs.update", matches = "true")
  void shouldMatchTheSuiteWhenItsPageIsRenewed() throws IOException {
    ValidationReport all = new HybridSuite().run(Optional.empty());
    ValidationPage.shouldBe("hybrid.md", ValidationPage.of(all));
  }

  @Test
  void shouldCompareScenariosOfTheUsersOwn(@TempDir Path folder) throws IOException {
    assertThatThrownBy(() -> new HybridSuite().run(Optional.of(folder), 1))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("holds no scenario");
    Files.writeString(folder.resolve("mine.yaml"), """
        name: mine
        fidelity: {type: hybrid, packets: {tiers: [node]}}
        cluster:
          tiers:
            - {name: node, terminals: {accelerator: 4}, topology: {type: star, link: {type: generic, rate: 100 Gb/s}}}
        workload: {type: collective, op: all_reduce, size: 16 KiB, repeats: 5}
        collectives: ring
        """);
    ValidationReport mine = new HybridSuite().run(Optional.of(folder), 1);
    assertThat(mine.tables().get(0).name()).isEqualTo("mine");
    assertThat(mine.tables().get(0).maxAbsErrorPct()).as("all links are chosen").isZero();
    assertThat(mine.notes().get(0)).contains("median 100 %");
  }
}
