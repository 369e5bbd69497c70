package dev.heddle.cli.kernels;

import dev.heddle.cli.CommandContext;
import dev.heddle.cli.SubcommandProvider;
import java.util.List;
import picocli.CommandLine;

/** Adds {@code kernels}. */
public final class KernelsCommands implements SubcommandProvider {
  @Override
  public List<Object> commands(CommandContext context) {
    CommandLine kernels = new CommandLine(new KernelsCommand());
    kernels.addSubcommand(new ExplainCommand(context));
    kernels.addSubcommand(new ListCommand(context));
    kernels.addSubcommand(new ConvertCommand(context));
    return List.of(kernels);
  }

  @Override
  public List<Class<?>> types() {
    return List.of(KernelsCommand.class);
  }
}
