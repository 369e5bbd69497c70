package dev.heddle.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.results.Results;
import dev.heddle.results.SweepResults;
import dev.heddle.results.SweepResults.Axis;
import dev.heddle.results.SweepResults.Point;
import dev.heddle.results.SweepResults.Ranking;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RankedPointsTest {
  private static final List<String> CHANGES = List.of("nothing", "slower", "much", "little", "even");

  private static SweepResults sweep(String metric, List<String> changes, double... times) {
    List<Point> points = new ArrayList<>();
    for (int i = 0; i < times.length; i++) {
      Results run = Samples.run("what-if", 0.5, 0.1, 1);
      points.add(new Point(Map.of("change", changes.get(i)), new Results(
          run.run(), List.of(new Results.Metric("time", "Time", "us", times[i])), List.of(), List.of(), List.of())));
    }
    return new SweepResults(
        "what-if", "", List.of(new Axis("change", "change", CHANGES)), List.of(),
        List.of(new Ranking("What each is worth", metric)), points);
  }

  @Test
  void shouldPutTheGreatestFallFirst() {
    RankedPoints ranked = RankedPoints.of(sweep("time", CHANGES, 100, 110, 60, 95, 100)).get(0);
    assertThat(ranked.baseline()).isEqualTo("nothing");
    assertThat(ranked.rows()).containsExactly(
        new RankedPoints.Row("much", 60, 40, 40), new RankedPoints.Row("little", 95, 5, 5),
        new RankedPoints.Row("even", 100, 0, 0), new RankedPoints.Row("slower", 110, -10, -10));
  }

  @Test
  void shouldRankNothingWhenTheFirstPointOrTheMetricIsMissing() {
    assertThat(RankedPoints.of(sweep("time", CHANGES.subList(1, 3), 110, 60))).isEmpty();
    assertThat(RankedPoints.of(sweep("speed", CHANGES, 100, 110))).isEmpty();
  }

  @Test
  void shouldShowTheRankingInPlaceOfFiguresNobodyAskedFor() {
    SweepResults sweep = sweep("time", CHANGES, 100, 110, 60, 95, 100);
    String html = HtmlReport.write(sweep);
    assertThat(html).contains("What each is worth", "Against nothing, 100 us");
    assertThat(html.indexOf("much</td>")).isLessThan(html.indexOf("little</td>"));
    String text = new TerminalReport(80, false).render(sweep);
    assertThat(text).contains("What each is worth", "us less");
    assertThat(text.indexOf("much")).isLessThan(text.indexOf("slower"));
  }
}
