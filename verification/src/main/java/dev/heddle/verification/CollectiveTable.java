package dev.heddle.verification;

import com.google.common.collect.ImmutableList;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Times or rates of collectives and messages: a CSV file below lines {@code # key: value}. The keys {@code name},
 * {@code source}, {@code cluster} and {@code unit} are required, {@code bound} is optional.
 */
record CollectiveTable(CsvTable csv, List<Row> rows) {
  private static final List<String> COLUMNS = List.of("label", "op", "groups", "bytes", "measured");
  private static final List<String> KEYS = List.of("name", "source", "cluster", "unit");
  private static final double MOST_BYTES = 1L << 40;
  private static final List<String> UNITS = List.of("us", "GB/s");

  CollectiveTable {
    rows = ImmutableList.copyOf(rows);
  }

  /**
   * A row.
   *
   * @param label for display
   * @param op the operation
   * @param groups of accelerators that run it concurrently, by number
   * @param bytes of the largest buffer of any rank
   * @param measured in the table's unit
   */
  record Row(String label, CollectiveOp op, List<List<Integer>> groups, long bytes, double measured) {}

  /** The value of a key; empty if absent. */
  String header(String key) {
    return csv.header(key);
  }

  /** A bound in percent; NaN if none is claimed. */
  double bound() {
    return csv.bound("bound");
  }

  /**
   * Reads a file.
   *
   * @param name of the file, for messages
   * @throws InvalidSettingException naming file and line of a malformed entry
   */
  static CollectiveTable read(String name, String text) {
    CsvTable csv = CsvTable.read(name, text).requireKeys(KEYS).requireOneOf("unit", UNITS).requireColumns(COLUMNS);
    return new CollectiveTable(csv, csv.lines().stream().map(CollectiveTable::row).toList());
  }

  private static Row row(CsvTable.Line line) {
    CollectiveOp op = Arrays.stream(CollectiveOp.values()).filter(each -> each.key().equals(line.cell(1))).findFirst()
        .orElseThrow(() -> unknown(line));
    List<List<Integer>> groups = new ArrayList<>();
    for (String group : line.cell(2).split("\\|")) {
      groups.add(Arrays.stream(group.strip().split(" +")).map(member -> member(line, member)).toList());
    }
    return new Row(line.cell(0), op, groups, bytes(line), number(line, 4));
  }

  private static InvalidSettingException unknown(CsvTable.Line line) {
    List<String> known = Arrays.stream(CollectiveOp.values()).map(CollectiveOp::key).toList();
    return new InvalidSettingException("", line.place() + ": op '" + line.cell(1) + "' is none of "
        + String.join(", ", known) + NearestMatch.hint(line.cell(1), known));
  }

  private static long bytes(CsvTable.Line line) {
    double bytes = number(line, 3);
    CsvTable.require(bytes >= 1 && bytes < MOST_BYTES, line.place(),
        "bytes are '" + line.cell(3) + "'; they must be from 1 to 2^40 - 1");
    return (long) bytes;
  }

  private static double number(CsvTable.Line line, int column) {
    return CsvTable.number(line.place(), COLUMNS.get(column), line.cell(column));
  }

  private static int member(CsvTable.Line line, String text) {
    CsvTable.require(
        text.matches("\\d{1,6}"), line.place(), "a member is '" + text + "'; it must be a whole number of at least 0");
    return Integer.parseInt(text);
  }
}
