package dev.heddle.report;

import com.google.common.primitives.Doubles;
import dev.heddle.report.PanelChart.Curve;
import dev.heddle.report.PanelChart.Panel;
import dev.heddle.results.Results.Bucket;
import dev.heddle.results.Results.Distribution;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.results.Results.Series;
import dev.heddle.results.ValidationReport;
import java.util.ArrayList;
import java.util.List;

/** Lays out results as plots of a page. */
final class Charts {
  private Charts() {}

  /** The names of the links' tiers, in the order in which they occur. */
  static List<String> tiers(List<LinkUsage> links) {
    return links.stream().map(LinkUsage::tier).distinct().toList();
  }

  /** Histogram of the links of each tier by utilisation: twenty classes of 5 %. */
  static PanelChart histogram(List<LinkUsage> links) {
    int classes = 20;
    List<String> categories = new ArrayList<>();
    for (int i = 0; i < classes; i++) {
      categories.add(5 * i + "-" + 5 * (i + 1) + " %");
    }
    List<Double> positions = positions(classes);
    List<Curve> curves = new ArrayList<>();
    for (String tier : tiers(links)) {
      double[] counts = new double[classes];
      links.stream()
          .filter(link -> link.tier().equals(tier) && !Double.isNaN(link.utilization()))
          .mapToInt(link -> (int) Math.max(0, Math.min(classes - 1, Math.floor(link.utilization() * classes))))
          .forEach(index -> counts[index]++);
      curves.add(new Curve(tier, "bars", positions, Doubles.asList(counts)));
    }
    return new PanelChart(
        "share of the window in use", "", categories, false,
        curves.stream().map(Curve::name).toList(),
        List.of(new Panel("", "category", "links", "links", false, null, curves)));
  }

  /** A plot of a sweep. */
  static PanelChart of(Figure figure) {
    String type = !figure.x().numeric() ? "category" : figure.x().logarithmic() ? "log" : "value";
    List<Panel> panels = figure.panels().stream()
        .map(panel -> new Panel(
            panel.title(), type, figure.yTitle(), figure.unit(), figure.logY(), null,
            panel.curves().stream().map(curve -> new Curve(curve.name(), "line", curve.x(), curve.y())).toList()))
        .toList();
    return new PanelChart(
        figure.xTitle(), figure.x().unit(), figure.x().values(), true, figure.series(), panels);
  }

  /** A curve that a run yielded. */
  static PanelChart of(Series series) {
    return new PanelChart(
        series.xTitle(), "", List.of(), false, List.of(series.title()),
        List.of(new Panel(
            "", "value", series.yTitle(), "", false, null,
            List.of(new Curve(series.title(), "line", series.x(), series.y())))));
  }

  /** The share of samples up to each value. */
  static PanelChart cumulative(List<Distribution> distributions, String unit) {
    List<Curve> curves = distributions.stream().map(distribution -> shares(distribution, false)).toList();
    return distribution("share of samples up to it", false, curves, unit);
  }

  /** The share of samples above each value, on a logarithmic ordinate. */
  static PanelChart tail(List<Distribution> distributions, String unit) {
    List<Curve> curves = distributions.stream().map(distribution -> shares(distribution, true)).toList();
    return distribution("share of samples above it", true, curves, unit);
  }

  /** Mean and percentiles side by side. */
  static PanelChart percentiles(List<Distribution> distributions, String unit) {
    List<String> categories = List.of("min", "mean", "p50", "p90", "p99", "p99.9", "max");
    List<Curve> curves = distributions.stream()
        .map(d -> new Curve(
            d.title(), "bars", positions(categories.size()),
            List.of(d.min(), d.mean(), d.p50(), d.p90(), d.p99(), d.p999(), d.max())))
        .toList();
    return new PanelChart(
        "", "", categories, false, curves.stream().map(Curve::name).toList(),
        List.of(new Panel("", "category", "[" + unit + "]", unit, false, null, curves)));
  }

  /** Curves of a validation that no reference stands beside. */
  static PanelChart of(ValidationReport.Plot plot) {
    List<Curve> curves =
        plot.curves().stream().map(curve -> new Curve(curve.name(), "line", curve.x(), curve.y())).toList();
    return new PanelChart(
        plot.xTitle(), "", List.of(), true, curves.stream().map(Curve::name).toList(),
        List.of(new Panel("", "log", plot.yTitle(), "", plot.logY(), null, curves)));
  }

  /** Reference and model, and the error between them. */
  static PanelChart of(ValidationReport.Table table) {
    List<ValidationReport.Row> rows = table.rows();
    boolean sized = !rows.isEmpty() && rows.stream().allMatch(row -> row.sizeBytes().orElse(0) > 0);
    List<Double> x = sized
        ? rows.stream().map(row -> (double) row.sizeBytes().orElse(0)).toList()
        : positions(rows.size());
    List<Curve> values = List.of(
        new Curve("reference", "points", x, rows.stream().map(ValidationReport.Row::reference).toList()),
        new Curve("model", "line", x, rows.stream().map(ValidationReport.Row::model).toList()));
    List<Curve> errors = List.of(
        new Curve("error", "bars", positions(rows.size()), rows.stream().map(ValidationReport.Row::errorPct).toList()));
    boolean log = rows.stream().allMatch(row -> row.reference() > 0 && row.model() > 0);
    Double band = Double.isNaN(table.boundPct()) ? null : table.boundPct();
    return new PanelChart(
        sized ? "message size" : "", sized ? "B" : "",
        rows.stream().map(ValidationReport.Row::label).toList(), false, List.of("reference", "model", "error"),
        List.of(
            new Panel("Reference and model", sized ? "log" : "category", "[" + table.unit() + "]", table.unit(), log,
                null, values),
            new Panel("Error of the model", "category", "[%]", "%", false, band, errors)));
  }

  private static Curve shares(Distribution distribution, boolean above) {
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    x.add(distribution.min());
    y.add(above ? 1.0 : 0.0);
    long seen = 0;
    for (Bucket bucket : distribution.buckets()) {
      seen += bucket.count();
      double share = (double) seen / Math.max(1, distribution.count());
      x.add(bucket.upTo());
      y.add(above ? 1 - share : share);
    }
    return new Curve(distribution.title(), "line", x, y);
  }

  private static PanelChart distribution(String yTitle, boolean logY, List<Curve> curves, String unit) {
    List<String> names = curves.stream().map(Curve::name).toList();
    double most = curves.stream().flatMap(curve -> curve.x().stream()).mapToDouble(Double::doubleValue).max().orElse(0);
    double least = curves.stream().flatMap(curve -> curve.x().stream()).mapToDouble(Double::doubleValue)
        .filter(value -> value > 0).min().orElse(0);
    String type = least > 0 && most / least > 20 ? "log" : "value";
    return new PanelChart(
        "[" + unit + "]", unit, List.of(), false, names,
        List.of(new Panel("", type, yTitle, "1", logY, null, curves)));
  }

  private static List<Double> positions(int count) {
    List<Double> positions = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      positions.add((double) i);
    }
    return positions;
  }
}
