package dev.heddle.collectives.nccl.env;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * One environment variable of NCCL: its name, what it may hold, what it changes.
 *
 * @param <T> what its text means
 */
public final class Variable<T> {
  private final String name;
  private final String range;
  private final String defaultText;
  private final String effect;
  private final T defaultValue;
  private final Function<String, T> parser;

  private Variable(Declaration declaration, T defaultValue, Function<String, T> parser) {
    name = declaration.name;
    range = declaration.range;
    defaultText = declaration.defaultText;
    effect = declaration.effect;
    this.defaultValue = defaultValue;
    this.parser = parser;
  }

  private record Declaration(String name, String range, String defaultText, String effect) {}

  /** A variable of 0 or 1. */
  static Variable<Boolean> flag(String name, boolean byDefault, String effect) {
    return new Variable<>(new Declaration(name, "0 or 1", byDefault ? "1" : "0", effect), byDefault,
        text -> number(text, 0, 1) == 1);
  }

  /** A whole number with a default. */
  static Variable<Integer> number(String name, int least, int most, int byDefault, String effect) {
    return new Variable<>(new Declaration(name, range(least, most), "" + byDefault, effect), byDefault,
        text -> number(text, least, most));
  }

  /** A whole number that NCCL chooses itself where it is not set. */
  static Variable<Optional<Integer>> auto(String name, int least, int most, String effect) {
    return new Variable<>(new Declaration(name, range(least, most), "auto", effect), Optional.empty(),
        text -> Optional.of(number(text, least, most)));
  }

  /** One of some words. */
  static <E> Variable<Optional<E>> word(String name, List<String> words, Function<String, E> meaning, String effect) {
    return new Variable<>(new Declaration(name, String.join(", ", words), "auto", effect), Optional.empty(),
        text -> Optional.of(meaning.apply(oneOf(text, words))));
  }

  /** Any text, such as the name of a file. */
  static Variable<Optional<String>> text(String name, String range, String effect) {
    return new Variable<>(new Declaration(name, range, "none", effect), Optional.empty(), text -> {
      if (text.isBlank()) {
        throw new IllegalArgumentException("is empty");
      }
      return Optional.of(text);
    });
  }

  /** What a parser of its own reads. */
  static <E> Variable<Optional<E>> parsed(String name, String range, Function<String, E> parser, String effect) {
    return new Variable<>(new Declaration(name, range, "auto", effect), Optional.empty(),
        text -> Optional.of(parser.apply(text)));
  }

  /** The name, such as {@code NCCL_BUFFSIZE}. */
  public String name() {
    return name;
  }

  /** What it may hold. */
  public String range() {
    return range;
  }

  /** What holds where it is not set, as text. */
  public String defaultText() {
    return defaultText;
  }

  /** What it changes, in one line. */
  public String effect() {
    return effect;
  }

  /** What holds where it is not set. */
  T defaultValue() {
    return defaultValue;
  }

  /**
   * What a text means.
   *
   * @throws InvalidSettingException when it is none of what the variable may hold
   */
  T parse(String text) {
    try {
      return parser.apply(text.strip());
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          "environment", name + "='" + text + "' " + e.getMessage() + "; it may be " + range);
    }
  }

  /** The word of a list that a text is, whatever its case. */
  static String oneOf(String text, List<String> words) {
    for (String word : words) {
      if (word.equalsIgnoreCase(text)) {
        return word;
      }
    }
    throw new IllegalArgumentException("is none of its words" + NearestMatch.hint(text, words));
  }

  /** A whole number, decimal, or hexadecimal after 0x, as NCCL reads it. */
  static int number(String text, int least, int most) {
    long value;
    try {
      value = text.toLowerCase(Locale.ROOT).startsWith("0x")
          ? Long.parseLong(text.substring(2), 16)
          : Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("is no whole number", e);
    }
    if (value < least || value > most) {
      throw new IllegalArgumentException("is out of range");
    }
    return (int) value;
  }

  private static String range(int least, int most) {
    return most == Integer.MAX_VALUE ? "at least " + least : least + " to " + most;
  }

  @Override
  public String toString() {
    return name;
  }
}
