package dev.heddle.cli;

import java.util.List;

/** Adds commands of a module of its own, found through {@link java.util.ServiceLoader} on the class path. */
public interface SubcommandProvider {
  /**
   * The commands, to be placed below {@code heddle}.
   *
   * @param context what they may use, once they run
   * @return objects that picocli's {@code @Command} names
   */
  List<Object> commands(CommandContext context);
}
