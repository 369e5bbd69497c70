package dev.heddle.scenario;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.registry.PluginKind;
import dev.heddle.registry.Registry;
import dev.heddle.registry.Registry.Plugin;
import dev.heddle.registry.SettingsSchema;
import dev.heddle.scenario.Node.Mapping;
import dev.heddle.scenario.Node.Origin;
import dev.heddle.scenario.Node.Scalar;
import dev.heddle.scenario.Node.Sequence;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Setting;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.spi.Workload;
import dev.heddle.tier.Topology;
import dev.heddle.units.DataRate;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes records, and the products of plug-ins, from a tree; collects every problem on the way. */
final class Binder {
  // Reflection on a record takes a hundred times as long as the values of a point.
  private static final ClassValue<SettingsSchema> SCHEMAS = new ClassValue<>() {
    @Override
    protected SettingsSchema computeValue(Class<?> type) {
      return SettingsSchema.of(type.asSubclass(Record.class));
    }
  };

  /** The defaults of settings by their text, which annotations give and every point of a sweep asks for. */
  private static final Map<String, Node> DEFAULTS = new ConcurrentHashMap<>();

  private static final String TYPE = "type";

  /**
   * The bound of times whose setting has none of its own: two of them and all latencies of a path stay below the
   * clock's end at 2^63 ps, 2562 h.
   */
  private static final String LONGEST_TIME = "1000 h";

  /** Bounds of rates whose setting has none of its own: 2^40 bytes, the largest message, take less than 2^63 ps. */
  private static final String LOWEST_RATE = "1 Mb/s";
  private static final String HIGHEST_RATE = "1000 Tb/s";

  /** The bound of times of links and switches whose setting has none of its own. */
  private static final String LONGEST_LATENCY = "1 h";

  private final Registry registry;
  private final InputFolders folders;
  private final List<Problem> problems = new ArrayList<>();
  private final List<Path> inputs = new ArrayList<>();
  private final TrafficClasses classes = new TrafficClasses();
  private String longestTime = LONGEST_TIME;

  Binder(Registry registry, InputFolders folders) {
    this.registry = registry;
    this.folders = folders;
  }

  /** The files that settings named so far, in the order of the settings. */
  List<Path> inputs() {
    return ImmutableList.copyOf(inputs);
  }

  /** The traffic classes that were stated so far. */
  TrafficClasses classes() {
    return classes;
  }

  /** The problems that were found so far, in the order of the settings. */
  List<Problem> problems() {
    return problems;
  }

  /**
   * Makes a record from a mapping.
   *
   * @param path of the mapping within the scenario
   * @return null when there are problems
   */
  <R extends Record> @Nullable R record(Class<R> type, Node node, String path) {
    return record(type, node, path, List.of());
  }

