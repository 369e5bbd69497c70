package dev.heddle.cli.hpl;

import dev.heddle.cli.CommandContext;
import dev.heddle.registry.Registry;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints the closed forms' results for a cluster. */
@Command(
    name = "layers",
    description = "Print the layers that the closed forms take from a cluster's links, as YAML that --system reads.")
final class LayersCommand implements Callable<Integer> {
  private final CommandContext context;

  @Mixin
  private SystemOptions cluster = new SystemOptions();

  @Option(names = "--nb", paramLabel = "NB", description = "Columns of a panel (default: 512).")
  private int blockSize = 512;

  LayersCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    Registry registry = context.registry();
    context.print(SystemYaml.of(cluster.system(registry, cluster.fabric(registry), blockSize)));
    return 0;
  }
}
