package dev.heddle.cli;

import java.util.List;

/** Provider of a module's own commands, found by {@link java.util.ServiceLoader} on the class path. */
public interface SubcommandProvider {
  /**
   * The commands, to be placed below {@code heddle}.
   *
   * @param context services for the commands, available once they run
   * @return objects that picocli's {@code @Command} names
   */
  List<Object> commands(CommandContext context);

  /**
   * The classes of the commands, in their order: help lists commands by what {@code @Command} says of their classes,
   * and {@link #commands} is then asked only where one of them is called. Without any it is always asked.
   */
  default List<Class<?>> types() {
    return List.of();
  }
}
