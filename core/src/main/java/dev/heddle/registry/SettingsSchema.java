package dev.heddle.registry;

import com.google.common.base.CaseFormat;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.spi.Setting;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.Keyed;
import dev.heddle.units.SimTime;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The settings of a record, read from its {@link Setting}s: the source of the binder's checks, of {@code heddle
 * describe} and of the reference page.
 *
 * @param entries one per component, in the order of declaration
 */
public record SettingsSchema(List<Entry> entries) {
  private static final Map<Class<?>, String> NAMES =
      ImmutableMap.ofEntries(
          Map.entry(int.class, "integer"),
          Map.entry(Integer.class, "integer"),
          Map.entry(long.class, "integer"),
          Map.entry(Long.class, "integer"),
          Map.entry(double.class, "number"),
          Map.entry(Double.class, "number"),
          Map.entry(boolean.class, "true or false"),
          Map.entry(Boolean.class, "true or false"),
          Map.entry(String.class, "text"),
          Map.entry(Path.class, "file"),
          Map.entry(SimTime.class, "time"),
          Map.entry(DataSize.class, "size"),
          Map.entry(DataRate.class, "rate"),
          Map.entry(ComputeRate.class, "compute rate"),
          Map.entry(Fraction.class, "fraction"));

  /** Copies the list. */
  public SettingsSchema {
    entries = ImmutableList.copyOf(entries);
  }

  /**
   * One setting.
   *
   * @param key in a scenario, kebab case
   * @param component as declared (camel case)
   * @param type its Java type
   * @param setting its declaration
   */
  public record Entry(String key, String component, Type type, Setting setting) {
    /** Whether the setting is required in a scenario. */
    public boolean required() {
      return setting.def().isEmpty() && !mayBeEmpty(type);
    }

    /** Its type in words, such as {@code list of rate}. */
    public String typeName() {
      return SettingsSchema.typeName(type);
    }

    /** The record whose settings it holds, where it is a record or a collection of one. */
    public Optional<Class<? extends Record>> nested() {
      Type inner = type;
      while (inner instanceof ParameterizedType generic) {
        Type[] arguments = generic.getActualTypeArguments();
        inner = arguments[arguments.length - 1];
      }
      return inner instanceof Class<?> raw && raw.isRecord() && !NAMES.containsKey(raw)
          ? Optional.of(raw.asSubclass(Record.class))
          : Optional.empty();
    }
  }

  /**
   * Reads a settings record.
   *
   * @throws IllegalArgumentException when a component carries no {@link Setting}
   */
  public static SettingsSchema of(Class<? extends Record> type) {
    List<Entry> entries = new ArrayList<>();
    for (RecordComponent component : type.getRecordComponents()) {
      Setting setting = component.getAnnotation(Setting.class);
      if (setting == null) {
        throw new IllegalArgumentException(
            "component '" + component.getName() + "' of " + type.getName() + " carries no @Setting");
      }
      entries.add(new Entry(key(component.getName()), component.getName(), component.getGenericType(), setting));
    }
    return new SettingsSchema(entries);
  }

  /** The keys, in order. */
  public List<String> keys() {
    return entries.stream().map(Entry::key).toList();
  }

  /** The key of a name in camel case: {@code maxPayload} is {@code max-payload}. */
  public static String key(String camelCase) {
    return CaseFormat.LOWER_CAMEL.to(CaseFormat.LOWER_HYPHEN, camelCase);
  }

  /** The key of an enum's constant: its own where it has one, else {@code round-robin} for {@code ROUND_ROBIN}. */
  public static String key(Enum<?> constant) {
    return constant instanceof Keyed keyed ? keyed.key() : constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The keys of an enum, in order. */
  public static List<String> keys(Class<?> enumType) {
    return Arrays.stream(enumType.getEnumConstants()).map(constant -> key((Enum<?>) constant)).toList();
  }

  private static boolean mayBeEmpty(Type type) {
    Type raw = type instanceof ParameterizedType generic ? generic.getRawType() : type;
    return raw == Optional.class || raw == List.class || raw == Map.class;
  }

  private static String typeName(Type type) {
    if (type instanceof ParameterizedType generic) {
      Type[] arguments = generic.getActualTypeArguments();
      String last = typeName(arguments[arguments.length - 1]);
      if (generic.getRawType() == List.class) {
        return "list of " + last;
      }
      return generic.getRawType() == Map.class ? last + " by " + typeName(arguments[0]) : last;
    }
    Class<?> raw = (Class<?>) type;
    String name = NAMES.get(raw);
    if (name != null) {
      return name;
    }
    if (raw.isEnum()) {
      return keys(raw).stream().collect(Collectors.joining(" | "));
    }
    // The binder knows no other interfaces than products of plug-ins.
    return raw.isInterface() ? key(raw.getSimpleName()) : "mapping";
  }
}
