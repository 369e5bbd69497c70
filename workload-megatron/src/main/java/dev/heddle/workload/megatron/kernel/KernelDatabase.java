package dev.heddle.workload.megatron.kernel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Measured kernel times: kernel, shape, precision and accelerator to time [SimAI §4.3, Table 4]. A CSV file with the
 * columns {@value #COLUMNS} in any order; lines that begin with {@code #} state the source of the times, and further
 * columns are the user's.
 *
 * @param rows measured kernels, in the order of the file
 */
public record KernelDatabase(List<Row> rows) {
  private static final String COLUMNS = "gpu,kernel,precision,shape,us";
  private static final double MICROSECOND = 1e-6;

  /** Copies the list. */
  public KernelDatabase {
    rows = ImmutableList.copyOf(rows);
  }

  /**
   * A measured kernel.
   *
   * @param gpu name of the accelerator, as its preset has it
   * @param kernel measured kernel
   * @param seconds mean time, positive
   * @param place file and line
   * @param cells all cells by column
   */
  public record Row(String gpu, Kernel kernel, double seconds, String place, Map<String, String> cells) {
    /** Copies the map. */
    public Row {
      cells = ImmutableMap.copyOf(cells);
    }
  }

  /**
   * Reads a file.
   *
   * @throws InvalidSettingException naming the file and the malformed line
   */
  public static KernelDatabase read(Path file) {
    return parse(file.toString(), MeasuredFile.text(file));
  }

  /**
   * Reads a text.
   *
   * @param name of the file, for messages
   * @throws InvalidSettingException naming the malformed line
   */
  public static KernelDatabase parse(String name, String text) {
    List<String> columns = List.of();
    List<Row> rows = new ArrayList<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String place = name + ":" + number;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      List<String> cells = Arrays.stream(line.split(",", -1)).map(String::strip).toList();
      if (columns.isEmpty()) {
        columns = columns(place, cells);
      } else {
        rows.add(row(place, columns, cells));
      }
    }
    if (rows.isEmpty()) {
      throw new InvalidSettingException("", name + " holds no kernel; its columns must be " + COLUMNS);
    }
    return new KernelDatabase(rows);
  }

  private static List<String> columns(String place, List<String> cells) {
    for (String wanted : COLUMNS.split(",")) {
      if (!cells.contains(wanted)) {
        throw new InvalidSettingException("", place + ": there is no column '" + wanted + "'; it must have " + COLUMNS);
      }
    }
    return cells;
  }

  private static Row row(String place, List<String> columns, List<String> cells) {
    if (cells.size() != columns.size()) {
      throw new InvalidSettingException(
          "", place + ": " + cells.size() + " cells, but " + columns.size() + " columns");
    }
    Map<String, String> named = new LinkedHashMap<>();
    for (int i = 0; i < cells.size(); i++) {
      named.put(columns.get(i), cells.get(i));
    }
    try {
      Kernel kernel = KernelKey.kernel(cell(named, "kernel"), cell(named, "precision"), cell(named, "shape"));
      return new Row(cell(named, "gpu"), kernel, MeasuredFile.seconds("us", cell(named, "us")), place, named);
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException("", place + ": " + e.getMessage());
    }
  }

  private static String cell(Map<String, String> named, String column) {
    return named.getOrDefault(column, "");
  }

  /**
   * Kernel times of the file, completed by those of another source for kernels that the file lacks.
   *
   * @param gpu name of the accelerator
   * @param others times of all other kernels
   * @throws InvalidSettingException when the file has no time of that accelerator
   */
  public KernelTimes withFallback(String gpu, KernelTimes others) {
    Map<KernelKey, Double> known = new LinkedHashMap<>();
    Set<String> gpus = new LinkedHashSet<>();
    for (Row row : rows) {
      gpus.add(row.gpu());
      if (row.gpu().equalsIgnoreCase(gpu)) {
        KernelKey.of(row.kernel()).ifPresent(key -> known.put(key, row.seconds()));
      }
    }
    if (known.isEmpty()) {
      throw new InvalidSettingException(
          "kernels.database", "there is no kernel of " + gpu + " in it; it has those of " + String.join(", ", gpus));
    }
    return kernel -> KernelKey.of(kernel).map(known::get).orElseGet(() -> others.seconds(kernel));
  }

  /**
   * Writes times in the format of this class, each kernel once.
   *
   * @param gpu name of the accelerator
   * @param kernels kernels to write
   * @param times source of their times
   * @param out destination
   */
  public static void write(String gpu, List<Kernel> kernels, KernelTimes times, Appendable out) {
    Set<KernelKey> written = new LinkedHashSet<>();
    try {
      out.append(COLUMNS).append('\n');
      for (Kernel kernel : kernels) {
        KernelKey key = KernelKey.of(kernel).orElse(null);
        if (key != null && written.add(key)) {
          out.append(String.join(",", gpu, key.kind(), KernelKey.name(key.precision()), key.shape(),
              String.format(Locale.ROOT, "%.3f", times.seconds(kernel) / MICROSECOND))).append('\n');
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
