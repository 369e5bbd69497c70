package dev.heddle.cli.kernels;

import dev.heddle.cli.CommandContext;
import dev.heddle.kernel.GpuCatalog;
import dev.heddle.kernel.KernelTable;
import dev.heddle.kernel.TableWriter;
import dev.heddle.kernel.convert.KernelConverter;
import dev.heddle.kernel.convert.KernelFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Converts measured kernels to the compact format. */
@Command(
    name = "convert",
    description = "Convert measured kernels to the library's compact format: CSV files of the project's "
        + "measuring script, with AIConfigurator's columns or of AITER's tuned products, packed by gzip or not.")
final class ConvertCommand implements Callable<Integer> {
  private final CommandContext context;

  @Mixin
  private TableOptions tables = new TableOptions();

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files of measured kernels.")
  private List<Path> files = List.of();

  @Option(names = "--out", paramLabel = "DIR", required = true, description = "Folder that tables are written into.")
  private Path out = Path.of("tables");

  ConvertCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    GpuCatalog gpus = tables.gpus();
    List<KernelFile> read = files.stream().map(file -> KernelFile.read(file, gpus)).toList();
    List<KernelTable> made = KernelConverter.tables(read, gpus);
    TableWriter.write(out, made);
    StringBuilder text = new StringBuilder();
    made.forEach(table -> text.append(String.format(Locale.ROOT, "%s: %d rows, predicted from the others to %.1f %%%n",
        table.id(), table.rows(), 100 * table.error().mean())));
    read.forEach(file -> file.unknown().forEach((name, rows) -> text.append(
        String.format(Locale.ROOT, "left out: %d rows of %s, in %s%n", rows, name, file.name()))));
    context.print(text.toString());
    return 0;
  }
}
