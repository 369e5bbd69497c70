package dev.heddle.cli.kernels;

import dev.heddle.kernel.GpuCatalog;
import dev.heddle.kernel.KernelLibrary;
import dev.heddle.kernel.KernelSource;
import dev.heddle.kernel.KernelTables;
import dev.heddle.kernel.TableWriter;
import dev.heddle.kernel.convert.KernelConverter;
import dev.heddle.kernel.convert.KernelFile;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.text.Unreadable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine.Option;

/** Options for the tables of a command. */
final class TableOptions {
  @Option(
      names = "--tables",
      paramLabel = "PATH",
      description = "Measured kernels that count before those that are shipped: a CSV file, or a folder that"
          + " 'kernels convert' wrote; may be repeated.")
  private List<Path> tables = new ArrayList<>();

  @Option(
      names = "--data-sheets",
      paramLabel = "FILE",
      description = "Accelerators beside those that are known: a CSV file of data sheets, of the columns "
          + "id,name,vendor,"
          + "architecture,units,clock,bandwidth,cache,watts,bits16,share16 and perhaps bits8,bits4,share8,"
          + "top-clock,exponentials.")
  private List<Path> sheets = new ArrayList<>();

  GpuCatalog gpus() {
    GpuCatalog gpus = GpuCatalog.bundled();
    for (Path sheet : sheets) {
      try {
        gpus = gpus.with(GpuCatalog.parse(sheet.toString(), Files.readString(sheet)));
      } catch (IOException e) {
        throw new InvalidSettingException("", "--data-sheets " + Unreadable.message(sheet, e));
      }
    }
    return gpus;
  }

  KernelLibrary library() {
    GpuCatalog gpus = gpus();
    List<KernelSource> sources = new ArrayList<>();
    for (Path path : tables) {
      if (path.toString().endsWith(TableWriter.SUFFIX)) {
        throw new InvalidSettingException("", path + " is one table of a folder that 'kernels convert' wrote;"
            + " --tables takes the folder, " + Objects.requireNonNullElse(path.getParent(), Path.of(".")));
      }
      sources.add(Files.isDirectory(path) ? TableWriter.folder(path, gpus)
          : KernelTables.of(KernelConverter.tables(List.of(KernelFile.read(path, gpus)), gpus)));
    }
    return KernelLibrary.load(TableOptions.class.getClassLoader(), gpus, sources);
  }
}
