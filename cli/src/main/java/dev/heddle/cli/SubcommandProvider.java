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
}
