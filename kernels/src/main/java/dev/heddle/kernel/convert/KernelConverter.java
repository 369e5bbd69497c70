package dev.heddle.kernel.convert;

import dev.heddle.kernel.GpuCatalog;
import dev.heddle.kernel.KernelTable;
import dev.heddle.kernel.Provenance;
import dev.heddle.kernel.TableId;
import dev.heddle.kernel.TableWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Makes tables of the rows of files. */
public final class KernelConverter {
  private static final String CHANGES =
      "converted to columns of sizes; times rounded to 0.013 %; repeats averaged, disturbed ones left out";

  private KernelConverter() {}

  private static final class Collected {
    private final List<MeasuredRow> rows = new ArrayList<>();
    private final Set<String> sources = new LinkedHashSet<>();
    private final Set<String> licences = new LinkedHashSet<>();
    private final Set<String> software = new LinkedHashSet<>();
  }

  /**
   * Tables of all rows, each with the measurements on one accelerator of one kind, format and variant.
   *
   * @throws dev.heddle.spi.InvalidSettingException when rows are impossible or contradict each other
   */
  public static List<KernelTable> tables(List<KernelFile> files, GpuCatalog gpus) {
    Map<TableId, Collected> all = new LinkedHashMap<>();
    for (KernelFile file : files) {
      for (MeasuredRow row : file.rows()) {
        Collected collected = all.computeIfAbsent(row.table(), id -> new Collected());
        collected.rows.add(row);
        collected.sources.add(source(file));
        collected.licences.add(file.licence().isEmpty() ? "not stated" : file.licence());
        if (!row.software().isEmpty()) {
          collected.software.add(row.software());
        }
      }
    }
    List<KernelTable> tables = new ArrayList<>();
    all.forEach((id, collected) -> tables.add(table(gpus, id, collected)));
    return tables;
  }

  // Of several files of one table the shortest common beginning says enough.
  private static String source(KernelFile file) {
    String text = file.source().isEmpty() ? file.name() : file.source();
    int path = text.indexOf(" path ");
    return path < 0 ? text.replaceAll(" \\(.*", "") : text.substring(0, path);
  }

  private static KernelTable table(GpuCatalog gpus, TableId id, Collected collected) {
    int width = id.kind().sizes().size();
    long[] shapes = new long[collected.rows.size() * width];
    double[] seconds = new double[collected.rows.size()];
    for (int i = 0; i < seconds.length; i++) {
      System.arraycopy(collected.rows.get(i).shape(), 0, shapes, i * width, width);
      seconds[i] = TableWriter.kept(collected.rows.get(i).seconds());
    }
    Provenance from = new Provenance(String.join("; ", collected.sources), String.join("; ", collected.licences),
        String.join("; ", collected.software), CHANGES);
    return KernelTable.of(gpus.get(id.gpu()), id, from, shapes, seconds);
  }
}
