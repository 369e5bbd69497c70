package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.registry.Registry;
import dev.heddle.results.ValidationReport;
import dev.heddle.scenario.Scenario;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests of some scenarios of the suite; all of them run when the page is renewed. */
class ToleranceSuiteTest {
  private static final Path PAGE = Path.of("..", "docs", "validation", "tolerance.md");
  private static final int STEP = 5;
  private static final int SCENARIOS = 46;
  private static final String OF_A_ROW = " moved, error stated ";

  /** The suite, which keeps its comparisons. */
  private static final class Kept implements PacketComparison<ToleranceSuite.Comparison> {
    private final ToleranceSuite suite = new ToleranceSuite();
    private final List<ToleranceSuite.Comparison> all = new ArrayList<>();

    @Override
    public String id() {
      return suite.id();
    }

    @Override
    public String description() {
      return suite.description();
    }

    @Override
    public double bound() {
      return suite.bound();
    }

    @Override
    public Map<String, String> changes(ScenarioFile file) {
      return suite.changes(file);
    }

    @Override
    public ToleranceSuite.Comparison compare(ScenarioFile.Point own, Scenario changed) {
      ToleranceSuite.Comparison comparison = suite.compare(own, changed);
      all.add(comparison);
      return comparison;
    }

    @Override
    public String summary(List<ToleranceSuite.Comparison> compared) {
      return suite.summary(compared);
    }
  }

  @Test
  void shouldStayWithinTheStatedErrorsAndStateTheSameRowsAsThePage() throws IOException {
    Kept suite = new Kept();
    ValidationReport some = suite.run(Optional.empty(), STEP);
    assertThat(suite.all).as("time of the run within the stated error")
        .allMatch(ToleranceSuite.Comparison::isWithin);
    assertThat(suite.all.stream().mapToLong(ToleranceSuite.Comparison::moved).sum()).isGreaterThan(100);
    assertThat(some.tables()).allSatisfy(table -> assertThat(table.holds()).as(table.name()).isTrue());
    List<String> page = Files.readString(PAGE).lines().toList();
    assertThat(page).as("rows of %s; -Ddocs.update=true renews it", PAGE).containsAll(
        ValidationPage.of(some).lines().filter(line -> line.startsWith("| ") && line.contains(OF_A_ROW)).toList());
    assertThat(page.stream().filter(line -> line.contains(OF_A_ROW))).hasSize(SCENARIOS);
  }

  @Test
  @EnabledIfSystemProperty(named = "docs.update", matches = "true")
  void shouldMatchTheSuiteWhenItsPageIsRenewed() throws IOException {
    ValidationPage.shouldBe("tolerance.md", ValidationPage.of(new ToleranceSuite().run(Optional.empty())));
  }

  private static ThrowingCallable parsing(String tolerance, String memoization) {
    return () -> {
      try (Registry registry = Registry.discover(ToleranceSuiteTest.class.getClassLoader(), List.of())) {
        new ScenarioReader(registry).parse("job.yaml", """
            name: job
            run: {memoization-tolerance: %s, memoization: %s}
            cluster:
              tiers:
                - name: net
                  terminals: {accelerator: 4}
                  topology: {type: star, link: {type: generic, rate: 400 Gb/s, latency: 300 ns}}
            workload: {type: collective, op: all_reduce, size: 64 KiB}
            collectives: ring
            """.formatted(tolerance, memoization), Map.of());
      }
    };
  }

  @Test
  void shouldNameTheFieldWhenToleranceIsBad() {
    for (String[] bad : new String[][] {{"-1 us", "replay"}, {"2 ms", "replay"}, {"5", "replay"}, {"1 us", "verify"},
        {"1 us", "none"}}) {
      assertThatThrownBy(parsing(bad[0], bad[1])).as(String.join(", ", bad))
          .isInstanceOf(ScenarioException.class).hasMessageContaining("job.yaml")
          .hasMessageContaining("run.memoization-tolerance");
    }
    assertThatCode(parsing("1 ms", "replay")).doesNotThrowAnyException();
  }
}
