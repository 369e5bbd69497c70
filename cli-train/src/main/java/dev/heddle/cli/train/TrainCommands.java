package dev.heddle.cli.train;

import dev.heddle.cli.CommandContext;
import dev.heddle.cli.SubcommandProvider;
import java.util.List;

/** Adds {@code train}, {@code search} and {@code scaling}. */
public final class TrainCommands implements SubcommandProvider {
  @Override
  public List<Object> commands(CommandContext context) {
    return List.of(new TrainCommand(context), new SearchCommand(context), new ScalingCommand(context));
  }

  @Override
  public List<Class<?>> types() {
    return List.of(TrainCommand.class, SearchCommand.class, ScalingCommand.class);
  }
}
