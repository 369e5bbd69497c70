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

/** Tests of some scenarios of the suite; all of them take half a minute and run when the page is renewed. */
class MemoizationSuiteTest {
  private static final Path PAGE = Path.of("..", "docs", "validation", "memoization.md");
  private static final int STEP = 9;
  private static final int LEAST_SCENARIOS = 50;

  private static ValidationReport report;

  @BeforeAll
  static void runSomeScenarios() {
    report = new MemoizationSuite().run(Optional.empty(), STEP);
  }

  @Test
  void shouldTakeTheTimeOfTheFullRunWhenCallsAreReplayed() {
    assertThat(report.tables()).hasSize(5).allSatisfy(table -> {
      assertThat(table.rows()).as(table.name()).isNotEmpty();
      assertThat(table.maxAbsErrorPct()).as(table.name()).isLessThanOrEqualTo(MemoizationSuite.BOUND);
    });
  }

  @Test
  void shouldStateTheSameRowsAsThePage() throws IOException {
    String page = Files.readString(PAGE);
    String own = ValidationPage.of(report);
    assertThat(page.lines().toList()).as("rows of %s; -Ddocs.update=true renews it", PAGE)
        .containsAll(own.lines().filter(line -> line.startsWith("| ") && line.contains(" replayed, ")).toList());
    assertThat(page.lines().filter(line -> line.contains(" replayed, ")).count())
        .isGreaterThanOrEqualTo(LEAST_SCENARIOS);
  }

  @Test
  @EnabledIfSystemProperty(named = "docs.update", matches = "true")
  void shouldMatchTheSuiteWhenItsPageIsRenewed() throws IOException {
    ValidationReport all = new MemoizationSuite().run(Optional.empty());
    ValidationPage.shouldBe("memoization.md", ValidationPage.of(all));
  }

  @Test
  void shouldCompareScenariosOfTheUsersOwn(@TempDir Path folder) throws IOException {
    assertThatThrownBy(() -> new MemoizationSuite().run(Optional.of(folder), 1))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("holds no scenario");
    String scenario = """
        name: mine
        cluster:
          tiers:
            - {name: node, terminals: {accelerator: 4}, topology: {type: star, link: {type: generic, rate: 100 Gb/s}}}
        workload: {type: collective, op: all_reduce, size: 16 KiB, repeats: 5}
        collectives: ring
        """;
    Files.writeString(folder.resolve("mine.yaml"), scenario);
    ValidationReport mine = new MemoizationSuite().run(Optional.of(folder), 1);
    assertThat(mine.tables().get(0).name()).isEqualTo("mine");
    assertThat(mine.notes().get(0)).contains("Calls replayed: 5, from 2 records");
    Files.writeString(folder.resolve("mine.yaml"), scenario + "fidelity: flow\n");
    assertThatThrownBy(() -> new MemoizationSuite().run(Optional.of(folder), 1))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("only runs at packet fidelity");
  }

  /** Switches that add are ranks besides, which begin with the rank that starts them. */
  @Test
  void shouldReplayCallsWhenSwitchesAdd(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("switches.yaml"), """
        name: switches
        cluster:
          tiers:
            - {preset: hgx-h100-node}
            - name: cluster
              size: 2
              topology:
                type: rail-fat-tree
                rails: 8
                nodes-per-leaf: 2
                link: {preset: infiniband-ndr}
                forwarding: {preset: infiniband-switch-ndr}
                reduction: {preset: infiniband-sharp-ndr}
        workload: {type: concurrent, workloads: []}
        collectives: {type: nccl, environment: {NCCL_COLLNET_ENABLE: '1', NCCL_ALGO: NVLS}}
        sweep:
          collectives.environment.NCCL_ALGO: [NVLS, CollnetDirect]
          workload.workloads:
            names: [in nodes, beside messages]
            values:
              - - type: collective
                  op: all_reduce
                  size: 256 KiB
                  repeats: 6
                  groups: [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14, 15]]
              - - type: collective
                  op: all_reduce
                  size: 256 KiB
                  repeats: 12
                  groups: [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14, 15]]
                - {type: traffic, pattern: shift, shift: 2, load: 0.1 %, messages: 3, message-size: 16 KiB}
        """);
    ValidationReport own = new MemoizationSuite().run(Optional.of(folder), 1);
    assertThat(own.notes().get(0))
        .contains("Scenarios: 4, of which 4 have a replayed call and 2 a disturbed one.", "in 4 of 4.");
  }
}
