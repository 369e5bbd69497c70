package dev.heddle.cli;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import java.util.Collection;
import java.util.List;

/** The option {@code --op}, which names a collective operation. */
public final class CollectiveOption {
  private CollectiveOption() {}

  /**
   * The operation of a name.
   *
   * @param name as written by the user
   * @param allowed operations that the command takes
   * @throws InvalidSettingException when none of them has this name
   */
  public static CollectiveOp parse(String name, Collection<CollectiveOp> allowed) {
    List<String> names = allowed.stream().map(CollectiveOp::key).toList();
    return allowed.stream().filter(each -> each.key().equals(name)).findFirst()
        .orElseThrow(
            () -> new InvalidSettingException("", "--op " + name + ": there is no such operation; write one of "
                + String.join(", ", names) + NearestMatch.hint(name, names)));
  }
}
