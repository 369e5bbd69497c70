package dev.heddle.cli.export;

import dev.heddle.cli.CommandContext;
import dev.heddle.cli.SubcommandProvider;
import java.util.List;

/** Adds {@code export}. */
public final class ExportCommands implements SubcommandProvider {
  @Override
  public List<Object> commands(CommandContext context) {
    return List.of(new ExportCommand(context));
  }

  @Override
  public List<Class<?>> types() {
    return List.of(ExportCommand.class);
  }
}
