package dev.heddle.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.results.Results;
import dev.heddle.results.SweepResults;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TerminalReportTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 40, 52, 80, 120, 400})
  void shouldFitEveryLineWhenTerminalIsNarrow(int width) {
    TerminalReport report = new TerminalReport(width, false);
    int most = Math.max(40, Math.min(160, width));
    for (String text : List.of(
        report.render(Samples.run()), report.render(Samples.sweep()), report.render(Samples.validation()))) {
      assertThat(text.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(most));
    }
  }

  @Test
  void shouldShowMetricsPercentilesAndTopLinksWhenRunIsRendered() {
    String text = new TerminalReport(100, false).render(Samples.run());
    assertThat(text)
        .contains("seed 1", "9e3779b97f4a7c15", "18,423,771 events", "Intra-node throughput", "p99.9")
        .contains("Most used links (10 of 144)", "accelerator");
  }

  @Test
  void shouldNameLeftOutColumnsWhenTerminalIsNarrow() {
    assertThat(new TerminalReport(40, false).render(Samples.run())).contains("too narrow for:");
    assertThat(new TerminalReport(120, false).render(Samples.run())).doesNotContain("too narrow for:");
  }

  @Test
  void shouldKeepTitleAndEndWhenLabelIsCut() {
    TextTable table = new TextTable(List.of(TextTable.Column.label("link"), TextTable.Column.number("n", 0)));
    table.row(List.of("node31.accelerator7 -> node31.switch0", "12"));
    assertThat(table.lines(30).get(1)).hasSize(30).startsWith("  node31").contains("..").endsWith("switch0  12");
  }

  @Test
  void shouldPivotSeriesIntoColumnsWhenSweepIsRendered() {
    String text = new TerminalReport(80, false).render(Samples.sweep());
    assertThat(text).contains("Intra-node throughput, 512 Gb/s");
    assertThat(text.lines().filter(line -> line.matches("\\s+Load \\[%\\]\\s+c1\\s+c2\\s+c3\\s+c4\\s+c5")).count())
        .isEqualTo(6);
    assertThat(text.lines().filter(line -> line.strip().startsWith("100 % ")).count()).isEqualTo(6);
  }

  @Test
  void shouldMarkBrokenBoundWhenErrorsExceedIt() {
    String text = new TerminalReport(80, false).render(Samples.validation());
    assertThat(text).contains("FAIL", "PASS", "no bound claimed", "SAURON, Table 2", "Notes");
    assertThat(text.lines().findFirst().orElseThrow()).contains("cellia", "FAIL");
    String broken = text.substring(text.indexOf("Bounds that do not hold"));
    assertThat(broken).contains("ib_write bandwidth").doesNotContain("ib_write latency", "zero-load hops");
  }

  @Test
  void shouldUseColoursOnlyWhenAsked() {
    assertThat(new TerminalReport(80, true).render(Samples.validation())).contains("\u001b[31mFAIL\u001b[0m");
    assertThat(new TerminalReport(80, false).render(Samples.validation())).doesNotContain("\u001b");
  }

  @Test
  void shouldNotLetNamesSteerTerminalWhenTheyHoldControlCharacters() {
    Results run = Samples.run();
    Results evil = new Results(
        run.run(), List.of(new Results.Metric("m", "\u001b[2J\rgone", "\u0007", 1)), List.of(), List.of(), List.of());
    assertThat(new TerminalReport(80, false).render(evil)).doesNotContain("\u001b", "\r", "\u0007");
  }

  @Test
  void shouldRenderWhenThereIsNothing() {
    Results run = Samples.run();
    Results empty = new Results(run.run(), List.of(), List.of(), List.of(), List.of());
    TerminalReport report = new TerminalReport(80, false);
    assertThat(report.render(empty)).contains("fingerprint").doesNotContain("Metrics");
    assertThat(report.render(new SweepResults("s", "", List.of(), List.of(), List.of()))).contains("0 points");
    assertThat(report.render(new ValidationReport("v", List.of(), List.of()))).contains("PASS");
  }

  @Test
  void shouldPutTheAnswerFirstAndLeaveOutMetricsWithoutAValue() {
    Results run = new Results(
        Samples.run().run(),
        List.of(
            new Results.Metric("intra.offered", "Offered", "GB/s", 1.439e-8),
            new Results.Metric("inter.fct", "Inter-node FCT", "us", Double.NaN),
            new Results.Metric("time", "Simulated time", "us", 13_682_460),
            new Results.Metric("collective.all_reduce.time", "all_reduce: time", "us", 11_163)),
        List.of(), List.of(), List.of());
    List<String> rows = new TerminalReport(80, false).render(run).lines().dropWhile(line -> !line.equals("Metrics"))
        .skip(2).map(line -> line.strip().replaceAll(" +", " ")).toList();
    assertThat(rows).containsExactly("Simulated time 13.68 s", "all_reduce: time 11.16 ms", "Offered 14.39 B/s");
  }

  /** B takes 30 ms more: 40 in messages, 10 less in kernels; its node's links wait for credits. */
  @Test
  void shouldSayWhereTheTimeWentWhenTwoRunsAreCompared() {
    Results before = compared(100_000, 60_000, 20_000, 0);
    Results after = compared(130_000, 50_000, 60_000, 0.5);
    String text = new TerminalReport(120, false).render(before, after,
        Map.of("seed", "1", "cluster.tiers.node.size", "8"), Map.of("seed", "1", "cluster.tiers.node.size", "16"));
    List<String> rows = text.lines().map(line -> line.strip().replaceAll(" +", " ")).toList();
    assertThat(rows).containsSubsequence(
        "Settings that differ", "cluster.tiers.node.size 8 16",
        "Simulated time 100 130 30 ms +30.00",
        "Time by activity, mean of all ranks", "Messages (mean) 20 60 40 ms +200.00",
        "Kernels (mean) 60 50 -10 ms -16.67",
        "Links by tier", "node 1 1 25.0 25.0 0.0 50.0");
    assertThat(rows).doesNotContain("seed 1 1");
  }

  private static Results compared(double time, double kernels, double messages, double stall) {
    return new Results(Samples.run().run(), List.of(
        new Results.Metric("time", "Simulated time", "us", time),
        new Results.Metric("activity.kernels", "Kernels (mean)", "us", kernels),
        new Results.Metric("activity.messages", "Messages (mean)", "us", messages)),
        List.of(), List.of(new Results.LinkUsage("a -> b", "node", 50, 0.25, 12.5, 100, stall, 4096)), List.of());
  }

  @Test
  void shouldShowOneTableWhenASweepHasNoReport() {
    SweepResults with = Samples.sweep();
    SweepResults without = new SweepResults(
        with.scenario(), with.description(), with.axes(), List.of(), with.points());
    String text = new TerminalReport(120, false).render(without);
    assertThat(text.lines().filter(line -> line.equals("Points")).count()).isEqualTo(1);
    assertThat(text).contains("more points; results.csv has all");
  }

  @Test
  void shouldSummariseOnOneScreenWhenBoundIsMissed() {
    ValidationReport held = Samples.validation();
    Table missed = new Table("slow rows", "a log", "us", List.of(new Row("a", OptionalLong.empty(), 1, 2)), 5);
    List<Table> tables = new ArrayList<>(held.tables());
    tables.add(missed);
    ValidationReport plain = new ValidationReport("cellia", tables, held.notes());
    String unknown = new TerminalReport(80, false).summary(plain);
    assertThat(unknown).startsWith(
        "cellia  FAIL\n  Model and reference in 4 tables. Mean error: within the stated bound in 1,\n"
            + "  beyond it in 2; 1 without one\n")
        .contains("- slow rows: 100.00 %, bound 5 %\n");
    String known = new TerminalReport(80, false).summary(plain.with(new ValidationReport.Basis(
        "by the owners", "one latency", "nothing", "3 %",
        Map.of("slow rows", "a link was down", "ib_write bandwidth", "few credits"))));
    assertThat(known).startsWith("cellia  PASS but for 2 known misses\n")
        .contains("  measured: by the owners\n  fitted: one latency\n  left out: nothing\n",
            "  error on what was not fitted: 3 %\n", "bound 5 %; known: a link was down\n");
    assertThat(known.lines().toList()).hasSizeLessThan(24).allSatisfy(line -> assertThat(line).hasSizeLessThan(81));
  }

  @Test
  void shouldCountMissedTablesThatDoNotFitOnAScreen() {
    Row row = new Row("a", OptionalLong.empty(), 1, 2);
    List<Table> tables =
        IntStream.range(0, 40).mapToObj(i -> new Table("table " + i, "a log", "us", List.of(row), 5)).toList();
    String reason = "a reason that takes so many words that no line of eighty columns holds all of it";
    String text = new TerminalReport(80, false).summary(
        new ValidationReport("nccl", tables, List.of()).with(new ValidationReport.Basis("a", "b", "c", "d",
            tables.stream().collect(Collectors.toMap(Table::name, table -> reason)))));
    long shown = text.lines().filter(line -> line.startsWith("  - table ")).count();
    assertThat(shown).isBetween(10L, 20L);
    assertThat(text).contains("  ... and " + (40 - shown) + " more, which --out lists\n");
  }

  @Test
  void shouldSummariseErrorsAndNotesWhenNoTableClaimsABound() {
    Row row = new Row("a", OptionalLong.empty(), 1, 1.1);
    List<Table> tables = IntStream.range(0, 32)
        .mapToObj(i -> new Table("table " + i, "a log", "us", List.of(row, row), Double.NaN)).toList();
    String text =
        new TerminalReport(80, false).summary(new ValidationReport("nccl", tables, List.of("Refused: x.csv")));
    assertThat(text.lines().toList()).anySatisfy(line -> assertThat(line).matches(" *table 0 +2 +10.0 +10.0"))
        .contains("  ... and 2 more tables", "  - Refused: x.csv")
        .allSatisfy(line -> assertThat(line).hasSizeLessThan(81));
  }
}
