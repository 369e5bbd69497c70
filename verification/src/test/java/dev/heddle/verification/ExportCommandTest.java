package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.heddle.cli.export.ExportCommands;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests that an exported training job takes the same time when it is read again. */
class ExportCommandTest {
  @RegisterExtension
  static final InstalledCommands COMMANDS = new InstalledCommands(new ExportCommands());
  private static final Path JOB = Path.of("..", "scenarios", "mpt-1b.yaml");

  @TempDir
  private Path folder;

  private static Results run(Path scenario) {
    return new ScenarioReader(COMMANDS.registry()).read(scenario, Map.of()).points().get(0).scenario().simulation()
        .run();
  }

  // The scenario of the job with the workload that the command printed.
  private Path imported(Path scenario) throws IOException {
    String printed = COMMANDS.out().toString();
    String job = Files.readString(scenario);
    return Files.writeString(folder.resolve("imported.yaml"),
        job.substring(0, job.indexOf("workload:")) + printed.substring(printed.indexOf("workload:")));
  }

  private int export(Path scenario, String format) {
    return COMMANDS.run(
        "export", scenario.toString(), "--format", format, "--out", folder.toAbsolutePath().toString());
  }

  @Test
  void shouldTakeEquallyLongWhenExportedAsChakraAndReadAgain() throws IOException {
    assertThat(export(JOB, "chakra")).as(COMMANDS.failure()).isZero();
    assertThat(run(imported(JOB)).run().simulatedPs()).isEqualTo(run(JOB).run().simulatedPs());
  }

  // The collectives are messages instead of coupled flows, which differs where two of them contend for a port.
  @Test
  void shouldTakeAlmostAsLongWhenExportedAsGoalAndReadAgain() throws IOException {
    assertThat(export(JOB, "goal")).as(COMMANDS.failure()).isZero();
    assertThat((double) run(imported(JOB)).run().simulatedPs())
        .isCloseTo(run(JOB).run().simulatedPs(), withinPercentage(2));
  }

  @Test
  void shouldTakeEquallyLongWhenExportedAsGoalAndCollectivesDoNotMeet() throws IOException {
    Path apart = Files.writeString(folder.resolve("apart.yaml"),
        Files.readString(JOB).replace("recompute: none", "recompute: none, reduce-overlap: false"));
    assertThat(export(apart, "goal")).as(COMMANDS.failure()).isZero();
    assertThat((double) run(imported(apart)).run().simulatedPs())
        .isCloseTo(run(apart).run().simulatedPs(), withinPercentage(0.01));
  }

  @Test
  void shouldSayWhatIsWrongWhenItCannotBeExported() {
    assertThat(export(JOB, "xml")).isEqualTo(2);
    assertThat(COMMANDS.failure()).isEqualTo("--format 'xml' is none of chakra, goal");
    assertThat(COMMANDS.run("export", "../scenarios/first.yaml", "--format", "chakra", "--out", folder.toString()))
        .isEqualTo(2);
    assertThat(COMMANDS.failure()).contains("first.yaml: rank 0 sends messages that nobody receives");
    assertThat(COMMANDS.run("export", "../scenarios/goal.yaml", "--format", "goal", "--out", folder.toString()))
        .isEqualTo(2);
    assertThat(COMMANDS.failure()).contains("the workload is a trace itself");
    assertThat(COMMANDS.run("export", "../scenarios/rails.yaml", "--format", "goal", "--out", folder.toString()))
        .isEqualTo(2);
    assertThat(COMMANDS.failure()).contains("has a sweep of 6 points");
  }
}
