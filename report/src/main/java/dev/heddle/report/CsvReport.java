package dev.heddle.report;

import com.fasterxml.jackson.databind.SequenceWriter;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import dev.heddle.results.Results;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.results.SweepResults;
import dev.heddle.results.SweepResults.Axis;
import dev.heddle.results.SweepResults.Point;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Results as comma-separated values of RFC 4180: a heading, then a row per point; links as a table of their own.
 *
 * <p>A heading is the key of a swept field or quantity, with its unit in brackets. Figures have full precision; a figure
 * that is not finite is an empty field.
 */
public final class CsvReport {
  private static final CsvMapper MAPPER = new CsvMapper();

  private CsvReport() {}

  /** Writes a run as one row: its metrics, its distributions' figures, its seed and fingerprint. */
  public static String write(Results results) {
    return write(single(results));
  }

  /** Writes a sweep, a row per point: the swept fields' values as written, then as for a run. */
  public static String write(SweepResults sweep) {
    List<Quantities.Quantity> quantities = Quantities.of(sweep.points().stream().map(Point::results).toList());
    List<String> heading = new ArrayList<>();
    sweep.axes().forEach(axis -> heading.add(axis.path()));
    quantities.forEach(quantity -> heading.add(NumberText.titled(quantity.id(), quantity.unit())));
    heading.addAll(List.of("seed", "events", "fingerprint"));
    List<List<String>> rows = new ArrayList<>();
    rows.add(heading);
    for (Point point : sweep.points()) {
      List<String> row = values(sweep, point);
      quantities.forEach(quantity -> row.add(figure(Quantities.value(point.results(), quantity.id()))));
      row.add(Long.toString(point.results().run().seed()));
      row.add(Long.toString(point.results().run().events()));
      row.add(NumberText.fingerprint(point.results().run().fingerprint()));
      rows.add(row);
    }
    return text(rows);
  }

  /** Writes a run's links, a row per directed link. */
  public static String writeLinks(Results results) {
    return writeLinks(single(results));
  }

  /** Writes a sweep's links, a row per point and directed link. */
  public static String writeLinks(SweepResults sweep) {
    List<String> heading = new ArrayList<>();
    sweep.axes().forEach(axis -> heading.add(axis.path()));
    heading.addAll(List.of(
        "link", "tier", "rate [GB/s]", "utilization", "payload [GB/s]", "units", "credit-stall", "max-queue [B]"));
    List<List<String>> rows = new ArrayList<>();
    rows.add(heading);
    for (Point point : sweep.points()) {
      for (LinkUsage link : point.results().links()) {
        List<String> row = values(sweep, point);
        row.addAll(List.of(
            link.name(), link.tier(), figure(link.rateGBps()), figure(link.utilization()), figure(link.payloadGBps()),
            Long.toString(link.units()), figure(link.creditStall()), Long.toString(link.maxQueueBytes())));
        rows.add(row);
      }
    }
    return text(rows);
  }

  private static SweepResults single(Results results) {
    return new SweepResults(
        results.run().scenario(), "", List.of(), List.of(), List.of(new Point(Map.of(), results)));
  }

  private static List<String> values(SweepResults sweep, Point point) {
    List<String> row = new ArrayList<>();
    for (Axis axis : sweep.axes()) {
      row.add(point.parameters().getOrDefault(axis.path(), ""));
    }
    return row;
  }

  private static String figure(double value) {
    return Double.isFinite(value) ? Double.toString(value) : "";
  }

  private static String text(List<List<String>> rows) {
    StringWriter text = new StringWriter();
    try (SequenceWriter writer =
        MAPPER.writer(CsvSchema.emptySchema().withLineSeparator("\r\n")).writeValues(text)) {
      for (List<String> row : rows) {
        writer.write(row);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return text.toString();
  }
}
