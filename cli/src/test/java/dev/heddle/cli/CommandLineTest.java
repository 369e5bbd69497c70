package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.heddle.report.JsonReport;
import dev.heddle.sim.SimulationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineTest {
  private static final PointRunner ECHO = new EchoRunner();

  @TempDir
  private Path folder;
  private Path scenario;

  @BeforeEach
  void writeScenario() throws IOException {
    scenario = Files.writeString(folder.resolve("tiny.yaml"), Cli.scenario());
  }

  @Test
  void shouldPrintATableWhenAScenarioRuns() {
    Cli cli = Cli.run(ECHO, "run", scenario.toString());
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    assertThat(cli.out()).contains("tiny").contains("links").contains("6");
    assertThat(cli.err()).isEmpty();
  }

  @Test
  void shouldPrintOnlyJsonWhenAsked() {
    Cli cli = Cli.run(ECHO, "run", scenario.toString(), "--json", "--set", "workload.variant=6");
    assertThat(JsonReport.read(cli.out()).metric("value").orElseThrow().value()).isEqualTo(2);
    assertThat(cli.err()).isEmpty();
  }

  @Test
  void shouldWriteWholeFilesAndNothingElseWhenAFolderIsGiven() throws IOException {
    Path out = folder.resolve("a/b");
    Cli cli = Cli.run(ECHO, "run", scenario.toString(), "--out", out.toString(), "--quiet");
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    assertThat(cli.out() + cli.err()).isEmpty();
    assertThat(JsonReport.read(Files.readString(out.resolve("results.json"))).run().scenario()).isEqualTo("tiny");
    assertThat(out.resolve("report.html")).content().contains("for tests</p>");
    try (Stream<Path> files = Files.list(out)) {
      assertThat(files.map(file -> file.getFileName().toString())).allMatch(name -> !name.endsWith(".tmp"));
    }
  }

  @Test
  void shouldWriteNoneOfTheFilesWhenOneCannotBeWritten() throws IOException {
    Path out = folder.resolve("out");
    Path taken = Files.createDirectories(out.resolve("report.html"));
    Cli cli = Cli.run(ECHO, "run", scenario.toString(), "--out", out.toString());
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains("--out: " + taken + " cannot be written: it is a folder");
    try (Stream<Path> files = Files.list(out)) {
      assertThat(files).containsExactly(taken);
    }
  }

  @Test
  void shouldRefuseBeforeTheRunWhenTheOutputCannotBeWritten() throws IOException {
    Path file = Files.writeString(folder.resolve("taken"), "a file");
    for (String out : List.of(file.toString(), file + "/below", "/proc/none")) {
      Cli cli = Cli.run(point -> {
        throw new IllegalStateException("must not run");
      }, "run", scenario.toString(), "--out", out);
      assertThat(cli.exitCode()).as(cli.err()).isEqualTo(2);
      assertThat(cli.err()).contains("--out " + out + ": the folder cannot be written to");
    }
  }

  @Test
  void shouldExplainWithoutAStackTraceWhenARunDeadlocks() {
    Cli cli = Cli.run(point -> {
      throw new SimulationException("deadlock at 3 us:\nswitch0 waits for switch1\nswitch1 waits for switch0");
    }, "run", scenario.toString());
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).isEqualTo("""
        heddle: deadlock at 3 us:
        heddle: switch0 waits for switch1
        heddle: switch1 waits for switch0
        """);
  }

  @Test
  void shouldPrintTheStackTraceWhenTheFaultIsOurs() {
    Cli cli = Cli.run(point -> {
      throw new IllegalStateException("credits are negative");
    }, "run", scenario.toString());
    assertThat(cli.exitCode()).isEqualTo(70);
    assertThat(cli.err()).contains("a bug of Heddle").contains("credits are negative").contains("\tat dev.heddle.cli");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      run                             | Missing required parameter: 'SCENARIO'
      run none.yaml                   | none.yaml: cannot be read: there is no such file
      rum x                           | there is no command 'rum'; there are run, sweep
      rum --help                      | there is no command 'rum'; there are run, sweep
      sweep x.yaml --hepl --help      | there is no option '--hepl'; did you mean
      rum x                           | did you mean 'run'?
      run x --sat a=b                 | there is no option '--sat'; did you mean '--set'?
      run x --sat=a=b                 | there is no option '--sat'; did you mean '--set'?
      run x --shard=1/2               | there is no option '--shard'; it is an option of 'heddle sweep'
      run x --chart                   | there is no option '--chart'; there are --help, --json, --no-verify, --out
      run x -j                        | there is no option '-j'; there are --help, --json, --no-verify, --out
      run --jsn                       | there is no option '--jsn'; did you mean '--json'?
      run FILE --set se\u202ed=1       | unknown key 'se\\u202ed'; allowed are
      run FILE other.yaml             | 'other.yaml' is one argument too many
      run FILE --set workload.lod=1   | unknown key 'lod'; allowed are load, variant, file, traffic-class; \
      did you mean 'load'?
      run FILE --set seed=            | --set seed: the value is missing; give one, or leave the option out
      run FILE --set seed             | Value for option '--set' (PATH=VALUE) should be in KEY=VALUE format
      run FILE --plugin-path /none    | --plugin-path /none: does not exist
      sweep FILE                      | has no sweep, or every axis is fixed by --set; use 'heddle run'
      sweep FILE --threads 0          | --threads 0: must be from 1 to 1024
      sweep FILE --threads many       | --threads many: must be a whole number, at most 2147483647
      sweep FILE --threads 9999999999 | --threads 9999999999: must be a whole number, at most 2147483647
      validate fixd                   | no validation suite is called 'fixd'; there are fixed; did you mean 'fixed'?
      validate fixed --data /none     | --data /none: is no folder
      presets cli-lnk                 | no preset is called 'cli-lnk'; there are cli-link; did you mean 'cli-link'?
      presets link                    | --search link finds 1; no preset is called 'link'; there are cli-link
      compare FILE --cluster none     | --cluster: no file is called 'none', and no preset is called 'none'
      compare FILE --cluster cli-link | --cluster: the preset cli-link is a link, not a cluster
      describe strar                  | nothing is called 'strar'
      describe generic                | 'generic' is ambiguous; write one of link/generic, switch/generic
      verify ring star                | 'star' is one argument too many; a cluster is named by --cluster
      describe                        | Missing required parameter: 'TYPE'
      """)
  void shouldSayWhatIsWrongAndExitWithTwoWhenTheInputIsBad(String line, String message) {
    Cli cli = Cli.run(ECHO, line.replace("FILE", scenario.toString()).split(" "));
    assertThat(cli.exitCode()).as(cli.err()).isEqualTo(2);
    assertThat(cli.err()).contains(message).doesNotContain("\tat ");
    assertThat(cli.out()).isEmpty();
  }

  @Test
  void shouldPointToSweepWhenRunIsGivenOne() throws IOException {
    Files.writeString(scenario, Cli.sweep(3));
    Cli cli = Cli.run(ECHO, "run", scenario.toString());
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains("has a sweep of 3 points; use 'heddle sweep'");
    assertThat(Cli.run(ECHO, "run", scenario.toString(), "--set", "workload.variant=2").exitCode()).isZero();
  }

  @Test
  void shouldPrintEverySettingWhenDescribing() {
    Cli cli = Cli.run(ECHO, "describe", "workload/idle");
    assertThat(cli.out()).isEqualTo("""
        workload/idle
            Ranks that do nothing
        load: fraction, up to 100 % (default 0 %)
            load
            source: made up
        variant: integer, from 1 to 100000 (default 1)
            variant
        file: file (optional)
            a file that changes the results

        metrics
            value (1): Value
            activity.rest (us): Rest, mean over ranks
            Besides, those of every run and of collectives; 'heddle describe FILE.yaml'
            lists all of a scenario.
        """);
    assertThat(Cli.run(ECHO, "describe", "scenario").out()).contains("cluster: mapping (required)")
        .contains("granularity: packet | burst (default burst)");
  }

  @Test
  void shouldPrintWellFormedJsonWhenListing() throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    JsonNode plugins = mapper.readTree(Cli.run(ECHO, "plugins", "--json").out());
    assertThat(plugins.get("plugins").findValuesAsText("id")).contains("generic", "star", "idle");
    JsonNode presets = mapper.readTree(Cli.run(ECHO, "presets", "--json").out());
    assertThat(presets.findValuesAsText("id")).containsExactly("cli-link");
    JsonNode settings = mapper.readTree(Cli.run(ECHO, "describe", "idle", "--json").out());
    assertThat(settings.get("settings").get(0).get("max").asText()).isEqualTo("100 %");
    assertThat(settings.get("metrics").findValuesAsText("key")).containsExactly("value", "activity.rest");
    assertThat(settings.get("metrics").findValuesAsText("unit")).containsExactly("1", "us");
  }

  @Test
  void shouldPrintAPresetAsItIsWhenNamed() {
    assertThat(Cli.run(ECHO, "presets", "cli-link").out()).startsWith("description: a link for tests")
        .contains("source: made up");
    assertThat(Cli.run(ECHO, "presets").out()).contains("cli-link\n    a link for tests of the command line\n");
  }

  @Test
  void shouldExitWithOneWhenABoundIsMissedAndTheCallIsStrict() throws IOException {
    assertThat(Cli.run(ECHO, "validate", "fixed").exitCode()).isZero();
    assertThat(Cli.run(ECHO, "validate", "fixed", "--data", folder.toString()).exitCode()).isZero();
    Cli cli = Cli.run(ECHO, "validate", "fixed", "--data", folder.toString(), "--json", "--strict");
    assertThat(cli.exitCode()).isEqualTo(1);
    JsonNode report = new ObjectMapper().readTree(cli.out());
    assertThat(report.get("suite").asText()).isEqualTo("fixed");
    JsonNode table = report.get("tables").get(0);
    assertThat(table.get("rows").get(0).get("sizeBytes").asLong()).isEqualTo(4096);
    assertThat(table.get("rows").get(0).get("errorPct").asDouble()).isEqualTo(2);
    assertThat(table.get("boundPct").asDouble()).isEqualTo(1);
    assertThat(report.get("meanAbsErrorPct").asDouble()).isEqualTo(2);
  }

  @Test
  void shouldListAllSuitesAsOneJsonValueWhenNoneIsNamed() throws IOException {
    JsonNode reports = new ObjectMapper().readTree(Cli.run(ECHO, "validate", "--json").out());
    assertThat(reports.isArray()).isTrue();
    assertThat(reports.get(0).get("suite").asText()).isEqualTo("fixed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "run", "sweep", "validate", "plugins", "presets", "describe", "generate-completion"})
  void shouldHelpWhenAskedAtAnyCommand(String command) {
    String[] args = command.isEmpty() ? new String[] {"--help"} : new String[] {command, "--help"};
    Cli cli = Cli.run(ECHO, args);
    assertThat(cli.exitCode()).isZero();
    assertThat(cli.out()).startsWith("Usage: heddle").contains("--help");
  }

  @Test
  void shouldPrintAScriptThatCompletesWhenAsked() {
    assertThat(Cli.run(ECHO, "generate-completion").out()).contains("--plugin-path").contains("complete -F");
  }

  @ParameterizedTest
  @ValueSource(ints = {40, 55, 80})
  void shouldFitWhenTheTerminalIsNarrow(int width) {
    for (String[] args : List.of(
        new String[] {"run", scenario.toString()}, new String[] {"describe", "link/generic"},
        new String[] {"describe", "scenario"}, new String[] {"presets"}, new String[] {"validate"})) {
      Cli cli = Cli.run(ECHO, width, args);
      assertThat(cli.exitCode()).as(cli.err()).isZero();
      assertThat(cli.out().lines()).as("%s at %s columns", args[0], width)
          .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(width));
    }
  }

  @Test
  void shouldPrintHelpWhenNoCommandIsGiven() {
    Cli cli = Cli.run(ECHO);
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains("Missing required subcommand");
  }

  @Test
  void shouldNameTheVersionWhenAsked() {
    assertThat(Cli.run(ECHO, "--version").out()).startsWith("heddle ");
  }

  @Test
  void shouldNameMissedBoundsOnOneScreen() {
    Cli cli = Cli.run(ECHO, "validate", "fixed", "--data", folder.toString());
    assertThat(cli.out()).contains("Missed bounds");
    assertThat(cli.out().lines().count()).isLessThan(30);
    assertThat(cli.err()).contains("--rows").contains("--strict");
  }

  @Test
  void shouldTakeAFileWithNothingButAClusterAndOverrideIt() throws IOException {
    String scenario = Cli.scenario();
    String cluster = scenario.substring(scenario.indexOf("cluster:"), scenario.indexOf("workload:"));
    Path file = Files.writeString(folder.resolve("machine.yaml"), cluster);
    Cli cli = Cli.run(ECHO, "verify", "ring", "--ranks", "3", "--cluster", file.toString());
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    Path bare = Files.writeString(folder.resolve("tiers.yaml"), cluster.replace("cluster:\n", ""));
    assertThat(Cli.run(ECHO, "verify", "ring", "--ranks", "3", "--cluster", bare.toString()).exitCode()).isZero();
    Cli more = Cli.run(ECHO, "verify", "ring", "--ranks", "6", "--cluster", file.toString(), "--set",
        "cluster.tiers[0].terminals.accelerator=6");
    assertThat(more.exitCode()).as(more.err()).isZero();
    assertThat(Cli.run(ECHO, "verify", "ring", "--ranks", "6", "--cluster", file.toString()).exitCode()).isEqualTo(2);
    Cli other = Cli.run(ECHO, "verify", "ring", "--cluster", file.toString(), "--set", "workload.variant=2");
    assertThat(other.exitCode()).isEqualTo(2);
    assertThat(other.err()).isEqualTo("heddle: --set workload.variant: must be a field of the cluster, such as"
        + " cluster.tiers[1].size; all else is set by this command's other options\n");
  }

  @Test
  void shouldListPresetsByKindAndWord() {
    assertThat(Cli.run(ECHO, "presets", "--kind", "link").out()).contains("cli-link");
    Cli kinds = Cli.run(ECHO, "presets", "--kind", "all");
    assertThat(kinds.exitCode()).as(kinds.err()).isZero();
    assertThat(kinds.out().lines()).contains("link");
    assertThat(Cli.run(ECHO, "presets", "--kind", "all", "--json").out()).startsWith("[").contains("\"link\"");
    assertThat(Cli.run(ECHO, "presets", "--search", "NOTHING").out()).contains("No preset has the word");
    Cli cli = Cli.run(ECHO, "presets", "--kind", "lnk");
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains("there are link").contains("did you mean 'link'?");
  }

  @Test
  void shouldCompareTwoRuns() throws IOException {
    Path scenario = Files.writeString(folder.resolve("tiny.yaml"), Cli.scenario());
    Path out = folder.resolve("first");
    Cli.run(ECHO, "run", scenario.toString(), "--out", out.toString());
    Cli cli = Cli.run(ECHO, "compare", out.toString(), scenario.toString(), "--set", "workload.variant=3");
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    assertThat(cli.out()).containsPattern("value +0.3333 +1 .*\\+200.00").containsPattern("links +6 +6 +0");
    assertThat(cli.out()).as("settings of a finished run are not known").doesNotContain("Settings that differ");
    assertThat(Cli.run(ECHO, "compare", scenario.toString()).exitCode()).isEqualTo(2);
  }

  @Test
  void shouldSayWhyWhenResultsToCompareCannotBeRead() throws IOException {
    Path out = folder.resolve("first");
    Cli empty = Cli.run(ECHO, "compare", folder.toString(), scenario.toString());
    assertThat(empty.exitCode()).isEqualTo(2);
    assertThat(empty.err()).contains("results.json: cannot be read: there is no such file");
    Cli.run(ECHO, "run", scenario.toString(), "--out", out.toString());
    Path whole = out.resolve("results.json");
    Files.writeString(whole, Files.readString(whole).substring(0, 100));
    assertThat(Cli.run(ECHO, "compare", out.toString(), scenario.toString()).err())
        .contains(whole + ": ends too early; it is cut off");
  }

  @Test
  void shouldNameTheSettingsThatDifferWhenScenariosAreCompared() throws IOException {
    Path scenario = Files.writeString(folder.resolve("tiny.yaml"), Cli.scenario());
    Cli cli = Cli.run(ECHO, "compare", scenario.toString(), "--set", "workload.variant=3", "--set",
        "cluster.tiers.node.topology.link.rate=7 Gb/s");
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    assertThat(cli.out()).contains("Settings that differ")
        .containsPattern("workload[.]variant +[(]default[)] +3")
        .containsPattern("cluster[.]tiers[.]node[.]topology[.]link[.]rate +\\S.* +7 Gb/s");
  }

  @Test
  void shouldRunOneScenarioOnTwoClustersWhenTheyAreCompared() throws IOException {
    Path scenario = Files.writeString(folder.resolve("tiny.yaml"), Cli.scenario());
    Path cluster = Files.writeString(folder.resolve("machine.yaml"), """
        name: machine
        cluster:
          tiers:
            - name: node
              terminals: {accelerator: 5}
              topology: {type: star, link: {type: generic, rate: 9 Gb/s}}
        """);
    Cli cli = Cli.run(ECHO, "compare", scenario.toString(), "--cluster", cluster.toString());
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    assertThat(cli.out()).containsPattern("cluster[.]tiers[.]node[.]terminals[.]accelerator +\\S+ +5")
        .containsPattern("cluster[.]tiers[.]node[.]topology[.]link[.]rate +\\S.* +9 Gb/s");
  }
}
