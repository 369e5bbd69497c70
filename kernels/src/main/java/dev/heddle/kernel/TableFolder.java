package dev.heddle.kernel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.spi.InvalidSettingException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A folder of tables in the compact format, with an index of their names.
 *
 * @param name of the folder, for messages
 * @param files name of the file of each table
 * @param bytes reads a file
 * @param gpus data sheets
 */
record TableFolder(String name, Map<TableId, String> files, Function<String, byte[]> bytes, GpuCatalog gpus)
    implements KernelSource {
  static final String INDEX = "index.csv";
  static final List<String> COLUMNS = List.of("file", "gpu", "kernel", "precision", "variant", "rows");

  TableFolder {
    files = ImmutableMap.copyOf(files);
  }

  /** Reads the index. */
  static TableFolder of(String name, Function<String, byte[]> bytes, GpuCatalog gpus) {
    String place = name + "/" + INDEX;
    CsvRows csv = CsvRows.parse(place, new String(bytes.apply(INDEX), java.nio.charset.StandardCharsets.UTF_8));
    ImmutableMap.Builder<TableId, String> files = ImmutableMap.builder();
    for (CsvRows.Row row : csv.require(COLUMNS).rows()) {
      if (!plain(row.cell("file"))) {
        throw row.failure("file", "a plain name");
      }
      files.put(new TableId(row.cell("gpu"), KernelKind.of(row.cell("kernel")), NumberFormat.of(row.cell("precision")),
          row.cell("variant")), row.cell("file"));
    }
    return new TableFolder(name, files.buildKeepingLast(), bytes, gpus);
  }

  private static boolean plain(String file) {
    for (int i = 0; i < file.length(); i++) {
      char c = file.charAt(i);
      if (!(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '-')) {
        return false;
      }
    }
    return !file.isEmpty();
  }

  @Override
  public List<TableId> tables() {
    return ImmutableList.copyOf(files.keySet());
  }

  @Override
  public KernelTable open(TableId id) {
    String file = files.get(id);
    if (file == null) {
      throw new InvalidSettingException("", name + " has no table " + id);
    }
    KernelTable table = TableFile.read(name + "/" + file, bytes.apply(file), gpus);
    if (!table.id().equals(id)) {
      throw new InvalidSettingException("", name + "/" + file + " is " + table.id() + ", but the index says " + id);
    }
    return table;
  }
}
