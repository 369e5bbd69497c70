package dev.heddle.scenario;

import com.google.common.base.CharMatcher;
import dev.heddle.registry.SettingsSchema;
import dev.heddle.spi.NearestMatch;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Parses the text of a scalar into the type of its setting. */
final class ScalarTypes {
  private static final Map<Class<?>, Function<String, Comparable<?>>> PARSERS = parsers();

  private ScalarTypes() {}

  /** Whether a type is written as one scalar. */
  static boolean covers(Class<?> type) {
    return type.isEnum() || PARSERS.containsKey(type);
  }

  /**
   * Parses a text.
   *
   * @throws IllegalArgumentException when it is no value of the type; the message states the allowed form
   */
  static Comparable<?> parse(Class<?> type, String text) {
    if (type.isEnum()) {
      return constant(type, text);
    }
    Function<String, Comparable<?>> parser = PARSERS.get(type);
    if (parser == null) {
      throw new IllegalStateException("no scalar type: " + type);
    }
    return parser.apply(text);
  }

  /** The message about a value out of range, or null. Bounds are written as in a scenario; empty: none. */
  static @Nullable String outOfRange(Class<?> type, Comparable<?> value, String min, String max) {
    if (!min.isEmpty() && compare(value, parse(type, min)) < 0) {
      return "is below the least allowed, " + min;
    }
    if (!max.isEmpty() && compare(value, parse(type, max)) > 0) {
      return "is above the most allowed, " + max;
    }
    return null;
  }

  @SuppressWarnings("unchecked")
  private static int compare(Comparable<?> a, Comparable<?> b) {
    return ((Comparable<Object>) a).compareTo(b);
  }

  private static Comparable<?> constant(Class<?> type, String text) {
    for (Object constant : type.getEnumConstants()) {
      if (SettingsSchema.key((Enum<?>) constant).equals(text)) {
        return (Enum<?>) constant;
      }
    }
    List<String> allowed = SettingsSchema.keys(type);
    throw new IllegalArgumentException(
        "'" + text + "' is not allowed; write one of " + String.join(", ", allowed) + NearestMatch.hint(text, allowed));
  }

  private static Map<Class<?>, Function<String, Comparable<?>>> parsers() {
    Map<Class<?>, Function<String, Comparable<?>>> parsers = new LinkedHashMap<>();
    parsers.put(int.class, text -> whole(text, Integer.MIN_VALUE, Integer.MAX_VALUE).intValueExact());
    parsers.put(long.class, text -> whole(text, Long.MIN_VALUE, Long.MAX_VALUE).longValueExact());
    parsers.put(double.class, text -> number(text).doubleValue());
    parsers.put(boolean.class, ScalarTypes::truth);
    parsers.put(Integer.class, parsers.get(int.class));
    parsers.put(Long.class, parsers.get(long.class));
    parsers.put(Double.class, parsers.get(double.class));
    parsers.put(Boolean.class, parsers.get(boolean.class));
    parsers.put(String.class, text -> text);
    parsers.put(Path.class, Path::of);
    parsers.put(SimTime.class, SimTime::parse);
    parsers.put(DataSize.class, DataSize::parse);
    parsers.put(DataRate.class, DataRate::parse);
    parsers.put(ComputeRate.class, ComputeRate::parse);
    parsers.put(Fraction.class, Fraction::parse);
    return parsers;
  }

  private static BigDecimal number(String text) {
    if (!CharMatcher.ascii().matchesAllOf(text)) {
      throw new IllegalArgumentException("'" + text + "' is no number; write it with the digits 0 to 9");
    }
    try {
      BigDecimal value = new BigDecimal(text.strip().replace("_", ""));
      if (Math.abs((long) value.scale()) > 400) {
        throw new IllegalArgumentException("'" + text + "' is too large or too fine");
      }
      return value;
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + text + "' is no number", e);
    }
  }

  private static BigDecimal whole(String text, long least, long most) {
    BigDecimal value = number(text);
    if (value.stripTrailingZeros().scale() > 0) {
      throw new IllegalArgumentException("'" + text + "' is no whole number");
    }
    if (value.compareTo(BigDecimal.valueOf(least)) < 0 || value.compareTo(BigDecimal.valueOf(most)) > 0) {
      throw new IllegalArgumentException("'" + text + "' is not within " + least + " to " + most);
    }
    return value;
  }

  private static boolean truth(String text) {
    if (text.equals("true") || text.equals("false")) {
      return text.equals("true");
    }
    throw new IllegalArgumentException("'" + text + "' is not allowed; write true or false");
  }
}
