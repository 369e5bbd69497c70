package dev.heddle.verification;

import com.google.common.collect.ImmutableList;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Times that nccl-tests measured: a CSV file with the columns {@code size_bytes} and {@code time_us}, below lines
 * {@code # key: value}, of which {@code source}, {@code gpus} and {@code collective} must be there.
 *
 * @param source where the times come from
 * @param ranks GPUs
 * @param op what they did
 * @param inPlace whether in place
 * @param rows as in the file
 */
record NcclTable(String source, int ranks, CollectiveOp op, boolean inPlace, List<Row> rows) {
  private static final String SIZE = "size_bytes";
  private static final String TIME = "time_us";

  NcclTable {
    rows = ImmutableList.copyOf(rows);
  }

  /** One measured time, microseconds. */
  record Row(long bytes, double micros) {}

  /**
   * Reads a file.
   *
   * @param name of the file, for messages
   * @throws InvalidSettingException naming file and line of what is malformed
   */
  static NcclTable read(String name, String text) {
    Map<String, String> header = new LinkedHashMap<>();
    List<Row> rows = new ArrayList<>();
    int[] columns = {-1, -1};
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String place = name + ":" + number;
      if (line.startsWith("#")) {
        int colon = line.indexOf(':');
        header.putIfAbsent(colon < 0 ? line : line.substring(1, colon).strip(), line.substring(colon + 1).strip());
      } else if (!line.isBlank() && columns[0] < 0) {
        List<String> names = Arrays.asList(line.strip().split(","));
        columns = new int[] {column(place, names, SIZE), column(place, names, TIME)};
      } else if (!line.isBlank()) {
        String[] cells = line.strip().split(",");
        rows.add(new Row((long) cell(place, cells, columns[0], SIZE), cell(place, cells, columns[1], TIME)));
      }
    }
    if (rows.isEmpty()) {
      throw new InvalidSettingException("", name + " holds no rows");
    }
    return new NcclTable(
        value(name, header, "source"), ranks(name, value(name, header, "gpus")),
        op(name, value(name, header, "collective")),
        header.getOrDefault("columns", "").startsWith("in-place"), rows);
  }

  private static int column(String place, List<String> names, String wanted) {
    int column = names.indexOf(wanted);
    if (column < 0) {
      throw new InvalidSettingException("", place + ": no column '" + wanted + "' among " + names);
    }
    return column;
  }

  private static double cell(String place, String[] cells, int column, String what) {
    String text = column < cells.length ? cells[column] : "";
    try {
      double value = Double.parseDouble(text);
      if (value > 0 && value < Double.POSITIVE_INFINITY) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Falls through to the one message.
    }
    throw new InvalidSettingException("", place + ": " + what + " '" + text + "' is not a number above 0");
  }

  private static String value(String name, Map<String, String> header, String key) {
    String value = header.get(key);
    if (value == null) {
      throw new InvalidSettingException("", name + ": no line '# " + key + ": …'");
    }
    return value;
  }

  private static int ranks(String name, String text) {
    String first = text.split(" ")[0];
    try {
      return Integer.parseInt(first);
    } catch (NumberFormatException e) {
      throw new InvalidSettingException("", name + ": gpus '" + text + "' does not begin with a number");
    }
  }

  private static CollectiveOp op(String name, String text) {
    String key = switch (text) {
      case "alltoall" -> "all_to_all";
      case "sendrecv" -> "send_recv";
      default -> text;
    };
    return Arrays.stream(CollectiveOp.values()).filter(op -> op.key().equals(key)).findFirst()
        .orElseThrow(() -> new InvalidSettingException("", name + ": collective '" + text + "' is not known"));
  }
}
