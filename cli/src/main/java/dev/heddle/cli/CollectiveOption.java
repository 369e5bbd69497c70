package dev.heddle.cli;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import java.util.Collection;
import java.util.List;

/** Options and arguments that name a collective operation. */
public final class CollectiveOption {
  private CollectiveOption() {}

  /**
   * The operation of a name.
   *
   * @param option or argument, for the message
   * @param name as written by the user
   * @param allowed operations that the command takes
   * @throws InvalidSettingException when none of them has this name
   */
  public static CollectiveOp parse(String option, String name, Collection<CollectiveOp> allowed) {
    List<String> names = allowed.stream().map(CollectiveOp::key).toList();
    return allowed.stream().filter(each -> each.key().equals(name)).findFirst()
        .orElseThrow(() -> new InvalidSettingException("", option + " " + name
            + ": there is no operation of this name; write one of " + String.join(", ", names)
            + NearestMatch.hint(name, names)));
  }
}
