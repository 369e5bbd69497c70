package dev.heddle.report;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.heddle.results.Results;
import dev.heddle.results.SweepResults;
import dev.heddle.results.ValidationReport;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.List;

/**
 * Results as JSON, and back.
 *
 * <p>Field names are those of the records in {@link dev.heddle.results}. A figure that is not finite is {@code null}
 * and comes back as NaN; a fingerprint is a string of 16 hexadecimal digits, as JSON's numbers do not hold 64 bits.
 */
public final class JsonReport {
  private static final ObjectMapper MAPPER = ResultsJson.mapper();

  private JsonReport() {}

  /** Writes a run, indented. */
  public static String write(Results results) {
    return pretty(results);
  }

  /** Writes a run on one line, for files of one result per line. */
  public static String writeLine(Results results) {
    try {
      return MAPPER.writeValueAsString(results);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("results that have no JSON", e);
    }
  }

  /** Writes a sweep, indented. */
  public static String write(SweepResults sweep) {
    StringWriter text = new StringWriter();
    write(sweep, sweep.points(), List.of(), text);
    return text.toString();
  }

  /**
   * Writes a sweep, indented, point by point, so that memory holds one point at a time.
   *
   * @param sweep everything but the points
   * @param points with their full results
   * @param failed points that could not be carried out
   * @param writer is not closed
   * @throws UncheckedIOException when it cannot be written
   */
  public static void write(SweepResults sweep, Iterable<SweepResults.Point> points, List<FailedPoint> failed,
      Writer writer) {
    try (JsonGenerator json = MAPPER.createGenerator(writer)) {
      json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
      json.setPrettyPrinter(new DefaultPrettyPrinter());
      json.writeStartObject();
      json.writeObjectField("scenario", sweep.scenario());
      json.writeObjectField("description", sweep.description());
      json.writeObjectField("axes", sweep.axes());
      json.writeObjectField("plots", sweep.plots());
      json.writeObjectField("rankings", sweep.rankings());
      json.writeArrayFieldStart("points");
      for (SweepResults.Point point : points) {
        json.writeObject(point);
      }
      json.writeEndArray();
      json.writeObjectField("failed", failed);
      json.writeEndObject();
      json.writeRaw("\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Writes a validation, indented: {@code {suite, tables: [{name, unit, rows: [{label, sizeBytes?, reference, model,
   * errorPct}], meanAbsErrorPct, maxAbsErrorPct, boundPct, source, holds}], meanAbsErrorPct, holds, notes,
   * basis?: {measured, fitted, leftOut, unfitted, misses}}}.
   */
  public static String write(ValidationReport report) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("suite", report.suite());
    ArrayNode tables = root.putArray("tables");
    report.tables().forEach(table -> tables.add(table(table)));
    put(root, "meanAbsErrorPct", report.meanAbsErrorPct());
    root.put("holds", report.holds());
    ArrayNode notes = root.putArray("notes");
    report.notes().forEach(notes::add);
    report.basis().ifPresent(basis -> {
      ObjectNode node = root.putObject("basis");
      node.put("measured", basis.measured());
      node.put("fitted", basis.fitted());
      node.put("leftOut", basis.leftOut());
      node.put("unfitted", basis.unfitted());
      ObjectNode misses = node.putObject("misses");
      basis.misses().forEach(misses::put);
    });
    return pretty(root);
  }

  /**
   * Reads a run that {@link #write(Results)} or {@link #writeLine} wrote.
   *
   * @throws IllegalArgumentException when the text is not one, or lacks a field
   */
  public static Results read(String json) {
    return read(json, Results.class);
  }

  /**
   * Reads a sweep that {@link #write(SweepResults)} wrote, without its failed points.
   *
   * @throws IllegalArgumentException when the text is not one, or lacks a field
   */
  public static SweepResults readSweep(String json) {
    return read(json, SweepResults.class);
  }

  private static ObjectNode table(ValidationReport.Table table) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("name", table.name());
    node.put("unit", table.unit());
    ArrayNode rows = node.putArray("rows");
    for (ValidationReport.Row row : table.rows()) {
      ObjectNode cells = rows.addObject();
      cells.put("label", row.label());
      row.sizeBytes().ifPresent(bytes -> cells.put("sizeBytes", bytes));
      put(cells, "reference", row.reference());
      put(cells, "model", row.model());
      put(cells, "errorPct", row.errorPct());
    }
    put(node, "meanAbsErrorPct", table.meanAbsErrorPct());
    put(node, "maxAbsErrorPct", table.maxAbsErrorPct());
    put(node, "boundPct", table.boundPct());
    node.put("source", table.source());
    node.put("holds", table.holds());
    return node;
  }

  private static void put(ObjectNode node, String key, double value) {
    if (Double.isFinite(value)) {
      node.put(key, value);
    } else {
      node.putNull(key);
    }
  }

  private static String pretty(Object value) {
    try {
      return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("results that have no JSON", e);
    }
  }

  private static <T> T read(String json, Class<T> type) {
    try {
      T value = MAPPER.readValue(json, type);
      if (value == null) {
        throw new IllegalArgumentException("not a result: null");
      }
      return value;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not a result: " + e.getOriginalMessage(), e);
    }
  }
}
