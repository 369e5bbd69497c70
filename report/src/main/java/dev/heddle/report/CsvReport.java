package dev.heddle.report;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.SequenceWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
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
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Results as comma-separated values of RFC 4180: a heading, then a row per point; links as a table of their own.
 *
 * <p>A heading is the key of a swept field or quantity, with its unit in brackets. Figures have full precision; a
 * figure that is not finite is an empty field.
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
    StringWriter text = new StringWriter();
    write(sweep, text);
    return text.toString();
  }

  /**
   * Writes a sweep, a row per point.
   *
   * @param writer is not closed
   * @throws UncheckedIOException when it cannot be written
   */
  public static void write(SweepResults sweep, Writer writer) {
    List<Quantities.Quantity> quantities = Quantities.of(sweep.points().stream().map(Point::results).toList());
    List<String> heading = new ArrayList<>();
    sweep.axes().forEach(axis -> heading.add(axis.path()));
    quantities.forEach(quantity -> heading.add(NumberText.titled(quantity.id(), quantity.unit())));
    heading.addAll(List.of("seed", "events", "fingerprint"));
    Rows rows = new Rows(writer);
    rows.add(heading);
    for (Point point : sweep.points()) {
      List<String> row = values(sweep.axes(), point);
      quantities.forEach(quantity -> row.add(figure(Quantities.value(point.results(), quantity.id()))));
      row.add(Long.toString(point.results().run().seed()));
      row.add(Long.toString(point.results().run().events()));
      row.add(NumberText.fingerprint(point.results().run().fingerprint()));
      rows.add(row);
    }
  }

  /** Writes a run's links, a row per directed link. */
  public static String writeLinks(Results results) {
    return writeLinks(single(results));
  }

  /** Writes a sweep's links, a row per point and directed link. */
  public static String writeLinks(SweepResults sweep) {
    StringWriter text = new StringWriter();
    writeLinks(sweep.axes(), sweep.points(), text);
    return text.toString();
  }

  /**
   * Writes a sweep's links, point by point.
   *
   * @param axes of the sweep
   * @param points with their links
   * @param writer is not closed
   * @throws UncheckedIOException when it cannot be written
   */
  public static void writeLinks(List<Axis> axes, Iterable<Point> points, Writer writer) {
    List<String> heading = new ArrayList<>();
    axes.forEach(axis -> heading.add(axis.path()));
    heading.addAll(List.of(
        "link", "tier", "rate [GB/s]", "utilization", "payload [GB/s]", "units", "credit-stall", "max-queue [B]"));
    Rows rows = new Rows(writer);
    rows.add(heading);
    for (Point point : points) {
      for (LinkUsage link : point.results().links()) {
        List<String> row = values(axes, point);
        row.addAll(List.of(
            link.name(), link.tier(), figure(link.rateGBps()), figure(link.utilization()), figure(link.payloadGBps()),
            Long.toString(link.units()), figure(link.creditStall()), Long.toString(link.maxQueueBytes())));
        rows.add(row);
      }
    }
  }

  private static SweepResults single(Results results) {
    return new SweepResults(
        results.run().scenario(), "", List.of(), List.of(), List.of(new Point(Map.of(), results)));
  }

  private static List<String> values(List<Axis> axes, Point point) {
    List<String> row = new ArrayList<>();
    for (Axis axis : axes) {
      row.add(point.parameters().getOrDefault(axis.path(), ""));
    }
    return row;
  }

  private static String figure(double value) {
    return Double.isFinite(value) ? Double.toString(value) : "";
  }

  /** Rows that are written as they come. */
  private static final class Rows {
    private final SequenceWriter rows;

    Rows(Writer writer) {
      try {
        rows = MAPPER.writer(CsvSchema.emptySchema().withLineSeparator("\r\n"))
            .without(JsonGenerator.Feature.AUTO_CLOSE_TARGET).with(SerializationFeature.FLUSH_AFTER_WRITE_VALUE)
            .writeValues(writer);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    void add(List<String> row) {
      try {
        rows.write(row);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
