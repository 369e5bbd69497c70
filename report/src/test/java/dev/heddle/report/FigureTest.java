package dev.heddle.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.results.Results;
import dev.heddle.results.SweepResults;
import dev.heddle.results.SweepResults.Axis;
import dev.heddle.results.SweepResults.Plot;
import java.util.List;
import org.junit.jupiter.api.Test;

class FigureTest {
  @Test
  void shouldMakePanelPerValueAndCurvePerSeriesWhenPlotNamesThem() {
    Figure figure = Figure.of(Samples.sweep()).get(0);
    assertThat(figure.panels()).extracting(Figure.Panel::title).containsExactlyElementsOf(Samples.RATES);
    assertThat(figure.series()).containsExactlyElementsOf(Samples.PATTERNS);
    assertThat(figure.panels().get(2).curves()).hasSize(5)
        .allSatisfy(curve -> assertThat(curve.x()).hasSize(20).isSorted());
    assertThat(figure.xTitle()).isEqualTo("Load [%]");
    assertThat(figure.yTitle()).isEqualTo("Intra-node throughput [GB/s]");
  }

  @Test
  void shouldTellCurvesApartByOtherAxesWhenPlotDoesNotNameThem() {
    SweepResults sweep = Samples.sweep();
    Figure figure = Figure.of(sweep, new Plot("", "intra.latency", "workload.load", "workload.pattern", "", false));
    assertThat(figure.panels()).hasSize(1);
    assertThat(figure.series()).hasSize(15).startsWith("c1, 128 Gb/s").endsWith("c5, 512 Gb/s");
  }

  @Test
  void shouldChooseLongestNumericAxisWhenScenarioGivesNoPlot() {
    SweepResults sweep = Samples.sweep();
    List<Figure> figures =
        Figure.of(new SweepResults(sweep.scenario(), "", sweep.axes(), List.of(), sweep.points()));
    assertThat(figures).hasSizeGreaterThan(1);
    assertThat(figures.get(0).xTitle()).isEqualTo("Load [%]");
    assertThat(figures.get(0).series()).containsExactlyElementsOf(Samples.PATTERNS);
  }

  @Test
  void shouldPlaceValuesByQuantityWhenUnitsDiffer() {
    AxisScale sizes = AxisScale.of(new Axis("p", "size", List.of("512 B", "4 KiB", "1 MiB")));
    assertThat(sizes.positions()).containsExactly(512.0, 4096.0, 1048576.0);
    assertThat(sizes.unit()).isEqualTo("B");
    assertThat(sizes.logarithmic()).isTrue();
    AxisScale rates = AxisScale.of(new Axis("p", "rate", List.of("800 Mb/s", "1 GB/s")));
    assertThat(rates.positions()).containsExactly(0.1, 1.0);
    AxisScale times = AxisScale.of(new Axis("p", "time", List.of("500 ns", "1 us")));
    assertThat(times.positions()).containsExactly(0.5, 1.0);
  }

  @Test
  void shouldPlaceValuesInOrderWhenTheyAreNames() {
    AxisScale names = AxisScale.of(new Axis("p", "pattern", List.of("c1", "c5")));
    assertThat(names.numeric()).isFalse();
    assertThat(names.positions()).containsExactly(0.0, 1.0);
  }

  @Test
  void shouldTitleOrdinateByWhatAllPointsShareWhenTheirTitlesDiffer() {
    String id = "collective.all_reduce.time";
    List<Quantities.Quantity> found = Quantities.of(List.of(
        results(id, "all_reduce, 16 KiB, 64 ranks: time (mean)"),
        results(id, "all_reduce, 1 MiB, 64 ranks: time (mean)")));
    assertThat(found).extracting(Quantities.Quantity::title).containsExactly("all_reduce, 64 ranks: time (mean)");
    found = Quantities.of(List.of(results(id, "16 KiB: time"), results(id, "1 MiB: time")));
    assertThat(found).extracting(Quantities.Quantity::title).containsExactly("time");
  }

  private static Results results(String id, String title) {
    Results.RunInfo run = Samples.sweep().points().get(0).results().run();
    return new Results(run, List.of(new Results.Metric(id, title, "us", 1)), List.of(), List.of(), List.of());
  }
}
