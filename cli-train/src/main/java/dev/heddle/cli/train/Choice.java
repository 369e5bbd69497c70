package dev.heddle.cli.train;

import dev.heddle.registry.SettingsSchema;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import java.util.List;

/** Options whose values are constants of an enum, in kebab case. */
final class Choice {
  private Choice() {}

  /**
   * The constant that a value names.
   *
   * @param option name of the option
   * @param text value of the option
   * @param allowed constants of the enum
   * @throws InvalidSettingException when there is no such constant; names those allowed and the nearest
   */
  static <E extends Enum<E>> E of(String option, String text, List<E> allowed) {
    List<String> keys = allowed.stream().map(SettingsSchema::key).toList();
    int index = keys.indexOf(text);
    if (index < 0) {
      throw new InvalidSettingException("", option + " '" + text + "' is none of " + String.join(", ", keys)
          + NearestMatch.hint(text, keys));
    }
    return allowed.get(index);
  }
}
