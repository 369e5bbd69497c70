package dev.heddle.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.heddle.results.Results;
import dev.heddle.results.Results.Distribution;
import dev.heddle.results.Results.Metric;
import dev.heddle.results.SweepResults;
import dev.heddle.results.SweepResults.Axis;
import dev.heddle.results.SweepResults.Plot;
import dev.heddle.results.SweepResults.Point;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HtmlReportTest {
  private static final String EVIL = "</script><img src=x onerror=\"document.title='run'\"><b>'&\u2028";
  private static final Pattern DATA =
      Pattern.compile("<script type=\"application/json\" id=\"data\">(.*?)</script>", Pattern.DOTALL);

  private static final Pattern STATUS = Pattern.compile("<div id=\"status\".*?</div>", Pattern.DOTALL);

  static Map<String, String> pages() {
    Map<String, String> pages = new LinkedHashMap<>();
    pages.put("run", HtmlReport.write(Samples.run()));
    pages.put("sweep of 300 points", HtmlReport.write(Samples.sweep()));
    pages.put("validation", HtmlReport.write(Samples.validation()));
    pages.put("evil names, one sample", HtmlReport.write(evilRun()));
    pages.put("evil names, one point", HtmlReport.write(onePoint(EVIL, evilRun())));
    return pages;
  }

  static List<Map.Entry<String, String>> entries() {
    return List.copyOf(pages().entrySet());
  }

  @ParameterizedTest
  @MethodSource("entries")
  void shouldDrawEveryPlotWhenOpenedInBrowser(Map.Entry<String, String> page, @TempDir Path folder) throws Exception {
    Optional<Browser> browser = Browser.find();
    assumeTrue(browser.isPresent(), "no Chromium on the PATH: the pages were checked by structure only");
    String dom = browser.get().open(folder, page.getValue());
    int plots = charts(page.getValue()).size();
    assertThat(plots).isPositive();
    Matcher status = STATUS.matcher(dom);
    assertThat(status.find()).isTrue();
    assertThat(status.group())
        .contains("data-errors=\"0\"").contains("data-drawn=\"" + plots + "\"").endsWith("></div>");
    String shown = dom.substring(dom.indexOf("<body"), dom.indexOf("id=\"data\">"));
    assertThat(count(shown, "<svg ") - count(shown, "<svg class=\"drawing")).isEqualTo(plots);
    assertThat(count(shown, "<img")).isZero();
    assertThat(dom.substring(0, dom.indexOf("<style"))).contains("- Heddle</title>");
  }

  @ParameterizedTest
  @MethodSource("entries")
  void shouldHoldNothingThatLoadsOrRunsWhenNamesAreEvil(Map.Entry<String, String> page) {
    String own = page.getValue().substring(0, page.getValue().indexOf("id=\"data\">"));
    assertThat(own)
        .contains("default-src 'none'")
        .doesNotContain("<img", "src=\"", "url(", "@import", "unsafe-eval", "onerror=\"")
        .doesNotContainPattern("href=\"(?!#(table-\\d+|link-[A-Za-z0-9._-]+)\">)");
    assertThat(count(page.getValue(), "</script")).isEqualTo(3);
  }

  @Test
  void shouldEscapeNamesInTextAndDataWhenTheyHoldMarkup() throws Exception {
    String html = HtmlReport.write(evilRun());
    assertThat(html).contains("&lt;/script&gt;&lt;img src=x onerror=&quot;");
    assertThat(charts(html).toString()).contains("</script><img src=x");
  }

  @Test
  void shouldNameScriptsByHashWhenPolicyIsWritten() {
    String html = HtmlReport.write(Samples.run());
    assertThat(count(html, "'sha256-")).isEqualTo(2);
    assertThat(html).doesNotContain("script-src 'unsafe-inline'");
  }

  @Test
  void shouldDrawPanelPerRateWhenSweepAsksForIt() throws Exception {
    JsonNode charts = charts(HtmlReport.write(Samples.sweep()));
    assertThat(charts).hasSize(2);
    assertThat(charts.at("/0/panels")).hasSize(3);
    assertThat(charts.at("/0/sharedY").asBoolean()).isTrue();
    assertThat(charts.at("/0/panels/1/title").asText()).isEqualTo("256 Gb/s");
    assertThat(charts.at("/0/panels/1/curves")).hasSize(5);
    assertThat(charts.at("/1/panels/2/logY").asBoolean()).isTrue();
  }

  @Test
  void shouldShowReferenceModelAndErrorWhenValidationIsWritten() throws Exception {
    String html = HtmlReport.write(Samples.validation());
    JsonNode table = charts(html).get(0);
    assertThat(table.at("/panels/0/xType").asText()).isEqualTo("log");
    assertThat(table.at("/panels/0/logY").asBoolean()).isTrue();
    assertThat(table.at("/panels/1/band").asDouble()).isEqualTo(3);
    assertThat(charts(html).get(2).at("/panels/1/band").isNull()).isTrue();
    assertThat(html).contains(">PASS<", ">FAIL<", "no bound claimed", "1 broken");
    String overview = html.substring(html.indexOf("aria-label=\"Tables\""), html.indexOf("<a id=\"table-1\">"));
    assertThat(overview).containsSubsequence(
        "#table-2\">ib_write bandwidth", "broken", "#table-1\">ib_write latency", "holds", "#table-3\">zero-load hops",
        "none claimed");
  }

  @Test
  void shouldRenderWhenThereIsNothing() {
    Results run = Samples.run();
    assertThat(HtmlReport.write(new Results(run.run(), List.of(), List.of(), List.of(), List.of())))
        .contains("Fingerprint").doesNotContain("data-chart=");
    assertThat(HtmlReport.write(new SweepResults("s", "", List.of(), List.of(), List.of())))
        .contains("Points").doesNotContain("data-chart=");
    assertThat(HtmlReport.write(new ValidationReport("v", List.of(new Table("t", "s", "us", List.of(), 3)), List.of())))
        .contains(">FAIL<").doesNotContain("data-chart=");
  }

  @Test
  void shouldNameFailedPointsAndShowNoEmptySectionsWhenNoPointWasCarriedOut() {
    SweepResults sweep =
        new SweepResults("s", "", List.of(new Axis("workload.size", "Size", List.of("1 KiB", "2 KiB"))),
            List.of(new Plot("time by size", "time", "workload.size", "", "", false)), List.of());
    String page =
        HtmlReport.write(sweep, List.of(new FailedPoint(Map.of("workload.size", "2 KiB"), "ends after 1 <h")));
    assertThat(page.substring(page.indexOf("<body")))
        .containsSubsequence("Failed points", "<h2>Failed points", "2 KiB", "ends after 1 &lt;h")
        .doesNotContain("time by size", "<dt>Seed", "<h2>Points");
  }

  @Test
  void shouldWriteNullWhenFigureIsNotFinite() throws Exception {
    ValidationReport report = new ValidationReport(
        "v", List.of(new Table("t", "s", "us", List.of(new Row("a", OptionalLong.empty(), 0, 1)), 3)), List.of());
    JsonNode chart = charts(HtmlReport.write(report)).get(0);
    assertThat(chart.at("/panels/1/curves/0/y/0").isNull()).isTrue();
  }

  private static Results evilRun() {
    Results run = Samples.run();
    Distribution one = new Distribution(
        EVIL, EVIL, EVIL, 1, 1, 1, 1, 1, 1, 1, 1, List.of(new Results.Bucket(1, 1)));
    return new Results(
        new Results.RunInfo(EVIL, EVIL, EVIL, 1, 1, 1, 1, 1, 0),
        List.of(new Results.Metric(EVIL, EVIL, EVIL, Double.NaN), run.metrics().get(0)),
        List.of(one),
        List.of(new Results.LinkUsage(EVIL, EVIL, Double.NaN, Double.NaN, Double.NaN, 0, Double.NaN, 0),
            new Results.LinkUsage(EVIL, EVIL, 1, 1, 1, 0, 0, 0)),
        List.of(new Results.Series(EVIL, EVIL, EVIL, EVIL, List.of(1.0, 2.0), List.of(Double.NaN, 1.0))));
  }

  private static SweepResults onePoint(String name, Results results) {
    return new SweepResults(
        name, name,
        List.of(new Axis(name, name, List.of(name))),
        List.of(new Plot(name, results.metrics().get(1).id(), name, "", "", true)),
        List.of(new Point(Map.of(name, name), results)));
  }

  private static JsonNode charts(String html) throws Exception {
    Matcher matcher = DATA.matcher(html);
    assertThat(matcher.find()).isTrue();
    return new ObjectMapper().readTree(matcher.group(1));
  }

  private static int count(String text, String part) {
    return text.split(Pattern.quote(part), -1).length - 1;
  }

  @Test
  void shouldPutActivitiesIntoSharesAndCollectivesIntoATable() {
    Results run = Samples.run();
    List<Metric> metrics = List.of(
        new Metric("time", "Simulated time", "us", 4000),
        new Metric("activity.compute", "Compute (mean)", "us", 3000),
        new Metric("activity.idle", "Idle (mean)", "us", 0),
        new Metric("activity.wait", "Waiting (mean)", "us", 1000),
        new Metric("collective.all_gather.8.2.count", "all_gather, 8 B, 2 ranks: calls", "1", 1234),
        new Metric("collective.all_gather.8.2.time", "all_gather, 8 B, 2 ranks: time (mean)", "us", 56.5),
        new Metric("collective.all_gather.8.2.algbw", "all_gather, 8 B, 2 ranks: algbw", "GB/s", 7.25),
        new Metric("collective.all_gather.8.2.busbw", "all_gather, 8 B, 2 ranks: busbw", "GB/s", 3.625));
    String page = HtmlReport.write(new Results(run.run(), metrics, List.of(), List.of(), List.of()));
    assertThat(page).contains("Compute 75.0 %").contains("Waiting 25.0 %").doesNotContain("Idle");
    assertThat(page).contains("1,234").contains(">56.5<").contains(">3.625<");
    assertThat(page.split("<div class=\"card", -1)).as("cards of time and events, and what opens them").hasSize(4);
  }

  /** A collective's time comes before the network's messages, a metric without values nowhere, and 97,537 us as ms. */
  @Test
  void shouldPutTheAnswerFirstWhenPointsAreATable() {
    List<Point> points = List.of(point("as it is", 97_537), point("faster", 74_841));
    String page = HtmlReport.write(new SweepResults("what-if", "", List.of(
        new Axis("link.rate", "change", List.of("as it is", "faster"))), List.of(),
        List.of(new SweepResults.Ranking("What each change is worth", "collective.all_reduce.time")), points));
    assertThat(page).doesNotContain("Latency [us]").contains("Against as it is, 97.54 ms.");
    assertThat(page.indexOf("all_reduce: time [ms]")).isPositive().isLessThan(page.indexOf("Offered [TB/s]"));
  }

  @Test
  void shouldSayThatNoBoundHoldsWhenNoneIsClaimed() {
    Table table = new Table("t", "s", "us", List.of(new Row("a", OptionalLong.empty(), 1, 2)), Double.NaN);
    assertThat(HtmlReport.write(new ValidationReport("v", List.of(table), List.of())))
        .contains(">none claimed<").doesNotContain(">all hold<", ">Mean absolute error<");
  }

  private static Point point(String change, double micros) {
    return new Point(Map.of("link.rate", change), new Results(Samples.run().run(), List.of(
        new Metric("intra.offered", "Offered", "GB/s", 8448), new Metric("intra.latency", "Latency", "us", Double.NaN),
        new Metric("collective.all_reduce.time", "all_reduce: time", "us", micros)), List.of(), List.of(), List.of()));
  }
}
