package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.results.ValidationReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests of some scenarios of the suite; all of them take half a minute and run when the page is renewed. */
class SamplingSuiteTest {
  private static final Path PAGE = Path.of("..", "docs", "validation", "sampling.md");
  private static final int STEP = 7;
  private static final int SCENARIOS = 26;
  private static final String OF_A_ROW = " skipped, standard error ";

  @Test
  void shouldStateTheSameRowsAsThePage() throws IOException {
    ValidationReport some =
        new SamplingSuite().run(Optional.of(Path.of("src/main/resources/dev/heddle/verification/sampling")), STEP);
    List<String> page = Files.readString(PAGE).lines().toList();
    assertThat(page).as("rows of %s; -Ddocs.update=true renews it", PAGE).containsAll(
        ValidationPage.of(some).lines().filter(line -> line.startsWith("| ") && line.contains(OF_A_ROW)).toList());
    assertThat(page.stream().filter(line -> line.contains(OF_A_ROW))).hasSize(SCENARIOS);
    assertThat(some.tables()).allSatisfy(table -> assertThat(table.holds()).as(table.name()).isTrue());
  }

  @Test
  @EnabledIfSystemProperty(named = "docs.update", matches = "true")
  void shouldMatchTheSuiteWhenItsPageIsRenewed() throws IOException {
    ValidationPage.shouldBe("sampling.md", ValidationPage.of(new SamplingSuite().run(Optional.empty())));
  }
}
