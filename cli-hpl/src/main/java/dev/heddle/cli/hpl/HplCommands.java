package dev.heddle.cli.hpl;

import dev.heddle.cli.CommandContext;
import dev.heddle.cli.SubcommandProvider;
import java.util.List;
import picocli.CommandLine;

/** Adds {@code hpl}, {@code hpl tune} and {@code hpl layers}. */
public final class HplCommands implements SubcommandProvider {
  @Override
  public List<Object> commands(CommandContext context) {
    CommandLine hpl = new CommandLine(new HplCommand(context));
    hpl.addSubcommand(new TuneCommand(context));
    hpl.addSubcommand(new LayersCommand(context));
    return List.of(hpl);
  }

  @Override
  public List<Class<?>> types() {
    return List.of(HplCommand.class);
  }
}
