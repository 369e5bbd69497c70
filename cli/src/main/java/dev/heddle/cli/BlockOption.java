package dev.heddle.cli;

import dev.heddle.registry.PluginKind;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Values of options that name a building block: the id of an installed one, such as {@code flow}, or a mapping with its
 * settings, as a scenario has them.
 */
public final class BlockOption {
  private BlockOption() {}

  /**
   * The building block that a value names.
   *
   * @param registry the installed building blocks
   * @param kind of the building block
   * @param option name of the option, such as {@code --engine}
   * @param value of the option
   * @return the product of its provider
   * @throws InvalidSettingException when there is no such building block; names those present and the nearest
   * @throws dev.heddle.scenario.ScenarioException when its settings are wrong
   */
  public static Object of(Registry registry, PluginKind kind, String option, String value) {
    return of(registry, kind, option, value, List.of()).orElseThrow();
  }

  /** As {@link #of(Registry, PluginKind, String, String)}; empty for one of other values that the option takes. */
  static Optional<Object> of(Registry registry, PluginKind kind, String option, String value, List<String> others) {
    if (others.contains(value)) {
      return Optional.empty();
    }
    if (!value.strip().startsWith("{") && registry.find(kind, value).isEmpty()) {
      List<String> known = Stream.concat(others.stream(), registry.ids(kind).stream()).toList();
      throw new InvalidSettingException("", option + " " + value + ": there is no such " + option.replaceFirst("--", "")
          + "; write one of " + String.join(", ", known) + NearestMatch.hint(value, known));
    }
    return Optional.of(new ScenarioReader(registry).block(kind, option, value));
  }
}
