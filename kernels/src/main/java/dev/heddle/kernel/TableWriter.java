package dev.heddle.kernel;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.text.WholeFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/** Writes tables in the compact format, and reads folders of them. */
public final class TableWriter {
  /** End of the name of a table's file. */
  public static final String SUFFIX = ".hkt";

  private TableWriter() {}

  /**
   * Writes tables into a folder, beside those that it holds, all or none; of one name the new one takes the place of
   * the old.
   *
   * @param folder that exists or is made
   * @throws InvalidSettingException when the folder cannot be written
   */
  public static void write(Path folder, List<KernelTable> tables) {
    TreeMap<String, String> lines = new TreeMap<>();
    try (WholeFiles files = new WholeFiles()) {
      Files.createDirectories(folder);
      Path index = folder.resolve(TableFolder.INDEX);
      if (Files.exists(index)) {
        Files.readAllLines(index).stream().skip(1).forEach(line -> lines.put(line.split(",", -1)[0], line));
      }
      for (KernelTable table : tables) {
        TableId id = table.id();
        String file = String.join("-", id.gpu(), id.kind().id(), id.format().id(), id.variant())
            .toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.-]", "-") + SUFFIX;
        write(files, folder.resolve(file), TableFile.write(table));
        lines.put(file, String.join(",", file, id.gpu(), id.kind().id(), id.format().id(), id.variant(),
            Integer.toString(table.rows()), table.provenance().software()));
      }
      StringBuilder text = new StringBuilder(String.join(",", TableFolder.COLUMNS)).append(",software\n");
      lines.values().forEach(line -> text.append(line).append('\n'));
      write(files, index, text.toString().getBytes(StandardCharsets.UTF_8));
      files.commit();
    } catch (IOException e) {
      throw new InvalidSettingException("", folder + " cannot be written: " + e.getMessage());
    }
  }

  private static void write(WholeFiles files, Path file, byte[] bytes) throws IOException {
    try (OutputStream out = files.open(file)) {
      out.write(bytes);
    }
  }

  /**
   * A folder of tables that {@link #write} wrote.
   *
   * @throws InvalidSettingException when it has no index, or a malformed one
   */
  public static KernelSource folder(Path folder, GpuCatalog gpus) {
    return TableFolder.of(folder.toString(), file -> {
      try {
        return Files.readAllBytes(folder.resolve(file));
      } catch (NoSuchFileException e) {
        throw new InvalidSettingException("", "there is no " + folder.resolve(file));
      } catch (IOException e) {
        throw new InvalidSettingException("", folder.resolve(file) + " cannot be read: " + e.getMessage());
      }
    }, gpus);
  }

  /**
   * A time as the compact format keeps it, to 0.013 %: fits of a table to such times are those of its file.
   *
   * @param seconds above 0
   */
  public static double kept(double seconds) {
    return TableFile.kept(seconds);
  }
}
