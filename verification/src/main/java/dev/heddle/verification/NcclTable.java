package dev.heddle.verification;

import com.google.common.collect.ImmutableList;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Times measured by nccl-tests: a CSV file with the columns {@code size_bytes} and {@code time_us}, below lines {@code
 * # key: value} with the keys {@code source}, {@code gpus} and {@code collective}.
 */
record NcclTable(String source, int ranks, CollectiveOp op, boolean inPlace, List<Row> rows) {
  private static final String SIZE = "size_bytes";
  private static final String TIME = "time_us";
  private static final double GROWING = 2.0 / 3;
  private static final List<String> KEYS = List.of("source", "gpus", "collective");

  NcclTable {
    rows = ImmutableList.copyOf(rows);
  }

  /** One measured time, microseconds. */
  record Row(long bytes, double micros) {}

  /**
   * Whether an outside effect delayed a row: a larger size of the same table took at most two thirds of its time. Times
   * grow with the size except at changes of NCCL's algorithm or protocol, where they never fell by as much.
   */
  boolean outlier(Row row) {
    return rows.stream().anyMatch(
        other -> other.bytes() > row.bytes() && other.micros() <= row.micros() * GROWING);
  }

  /**
   * Reads a file.
   *
   * @param name of the file, for messages
   * @throws InvalidSettingException naming file and line of a malformed entry
   */
  static NcclTable read(String name, String text) {
    CsvTable csv = CsvTable.read(name, text);
    int size = column(csv, SIZE);
    int time = column(csv, TIME);
    List<Row> rows = new ArrayList<>();
    for (CsvTable.Line line : csv.lines()) {
      rows.add(new Row(
          (long) CsvTable.number(line.place(), SIZE, line.cell(size)),
          CsvTable.number(line.place(), TIME, line.cell(time))));
    }
    CsvTable.require(!rows.isEmpty(), name, "no rows");
    csv.requireKeys(KEYS);
    return new NcclTable(
        csv.header("source"), ranks(name, csv.header("gpus")), op(name, csv.header("collective")),
        csv.header("columns").startsWith("in-place"), rows);
  }

  private static int column(CsvTable csv, String wanted) {
    int column = csv.columns().indexOf(wanted);
    CsvTable.require(column >= 0, csv.titlePlace(), "no column '" + wanted + "' among " + csv.columns());
    return column;
  }

  private static int ranks(String name, String text) {
    String first = text.split(" ")[0];
    try {
      return Integer.parseInt(first);
    } catch (NumberFormatException e) {
      throw new InvalidSettingException("", name + ": gpus '" + text + "' does not begin with a number");
    }
  }

  static CollectiveOp op(String name, String text) {
    String key = switch (text) {
      case "alltoall" -> "all_to_all";
      case "sendrecv" -> "send_recv";
      default -> text;
    };
    return Arrays.stream(CollectiveOp.values()).filter(op -> op.key().equals(key)).findFirst()
        .orElseThrow(() -> new InvalidSettingException("", name + ": collective '" + text + "' is not known"));
  }
}