  // Some keys are bound elsewhere.
  private <R extends Record> @Nullable R record(Class<R> type, Node node, String path, List<String> elsewhere) {
    if (!(node instanceof Mapping mapping)) {
      add(node, path, "must be a mapping of keys to values, but is " + node.text());
      return null;
    }
    SettingsSchema schema = SCHEMAS.get(type);
    int before = problems.size();
    checkKeys(mapping, Stream.concat(schema.keys().stream(), elsewhere.stream()).distinct().toList(), path);
    @Nullable
    Object[] arguments = new @Nullable Object[schema.entries().size()];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = component(schema.entries().get(i), mapping, path);
    }
    return problems.size() > before ? null : construct(type, arguments, mapping, path);
  }

  private void checkKeys(Mapping mapping, List<String> known, String path) {
    mapping.entries().forEach((key, value) -> {
      if (!known.contains(key)) {
        add(value, join(path, key), "unknown key '" + key + "'"
            + (known.isEmpty() ? "; there are no settings here" : "; allowed are " + String.join(", ", known))
            + NearestMatch.hint(key, known));
      }
    });
  }

  private static String needed(SettingsSchema.Entry entry) {
    return inWords(entry) + " is needed: " + entry.setting().value();
  }

  // The type with its article, or the words that it allows.
  private static String inWords(SettingsSchema.Entry entry) {
    String type = entry.typeName();
    if (raw(entry.type()).isEnum()) {
      return "one of " + type.replace(" | ", ", ");
    }
    return (type.equals("true or false") ? "" : "aeio".indexOf(type.charAt(0)) < 0 ? "a " : "an ") + type;
  }

  private @Nullable Object component(SettingsSchema.Entry entry, Mapping mapping, String path) {
    String at = join(path, entry.key());
    Node value = mapping.entries().get(entry.key());
    if (value instanceof Node.Empty) {
      add(value, at, "has no value; " + needed(entry));
      return null;
    }
    if (value != null) {
      return value(entry.type(), value, at, entry);
    }
    if (!entry.setting().def().isEmpty()) {
      Node written = DEFAULTS.computeIfAbsent(entry.setting().def(), text -> YamlReader.parse("default", text));
      return value(entry.type(), moved(written, mapping.origin()), at, entry);
    }
    if (entry.required()) {
      add(mapping, at, "is missing; " + needed(entry));
      return null;
    }
    Class<?> raw = raw(entry.type());
    return raw == Optional.class ? Optional.empty() : raw == List.class ? ImmutableList.of() : ImmutableMap.of();
  }

  private @Nullable Object value(Type type, Node node, String path, SettingsSchema.Entry entry) {
    Class<?> raw = raw(type);
    if (raw == Optional.class) {
      Object inner = value(argument(type, 0), node, path, entry);
      return inner == null ? null : Optional.of(inner);
    }
    if (raw == List.class) {
      return list(argument(type, 0), node, path, entry);
    }
    if (raw == Map.class) {
      return map(type, node, path, entry);
    }
    if (ScalarTypes.covers(raw)) {
      return scalar(raw, node, path, entry);
    }
    Optional<PluginKind> kind = registry.kindOf(raw);
    if (kind.isPresent()) {
      return product(kind.get(), node, path);
    }
    if (raw.isRecord()) {
      return record(raw.asSubclass(Record.class), node, path);
    }
    throw new IllegalStateException("the setting at " + path + " has the type " + type + ", which nothing binds");
  }

  private @Nullable Object scalar(Class<?> type, Node node, String path, SettingsSchema.Entry entry) {
    if (!(node instanceof Scalar scalar)) {
      SettingsSchema.Entry own = new SettingsSchema.Entry(entry.key(), entry.component(), type, entry.setting());
      add(node, path, "must be " + inWords(own) + ", but is " + node.text());
      return null;
    }
    try {
      Comparable<?> value = ScalarTypes.parse(type, scalar.value());
      String range = ScalarTypes.outOfRange(type, value, least(type, entry.setting()), most(type, entry.setting()));
      if (range != null) {
        boolean bare = value instanceof Fraction && !scalar.value().contains("%");
        add(node, path, "'" + scalar.value() + "' " + range + (bare ? "; without % it is " + value : ""));
        return null;
      }
      return value instanceof Path file ? input(folders.resolve(file, node.origin().file())) : value;
    } catch (IllegalArgumentException e) {
      add(node, path, String.valueOf(e.getMessage()));
      return null;
    }
  }

  private static String least(Class<?> type, Setting setting) {
    return setting.min().isEmpty() && type == DataRate.class ? LOWEST_RATE : setting.min();
  }

  private String most(Class<?> type, Setting setting) {
    if (!setting.max().isEmpty()) {
      return setting.max();
    }
    return type == SimTime.class ? longestTime : type == DataRate.class ? HIGHEST_RATE : "";
  }

  private Path input(Path file) {
    inputs.add(file);
    return file;
  }

  private @Nullable Object list(Type element, Node node, String path, SettingsSchema.Entry entry) {
    if (!(node instanceof Sequence sequence)) {
      add(node, path, "must be a list, but is " + node.text());
      return null;
    }
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < sequence.items().size(); i++) {
      Object value = value(element, sequence.items().get(i), path + "[" + i + "]", entry);
      if (value != null) {
        values.add(value);
      }
    }
    return values.size() == sequence.items().size() ? ImmutableList.copyOf(values) : null;
  }

  private @Nullable Object map(Type type, Node node, String path, SettingsSchema.Entry entry) {
    if (!(node instanceof Mapping mapping)) {
      add(node, path, "must be a mapping of keys to values, but is " + node.text());
      return null;
    }
    Map<Object, Object> values = new LinkedHashMap<>();
    mapping.entries().forEach((text, inner) -> {
      String at = join(path, text);
      Object value = value(argument(type, 1), inner, at, entry);
      try {
        Object key = ScalarTypes.parse(raw(argument(type, 0)), text);
        if (value != null) {
          values.put(key, value);
        }
      } catch (IllegalArgumentException e) {
        add(inner, at, String.valueOf(e.getMessage()));
      }
    });
    return values.size() == mapping.entries().size() ? ImmutableMap.copyOf(values) : null;
  }

  /**
   * Makes the product that a mapping with a type describes, or an id alone, which stands for {@code {type: id}}; null
   * when there are problems.
   */
  @Nullable
  Object product(PluginKind kind, Node node, String path) {
    if (node instanceof Scalar id) {
      if (registry.find(kind, id.value()).isEmpty()) {
        add(id, path, registry.unknownIdMessage(kind, id.value()));
        return null;
      }
      return product(kind, new Mapping(id.origin(), Map.of(TYPE, id)), path);
    }
    if (!(node instanceof Mapping mapping)) {
      String id = registry.ids(kind).stream().findFirst().orElse("id");
      add(node, path, "must be the id of a " + kind.key() + ", such as " + id + ", or a mapping, such as {type: " + id
          + "}, but is " + node.text());
      return null;
    }
    Node type = mapping.entries().get(TYPE);
    if (!(type instanceof Scalar id)) {
      String misspelt = mapping.entries().keySet().stream()
          .filter(key -> !NearestMatch.hint(key, List.of(TYPE)).isEmpty()).findFirst()
          .map(key -> "; there is '" + key + "', did you mean 'type'?").orElse("");
      add(type == null ? mapping : type, join(path, TYPE), (type == null ? "is missing" : "is " + type.text())
          + "; write the id of a " + kind.key() + ", one of " + String.join(", ", registry.ids(kind))
          + (type == null ? misspelt : ""));
      return null;
    }
    Optional<Plugin> plugin = registry.find(kind, id.value());
    if (plugin.isEmpty()) {
      add(type, join(path, TYPE), registry.unknownIdMessage(kind, id.value()));
      return null;
    }
    String outer = longestTime;
    longestTime = kind.equals(PluginKind.LINK) || kind.equals(PluginKind.SWITCH) ? LONGEST_LATENCY : LONGEST_TIME;
    Object product = isClassed(kind) ? classed(plugin.get(), mapping, path) : create(plugin.get(), mapping, path);
    longestTime = outer;
    if (product instanceof CollectiveAlgorithm algorithm
        && plugin.get().provider() instanceof CollectiveAlgorithmProvider) {
      return new DerivedAlgorithm(algorithm, registry, folders, plugin.get(), mapping, path);
    }
    return product instanceof Topology topology ? new LocatedTopology(topology, path, mapping.origin()) : product;
  }

  private static boolean isClassed(PluginKind kind) {
    return kind.equals(PluginKind.WORKLOAD) || kind.equals(PluginKind.TRANSPORT_PROTOCOL);
  }

  // A product with the setting that all of its kind have; a plug-in may have a setting of that name itself.
  private @Nullable Object classed(Plugin plugin, Mapping mapping, String path) {
    Node value = mapping.entries().get(TrafficClasses.KEY);
    if (value == null) {
      return controlled(plugin, mapping, path);
    }
    boolean own = SCHEMAS.get(plugin.provider().settings()).keys().contains(TrafficClasses.KEY);
    Mapping alone = new Mapping(mapping.origin(), Map.of(TrafficClasses.KEY, value));
    TrafficClasses.Own stated = record(TrafficClasses.Own.class, alone, path);
    Object product = controlled(plugin, own ? mapping : mapping.without(TrafficClasses.KEY), path);
    if (stated == null || product == null) {
      return null;
    }
    int number = stated.trafficClass().orElseThrow();
    classes.add(number, join(path, TrafficClasses.KEY), value.origin(), !own);
    return product instanceof Workload workload ? new ClassedWorkload(workload, number) : product;
  }

  // A protocol with the class of its control packets, if it is stated.
  private @Nullable Object controlled(Plugin plugin, Mapping mapping, String path) {
    Node value = mapping.entries().get(TrafficClasses.CONTROL_KEY);
    if (value == null || !plugin.kind().equals(PluginKind.TRANSPORT_PROTOCOL)) {
      return create(plugin, mapping, path);
    }
    Mapping alone = new Mapping(mapping.origin(), Map.of(TrafficClasses.CONTROL_KEY, value));
    TrafficClasses.OfControl stated = record(TrafficClasses.OfControl.class, alone, path);
    Object product = create(plugin, mapping.without(TrafficClasses.CONTROL_KEY), path);
    if (stated == null || !(product instanceof TransportProtocol protocol)) {
      return null;
    }
    int number = stated.controlClass().orElseThrow();
    classes.add(number, join(path, TrafficClasses.CONTROL_KEY), value.origin(), true);
    return new ClassedProtocol(protocol, number);
  }

  /** Makes the product of a plug-in from the settings of a mapping; null when there are problems. */
  @Nullable
  Object create(Plugin plugin, Mapping mapping, String path) {
    return create(plugin, plugin.provider(), mapping, path);
  }

  private <S extends Record> @Nullable Object create(Plugin plugin, Provider<S, ?> provider, Mapping node,
      String path) {
    S settings = record(
        provider.settings(), node.without(TYPE), path,
        plugin.kind().equals(PluginKind.TRANSPORT_PROTOCOL) ? List.of(TrafficClasses.KEY, TrafficClasses.CONTROL_KEY)
            : isClassed(plugin.kind()) ? List.of(TrafficClasses.KEY) : List.of());
    if (settings == null) {
      return null;
    }
    try {
      Object product = provider.create(settings);
      if (!plugin.kind().product().isInstance(product)) {
        throw new PluginException(plugin, new IllegalStateException("create made " + product));
      }
      return product;
    } catch (InvalidSettingException e) {
      addInvalid(e, node, path);
      return null;
    } catch (PluginException e) {
      throw e;
    } catch (RuntimeException | LinkageError e) {
      throw new PluginException(plugin, e);
    }
  }

  private <R extends Record> @Nullable R construct(Class<R> type, @Nullable Object[] arguments, Mapping node,
      String path) {
    try {
      Class<?>[] types =
          Arrays.stream(type.getRecordComponents()).map(RecordComponent::getType).toArray(Class<?>[]::new);
      Constructor<R> constructor = type.getDeclaredConstructor(types);
      constructor.trySetAccessible();
      return constructor.newInstance(arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof InvalidSettingException invalid) {
        addInvalid(invalid, node, path);
        return null;
      }
      if (e.getCause() instanceof IllegalArgumentException || e.getCause() instanceof ArithmeticException) {
        add(node, path, String.valueOf(e.getCause().getMessage()));
        return null;
      }
      throw new IllegalStateException("the record " + type.getName() + " cannot be made", e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the record " + type.getName() + " cannot be made", e);
    }
  }

  private void addInvalid(InvalidSettingException e, Mapping node, String path) {
    problems.add(invalid(e, node, path));
  }

  /** The problem that an exception from a plug-in's own checks stands for, at the component that it names. */
  static Problem invalid(InvalidSettingException e, Mapping node, String path) {
    String key = SettingsSchema.key(e.component());
    Node value = node.entries().getOrDefault(key, node);
    return new Problem(
        value.origin().file(), value.origin().line(), key.isEmpty() ? path : join(path, key),
        String.valueOf(e.getMessage()));
  }

  void add(Node node, String path, String message) {
    problems.add(new Problem(node.origin().file(), node.origin().line(), path, message));
  }

  /** The path of a key within the mapping at {@code path}. */
  static String join(String path, String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  private static Node moved(Node node, Origin origin) {
    if (node instanceof Mapping mapping) {
      Map<String, Node> entries = new LinkedHashMap<>();
      mapping.entries().forEach((key, value) -> entries.put(key, moved(value, origin)));
      return new Mapping(origin, entries);
    }
    if (node instanceof Sequence sequence) {
      return new Sequence(origin, sequence.items().stream().map(item -> moved(item, origin)).toList());
    }
    return node instanceof Scalar scalar ? new Scalar(origin, scalar.value()) : node;
  }

  private static Class<?> raw(Type type) {
    return type instanceof ParameterizedType generic ? (Class<?>) generic.getRawType() : (Class<?>) type;
  }

  private static Type argument(Type type, int index) {
    return ((ParameterizedType) type).getActualTypeArguments()[index];
  }
}
