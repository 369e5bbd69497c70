package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.results.ValidationReport;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests of the Ultra Ethernet transport against the results published with htsim. */
class NetworksSuiteTest {
  private static ValidationReport report;

  @BeforeAll
  static void runTheSuite() {
    report = new NetworksSuite().run(Optional.empty());
  }

  @Test
  void shouldEndLastFlowsWithinFivePercentInTheMeanAndFifteenInTheWorstRow() {
    assertThat(report.tables()).hasSize(3).allSatisfy(table -> {
      assertThat(table.rows()).as(table.name()).hasSizeGreaterThanOrEqualTo(8);
      assertThat(table.meanAbsErrorPct()).as(table.name()).isLessThanOrEqualTo(5);
      assertThat(table.maxAbsErrorPct()).as(table.name()).isLessThanOrEqualTo(15);
    });
  }

  @Test
  void shouldMatchTheSuiteWhenItsPageIsRead() throws IOException {
    ValidationPage.shouldBe(report.suite() + ".md", ValidationPage.of(report));
  }
}
