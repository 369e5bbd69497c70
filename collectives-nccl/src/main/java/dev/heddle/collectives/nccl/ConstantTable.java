package dev.heddle.collectives.nccl;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * A table of NCCL's constants that differ by version, read from a CSV resource. Lines that begin with {@code #} are
 * comments; the first other line names the columns. The columns {@code since} and {@code until} bound the versions for
 * which a row holds: {@code 29} is all of 2.29, {@code 29.7} the patch 2.29.7.
 */
public final class ConstantTable {
  private static final int PATCHES = 1000;

  private final String file;
  private final List<Row> rows;

  private ConstantTable(String file, List<Row> rows) {
    this.file = file;
    this.rows = rows;
  }

  /** A row with the first and the last version for which it holds, see {@link #number(int, int)}. */
  private record Row(Map<String, String> cells, int since, int until) {
    static Row of(Map<String, String> cells) {
      return new Row(
          cells, bound(cells.getOrDefault("since", ""), 0), bound(cells.getOrDefault("until", ""), PATCHES - 1));
    }

    // The bound that a cell states; without a patch it has the given one, without a version it is at either end.
    private static int bound(String cell, int patch) {
      if (cell.isEmpty()) {
        return patch == 0 ? 0 : Integer.MAX_VALUE;
      }
      String[] parts = cell.split("\\.");
      return number(Integer.parseInt(parts[0]), parts.length > 1 ? Integer.parseInt(parts[1]) : patch);
    }

    boolean holds(NcclVersion version) {
      int number = number(version.minor(), version.patch());
      return number >= since && number <= until;
    }
  }

  private static int number(int minor, int patch) {
    return minor * PATCHES + patch;
  }

  /**
   * Reads a CSV resource of this package.
   *
   * @throws IllegalStateException when the resource is missing
   */
  public static ConstantTable read(String file) {
    InputStream in = ConstantTable.class.getResourceAsStream(file);
    if (in == null) {
      throw new IllegalStateException("resource " + file + " is missing");
    }
    try (BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      List<String[]> lines = reader.lines().filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> line.split(",", -1)).toList();
      ImmutableList.Builder<Row> rows = ImmutableList.builder();
      for (String[] line : lines.subList(1, lines.size())) {
        ImmutableMap.Builder<String, String> row = ImmutableMap.builder();
        for (int i = 0; i < line.length; i++) {
          row.put(lines.get(0)[i].strip(), line[i].strip());
        }
        rows.add(Row.of(row.buildOrThrow()));
      }
      return new ConstantTable(file, rows.build());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The rows that hold for a version, in the order of the file. */
  public List<Map<String, String>> rows(NcclVersion version) {
    return rows.stream().filter(row -> row.holds(version)).map(Row::cells).toList();
  }

  /**
   * The number in a column of the first row that holds for a version and has the given key in its first column.
   *
   * @throws IllegalStateException when there is no such row or column
   */
  public double number(NcclVersion version, String key, String column) {
    for (Row row : rows) {
      if (row.cells().values().iterator().next().equals(key) && row.holds(version)) {
        return Double.parseDouble(cell(row.cells(), column));
      }
    }
    throw new IllegalStateException(file + " has no row " + key + " for NCCL " + version);
  }

  /**
   * The cell of a row in a column.
   *
   * @throws IllegalStateException when there is no such column
   */
  public String cell(Map<String, String> row, String column) {
    String cell = row.get(column);
    if (cell == null) {
      throw new IllegalStateException(file + " has no column " + column);
    }
    return cell;
  }
}
