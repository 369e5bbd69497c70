package dev.heddle.kernel.convert;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.kernel.CsvRows;
import dev.heddle.kernel.GpuCatalog;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.text.Unreadable;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/**
 * Measured kernels of a file.
 *
 * @param name of the file
 * @param source as its comments say
 * @param licence as its comments say
 * @param rows in order
 * @param unknown rows left out, as for a GPU or a number format that is not known: their number by its name
 */
public record KernelFile(
    String name, String source, String licence, List<MeasuredRow> rows, Map<String, Integer> unknown) {
  private static final int MOST_BYTES = 512 << 20;

  /** Copies the list. */
  public KernelFile {
    rows = ImmutableList.copyOf(rows);
    unknown = ImmutableMap.copyOf(unknown);
  }

  /**
   * Reads a CSV file, packed by gzip where its name ends in {@code .gz}: the project's own columns
   * {@code gpu,kernel,precision,shape,us}, those of AIConfigurator's tables, or those of AITER's tuned products.
   *
   * @throws InvalidSettingException naming file and malformed line
   */
  public static KernelFile read(Path file, GpuCatalog gpus) {
    return parse(file.getFileName().toString(), text(file), gpus);
  }

  /** The same without AIConfigurator's rows of GPUs and number formats that are not known. */
  public static KernelFile readKnown(Path file, GpuCatalog gpus) {
    return parse(file.getFileName().toString(), text(file), gpus, true);
  }

  /**
   * Reads a text of such a file.
   *
   * @param name of the file, for messages
   * @throws InvalidSettingException naming the malformed line
   */
  public static KernelFile parse(String name, String text, GpuCatalog gpus) {
    return parse(name, text, gpus, false);
  }

  /** The same without AIConfigurator's rows of GPUs and number formats that are not known. */
  public static KernelFile parseKnown(String name, String text, GpuCatalog gpus) {
    return parse(name, text, gpus, true);
  }

  private static KernelFile parse(String name, String text, GpuCatalog gpus, boolean known) {
    CsvRows csv = CsvRows.parse(name, text);
    Map<String, Integer> unknown = Map.of();
    List<MeasuredRow> rows;
    if (csv.columns().containsKey("system")) {
      AicTable table = new AicTable(csv, gpus);
      rows = table.rows(known);
      unknown = table.unknown();
    } else if (csv.columns().keySet().containsAll(AiterTable.COLUMNS)) {
      AiterTable table = new AiterTable(csv, gpus);
      rows = table.rows();
      unknown = table.unknown();
    } else {
      rows = new MeasuredTable(csv, gpus).rows();
    }
    if (rows.isEmpty()) {
      throw new InvalidSettingException("",
          name + " holds no kernel"
              + (unknown.isEmpty() ? "" : ", only rows of " + String.join(" and of ", unknown.keySet())));
    }
    return new KernelFile(name, csv.comment("source"),
        csv.comment("licence of source").isEmpty() ? csv.comment("licence") : csv.comment("licence of source"), rows,
        unknown);
  }

  private static String text(Path file) {
    try (InputStream in = open(file)) {
      byte[] bytes = in.readNBytes(MOST_BYTES + 1);
      if (bytes.length > MOST_BYTES) {
        throw new InvalidSettingException("", file + " holds more than " + (MOST_BYTES >> 20) + " MiB");
      }
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (IOException e) {
      throw new InvalidSettingException("", Unreadable.message(file, e));
    }
  }

  private static InputStream open(Path file) throws IOException {
    InputStream in = new BufferedInputStream(Files.newInputStream(file));
    return file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in;
  }
}
