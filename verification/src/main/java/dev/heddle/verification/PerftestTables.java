package dev.heddle.verification;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Tables of perftest results with the columns dataset, tool, size_bytes, metric, value, unit; lines that begin with #
 * are notes.
 */
final class PerftestTables {
  private static final List<String> COLUMNS = List.of("dataset", "tool", "size_bytes", "value", "unit");

  private PerftestTables() {}

  /** One measured row. */
  record Measured(long sizeBytes, double value) {}

  /** The rows of one tool on one system. */
  record Table(String dataset, String tool, String unit, String source, List<Measured> rows) {}

  /**
   * Reads a table file.
   *
   * @param name of the file, for messages
   * @throws InvalidSettingException naming file and line of a malformed entry
   */
  static List<Table> read(String name, String text) {
    String source = text.lines().filter(line -> line.startsWith("# source:")).findFirst()
        .map(line -> line.substring("# source:".length()).strip()).orElse(name);
    Map<String, Table> tables = new LinkedHashMap<>();
    ObjectReader reader =
        new CsvMapper().readerForMapOf(String.class)
            .with(CsvSchema.emptySchema().withHeader().withComments())
            .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    try (MappingIterator<Map<String, String>> rows = reader.readValues(text)) {
      while (rows.hasNext()) {
        String place = name + ":" + rows.getCurrentLocation().getLineNr();
        Map<String, String> row = rows.next();
        String dataset = cell(place, row, "dataset");
        String tool = cell(place, row, "tool");
        String unit = cell(place, row, "unit");
        Table table =
            tables.computeIfAbsent(
                dataset + "\n" + tool, key -> new Table(dataset, tool, unit, source, new ArrayList<>()));
        if (!table.unit().equals(unit)) {
          throw new InvalidSettingException(
              "", place + ": unit '" + unit + "' after '" + table.unit() + "' in one table");
        }
        table.rows().add(new Measured((long) number(place, row, "size_bytes"), number(place, row, "value")));
      }
    } catch (IOException | RuntimeException e) {
      if (e instanceof InvalidSettingException) {
        throw (InvalidSettingException) e;
      }
      throw new InvalidSettingException("", name + ": not a readable CSV table: " + e.getMessage());
    }
    return List.copyOf(tables.values());
  }

  private static String cell(String place, Map<String, String> row, String column) {
    String text = row.get(column);
    if (text == null) {
      throw new InvalidSettingException(
          "", place + ": no column '" + column + "'; a table of perftest results has " + COLUMNS);
    }
    return text;
  }

  private static double number(String place, Map<String, String> row, String column) {
    String text = cell(place, row, column);
    try {
      double value = Double.parseDouble(text);
      if (value > 0 && value < Double.POSITIVE_INFINITY) {
        return value;
      }
    } catch (NumberFormatException e) {
      // The single message follows.
    }
    throw new InvalidSettingException("", place + ": " + column + " '" + text + "' is not a number above 0");
  }
}
