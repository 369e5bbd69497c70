package dev.heddle.cli.kernels;

import dev.heddle.cli.CommandContext;
import dev.heddle.kernel.KernelKind;
import dev.heddle.kernel.KernelLibrary;
import dev.heddle.kernel.KernelTable;
import dev.heddle.kernel.TableId;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists tables of measured kernels with their errors. */
@Command(
    name = "list",
    description = "List the tables of measured kernels with rows, errors of rows predicted from the others, "
        + "and sources;"
        + " and the sizes of every kind of kernel.")
final class ListCommand implements Callable<Integer> {
  private final CommandContext context;

  @Mixin
  private TableOptions tables = new TableOptions();

  @Option(names = "--gpu", paramLabel = "GPU", description = "Only tables of this accelerator.")
  private String gpu = "";

  @Option(names = "--sources", description = "With each table's source and licence.")
  private boolean sources;

  ListCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    KernelLibrary library = tables.library();
    String wanted = gpu.isEmpty() ? "" : library.gpus().get(gpu).id();
    StringBuilder text = new StringBuilder();
    text.append(String.format(Locale.ROOT, "%-12s %-24s %-14s %-44s %8s %8s %8s%n",
        "gpu", "kernel", "precision", "variant", "rows", "mean", "90 %"));
    for (TableId id : library.tables()) {
      if (wanted.isEmpty() || id.gpu().equals(wanted)) {
        KernelTable table = library.table(id);
        text.append(String.format(Locale.ROOT, "%-12s %-24s %-14s %-44s %8d %6.1f %% %6.1f %%%n", id.gpu(), id.kind(),
            id.format(), id.variant(), table.rows(), 100 * table.error().mean(), 100 * table.error().upper()));
        if (sources) {
          text.append("  ").append(table.provenance().source()).append("; ").append(table.provenance().licence())
              .append('\n');
        }
      }
    }
    text.append("\nsizes of kernels, in order:\n");
    for (KernelKind kind : KernelKind.values()) {
      text.append(String.format(Locale.ROOT, "  %-26s %s%n", kind, String.join(" x ", kind.sizes())));
    }
    context.print(text.toString());
    return 0;
  }
}
