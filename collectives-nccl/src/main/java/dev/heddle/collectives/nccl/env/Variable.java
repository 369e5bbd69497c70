package dev.heddle.collectives.nccl.env;

import dev.heddle.collectives.nccl.PathType;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * An environment variable of NCCL: name, range of values, default and effect.
 *
 * @param <T> type of its value
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

  /** A variable with the values 0 and 1. */
  static Variable<Boolean> flag(String name, boolean byDefault, String effect) {
    return new Variable<>(new Declaration(name, "0 or 1", byDefault ? "1" : "0", effect), byDefault,
        text -> number(text, 0, 1) == 1);
  }

  /** An integer variable with a default. */
  static Variable<Integer> number(String name, int least, int most, int byDefault, String effect) {
    return new Variable<>(new Declaration(name, range(least, most), "" + byDefault, effect), byDefault,
        text -> number(text, least, most));
  }

  /** An integer variable whose default NCCL chooses itself. */
  static Variable<Optional<Integer>> auto(String name, int least, int most, String effect) {
    return new Variable<>(new Declaration(name, range(least, most), "auto", effect), Optional.empty(),
        text -> Optional.of(number(text, least, most)));
  }

  /** A variable whose value is one of several words. */
  static <E> Variable<Optional<E>> word(String name, List<String> words, Function<String, E> meaning, String effect) {
    return new Variable<>(new Declaration(name, String.join(", ", words), "auto", effect), Optional.empty(),
        text -> Optional.of(meaning.apply(oneOf(text, words))));
  }

  /** A variable whose value is the worst of several paths, by name or by legacy level [NCCL user guide]. */
  static Variable<Optional<PathType>> level(String name, String effect) {
    List<String> words = PathType.levels();
    return new Variable<>(new Declaration(name, String.join(", ", words) + ", or 0 to 5", "auto", effect),
        Optional.empty(), text -> Optional.of(text.matches("\\d{1,9}") ? PathType.ofLevel(Integer.parseInt(text))
            : PathType.valueOf(oneOf(text, words))));
  }

  /** A variable of any text, such as the name of a file. */
  static Variable<Optional<String>> text(String name, String range, String effect) {
    return new Variable<>(new Declaration(name, range, "none", effect), Optional.empty(), text -> {
      if (text.isBlank()) {
        throw new IllegalArgumentException("is empty");
      }
      return Optional.of(text);
    });
  }

  /** A variable with its own parser. */
  static <E> Variable<Optional<E>> parsed(String name, String range, Function<String, E> parser, String effect) {
    return new Variable<>(new Declaration(name, range, "auto", effect), Optional.empty(),
        text -> Optional.of(parser.apply(text)));
  }

  /** The name, such as {@code NCCL_BUFFSIZE}. */
  public String name() {
    return name;
  }

  /** The values that the variable may have. */
  public String range() {
    return range;
  }

  /** The text of the default. */
  public String defaultText() {
    return defaultText;
  }

  /** The effect, in one line. */
  public String effect() {
    return effect;
  }

  /** The default value. */
  T defaultValue() {
    return defaultValue;
  }

  /**
   * The value of a text.
   *
   * @throws InvalidSettingException when the variable cannot have this value
   */
  T parse(String text) {
    try {
      return parser.apply(text.strip());
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          "environment", name + "='" + text + "' " + e.getMessage() + "; it may be " + range);
    }
  }

  /**
   * The word of a list that equals a text, ignoring case.
   *
   * @throws IllegalArgumentException when there is none
   */
  static String oneOf(String text, List<String> words) {
    for (String word : words) {
      if (word.equalsIgnoreCase(text)) {
        return word;
      }
    }
    throw new IllegalArgumentException("is none of its words" + NearestMatch.hint(text, words));
  }

  /**
   * Reads an integer within bounds: decimal, or hexadecimal after 0x as in NCCL.
   *
   * @throws IllegalArgumentException when the text is no integer or out of bounds
   */
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
