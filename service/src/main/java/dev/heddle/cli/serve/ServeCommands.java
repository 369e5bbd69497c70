package dev.heddle.cli.serve;

import dev.heddle.cli.CommandContext;
import dev.heddle.cli.SubcommandProvider;
import java.util.List;

/** The command of the service. */
public final class ServeCommands implements SubcommandProvider {
  @Override
  public List<Object> commands(CommandContext context) {
    return List.of(new ServeCommand(context));
  }

  @Override
  public List<Class<?>> types() {
    return List.of(ServeCommand.class);
  }
}
