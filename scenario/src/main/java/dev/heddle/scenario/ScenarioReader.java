package dev.heddle.scenario;

import com.google.common.hash.Hashing;
import dev.heddle.fabric.Fabric;
import dev.heddle.registry.PluginKind;
import dev.heddle.registry.Registry;
import dev.heddle.registry.Registry.PresetResource;
import dev.heddle.results.SweepResults;
import dev.heddle.scenario.Node.Mapping;
import dev.heddle.scenario.Node.Origin;
import dev.heddle.scenario.ScenarioBinding.Bound;
import dev.heddle.scenario.ScenarioSettings.PlotSettings;
import dev.heddle.spi.NearestMatch;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Reads scenario files: text, presets, overrides, sweep, binding, in this order. Whatever is wrong is reported at once,
 * and before anything runs.
 */
public final class ScenarioReader {
  /** The kind of presets of whole clusters. */
  public static final String CLUSTER = "cluster";
  /** The kind of presets of one node, which stands for a cluster of one. */
  public static final String NODE = "node";

  /** The most points of one sweep. */
  static final int MAX_POINTS = 100_000;

  /** Points that stay bound in memory. */
  private static final int KEPT_POINTS = 64;

  /** A scenario about its cluster alone. */
  private static final String NO_WORK = "{name: machine, workload: {type: collective, size: 1 B}}";

  private final Registry registry;
  private final InputFolders folders;
  private final long mostTerminals;
  private final long mostPoints;

  /** A reader that binds the providers and presets of a registry; it reads the files that this process may read. */
  public ScenarioReader(Registry registry) {
    this(registry, InputFolders.standard());
  }

  private ScenarioReader(Registry registry, InputFolders folders) {
    this(registry, folders, ScenarioBinding.MAX_TERMINALS, MAX_POINTS);
  }

  /**
   * A reader with limits, for texts of others.
   *
   * @param registry of the providers and presets that it binds
   * @param folders of the files that may be named
   * @param mostTerminals terminals of a cluster
   * @param mostPoints points of a sweep
   */
  public ScenarioReader(Registry registry, InputFolders folders, int mostTerminals, int mostPoints) {
    this.registry = registry;
    this.folders = folders;
    this.mostTerminals = Math.min(mostTerminals, ScenarioBinding.MAX_TERMINALS);
    this.mostPoints = Math.min(mostPoints, MAX_POINTS);
  }

  /**
   * Reads a file.
   *
   * @param file a scenario
   * @param overrides values by path, as written in a scenario; applied in order; an overridden axis is no longer swept
   * @throws ScenarioException with everything that is wrong
   */
  public ScenarioFile read(Path file, Map<String, String> overrides) {
    return resolve(YamlReader.read(file), overrides);
  }

  /**
   * Reads a file, with another cluster in the place of its own.
   *
   * @param file a scenario
   * @param cluster a file as {@link #cluster(Path, Map)} reads it, of which only the cluster counts
   * @param overrides as for a file alone
   * @throws ScenarioException with everything that is wrong
   */
  public ScenarioFile read(Path file, Path cluster, Map<String, String> overrides) {
    return resolve(on(file, cluster), overrides);
  }

  private Node on(Path file, Path cluster) {
    Node root = YamlReader.read(file);
    return root instanceof Mapping mapping
        ? mapping.with("cluster", Objects.requireNonNull(machine(cluster).entries().get("cluster")))
        : root;
  }

  /**
   * Reads a text.
   *
   * @param name of the text, for messages
   * @param text a scenario
   * @param overrides as for a file
   * @throws ScenarioException with everything that is wrong
   */
  public ScenarioFile parse(String name, String text, Map<String, String> overrides) {
    return resolve(YamlReader.parse(name, text), overrides);
  }

  /**
   * The values of a file by their paths, presets filled in; without its name, description, sweep and report.
   *
   * @param overrides as for {@link #read}
   */
  public Map<String, String> fields(Path file, Map<String, String> overrides) {
    return fields(YamlReader.read(file), overrides);
  }

  /** The values of a file by their paths, with another cluster in the place of its own. */
  public Map<String, String> fields(Path file, Path cluster, Map<String, String> overrides) {
    return fields(on(file, cluster), overrides);
  }

  /**
   * A problem with a metric that plots or rankings of a file name, at its place.
   *
   * @param overrides as for {@link #read}
   */
  public Problem problem(Path file, Map<String, String> overrides, String metric, String message) {
    return ReportPlaces.problem(resolved(YamlReader.read(file), overrides(overrides)), metric, message);
  }

  private Map<String, String> fields(Node root, Map<String, String> overrides) {
    Map<String, String> fields = new LinkedHashMap<>();
    if (resolved(root, overrides(overrides)) instanceof Mapping tree) {
      Node.addFields(tree.without("name").without("description").without("sweep").without("report"), "", fields);
    }
    return fields;
  }

  /**
   * The description of a preset, in one line.
   *
   * @throws ScenarioException when the preset is malformed
   */
  public String description(PresetResource preset) {
    return Presets.read(preset).description();
  }

  /**
   * The kind of part that a preset stands for: {@code cluster}, {@code node}, the key of a kind of building block whose
   * type it names, or {@code part}.
   *
   * @throws ScenarioException when the preset is malformed
   */
  public String kind(PresetResource preset) {
    Mapping value = Presets.read(preset).value();
    if (value.entries().containsKey("tiers")) {
      return CLUSTER;
    }
    if (isNode(Presets.resolve(value, registry))) {
      return NODE;
    }
    if (Presets.resolve(value, registry) instanceof Mapping resolved
        && resolved.entries().get("type") instanceof Node.Scalar type) {
      for (PluginKind kind : registry.kinds()) {
        if (registry.find(kind, type.value()).isPresent()) {
          return kind.key();
        }
      }
    }
    return "part";
  }

  /**
   * Makes one building block.
   *
   * @param kind of the block
   * @param name of the text, for messages
   * @param text as in a scenario, such as {@code {type: ring, channels: 4}}
   * @return a product of the kind
   * @throws ScenarioException with everything that is wrong
   */
  public Object block(PluginKind kind, String name, String text) {
    Binder binder = new Binder(registry, folders);
    Object product = binder.product(kind, Presets.resolve(YamlReader.value(name, text), registry), "");
    if (product == null) {
      throw new ScenarioException(binder.problems());
    }
    return product;
  }

  /**
   * Makes a record of settings.
   *
   * @param type of the record; all its components carry {@link dev.heddle.spi.Setting}
   * @param name of the text, for messages
   * @param text as in a scenario, presets included
   * @throws ScenarioException with everything that is wrong
   */
  public <R extends Record> R record(Class<R> type, String name, String text) {
    Binder binder = new Binder(registry, folders);
    R record = binder.record(type, Presets.resolve(YamlReader.value(name, text), registry), "");
    if (record == null) {
      throw new ScenarioException(binder.problems());
    }
    return record;
  }

  /**
   * Plans the cluster that a preset describes, or the one node that it is.
   *
   * @param place that names the preset, for messages
   * @param preset id of a cluster's preset, or of a node's
   * @param overrides as for a file, such as another number of nodes
   * @throws ScenarioException with everything that is wrong
   */
  public Fabric cluster(String place, String preset, Map<String, String> overrides) {
    String named = "{preset: '" + preset.replace("'", "''") + "'}";
    String cluster =
        isNode(Presets.resolve(YamlReader.parse(place, named), registry)) ? "{tiers: [" + named + "]}" : named;
    String text = "{name: machine, cluster: " + cluster + ", workload: {type: collective, size: 1 B}}";
    return parse(place, text, overrides).points().get(0).scenario().fabric();
  }

  /**
   * Plans the cluster of a file: a scenario, of which only the cluster counts, or a file with nothing but {@code name}
   * and {@code cluster}, with {@code tiers}, or with one node.
   *
   * @param file a YAML file
   * @param overrides as for a scenario; paths begin with {@code cluster.}
   * @throws ScenarioException with everything that is wrong
   */
  public Fabric cluster(Path file, Map<String, String> overrides) {
    Mapping given = machine(file);
    Mapping machine = (Mapping) YamlReader.parse(file.toString(), NO_WORK);
    for (String key : List.of("name", "cluster", "preset")) {
      if (given.entries().containsKey(key)) {
        machine = machine.with(key, given.entries().get(key));
      }
    }
    return resolve(machine, overrides).points().get(0).scenario().fabric();
  }

  // A file that has its cluster under that key.
  private Mapping machine(Path file) {
    Node root = YamlReader.read(file);
    if (!(root instanceof Mapping mapping)) {
      throw fail(root, "", "a cluster is a mapping of keys to values, but the file holds " + root.text());
    }
    if (mapping.entries().containsKey("cluster")) {
      return mapping;
    }
    Node cluster = isNode(Presets.resolve(mapping, registry))
        ? new Mapping(mapping.origin(), Map.of("tiers", new Node.Sequence(mapping.origin(), List.of(mapping))))
        : mapping;
    return new Mapping(mapping.origin(), Map.of("cluster", cluster));
  }

  private static boolean isNode(Node value) {
    return value instanceof Mapping mapping && mapping.entries().containsKey("terminals");
  }

  private ScenarioFile resolve(Node read, Map<String, String> overrides) {
    if (!(read instanceof Mapping)) {
      throw fail(read, "", "a scenario is a mapping of keys to values, but the file holds " + read.text());
    }
    Map<FieldPath, Node> settings = overrides(overrides);
    Node root = resolved(read, settings);
    List<SweepAxis> axes = axes((Mapping) root);
    Mapping base = ((Mapping) root).without("sweep");
    List<String> declared = axes.stream().map(SweepAxis::key).toList();
    return expand(base, unpinned(axes, settings, base), declared);
  }

  private Node resolved(Node read, Map<FieldPath, Node> settings) {
    Node named = apply(read, settings, true);
    checkCluster(named);
    Node root = Presets.resolve(named, registry);
    return Presets.resolve(apply(root, settings, false), registry);
  }

  // A preset of another kind has none of a cluster's keys, so that each of its own would be an unknown key.
  private void checkCluster(Node root) {
    if (root instanceof Mapping scenario && scenario.entries().get(CLUSTER) instanceof Mapping cluster
        && !cluster.entries().containsKey("tiers") && cluster.entries().get("preset") instanceof Node.Scalar id
        && registry.presets().stream().anyMatch(each -> each.id().equals(id.value()))) {
      String kind = kind(registry.preset(id.value()));
      if (!kind.equals(CLUSTER)) {
        throw fail(id, CLUSTER + ".preset", "the preset " + id.value() + " is a " + kind + ", not a cluster; "
            + (kind.equals(NODE) ? "write {tiers: [{preset: " + id.value() + "}]} for a cluster of one"
                : "'heddle presets --kind cluster' lists those"));
      }
    }
  }

  private static Map<FieldPath, Node> overrides(Map<String, String> overrides) {
    Map<FieldPath, Node> settings = new LinkedHashMap<>();
    List<Problem> problems = new ArrayList<>();
    overrides.forEach((path, text) -> {
      try {
        settings.put(FieldPath.parse(path), YamlReader.value("--set " + path, text));
      } catch (IllegalArgumentException e) {
        problems.add(new Problem("--set " + path, 0, "", String.valueOf(e.getMessage())));
      } catch (ScenarioException e) {
        problems.addAll(e.problems());
      }
    });
    if (!problems.isEmpty()) {
      throw new ScenarioException(problems);
    }
    return settings;
  }

  /** Presets are overridden before they are resolved, those that they are nested in are unfolded; all else after. */
  private Node apply(Node root, Map<FieldPath, Node> settings, boolean presets) {
    UnaryOperator<Mapping> unfold = presets ? each -> Presets.unfold(each, registry) : UnaryOperator.identity();
    Node changed = root;
    for (Map.Entry<FieldPath, Node> entry : settings.entrySet()) {
      boolean preset = entry.getKey().endsWith("preset")
          || entry.getValue() instanceof Mapping value && value.entries().containsKey("preset");
      if (preset == presets) {
        changed = set(changed, entry.getKey(), entry.getValue(), unfold);
      }
    }
    return changed;
  }

  private static Node set(Node root, FieldPath path, Node value, UnaryOperator<Mapping> unfold) {
    try {
      return path.set(root, value, unfold);
    } catch (IllegalArgumentException e) {
      throw fail(value, path.toString(), String.valueOf(e.getMessage()));
    }
  }

  private static List<SweepAxis> axes(Mapping root) {
    Node sweep = root.entries().get("sweep");
    if (sweep == null) {
      return List.of();
    }
    if (!(sweep instanceof Mapping mapping)) {
      throw fail(sweep, "sweep", "must be a mapping of paths to lists of values, but is " + sweep.text());
    }
    List<SweepAxis> axes = new ArrayList<>();
    List<Problem> problems = new ArrayList<>();
    mapping.entries().forEach((key, node) -> {
      try {
        axes.add(SweepAxis.of(key, node));
      } catch (IllegalArgumentException e) {
        problems.add(problem(node, "sweep." + key, String.valueOf(e.getMessage())));
      }
    });
    if (!problems.isEmpty()) {
      throw new ScenarioException(problems);
    }
    return axes;
  }

  private static List<SweepAxis> unpinned(List<SweepAxis> axes, Map<FieldPath, Node> settings, Mapping base) {
    Set<String> pinned = new LinkedHashSet<>();
    settings.keySet().forEach(path -> pinned.add(canonical(path, base)));
    return axes.stream()
        .filter(axis -> axis.paths().stream().noneMatch(path -> pinned.contains(canonical(path, base))))
        .toList();
  }

  private static String canonical(FieldPath path, Node base) {
    try {
      return path.canonical(base);
    } catch (IllegalArgumentException e) {
      throw fail(base, "", String.valueOf(e.getMessage()));
    }
  }

  private ScenarioFile expand(Mapping base, List<SweepAxis> axes, List<String> declared) {
    long count = 1;
    for (SweepAxis axis : axes) {
      count *= axis.values().size();
      if (count > mostPoints) {
        throw fail(base, "sweep", "has more than " + mostPoints + " points");
      }
    }
    List<ScenarioFile.Point> points = new ArrayList<>();
    Set<Problem> problems = new LinkedHashSet<>();
    Optional<Bound> first = Optional.empty();
    InputContents contents = new InputContents();
    for (int index = 0; index < count && problems.size() < 20; index++) {
      try {
        Map<String, String> parameters = new LinkedHashMap<>();
        Mapping tree = point(base, axes, index, parameters);
        Bound bound = bind(tree);
        first = first.isEmpty() ? Optional.of(bound) : first;
        points.add(new ScenarioFile.Point(
            key(tree, bound.inputs(), contents), parameters, binding(base, axes, index, bound.scenario())));
      } catch (ScenarioException e) {
        problems.addAll(e.problems());
      }
    }
    if (!problems.isEmpty() || first.isEmpty()) {
      throw new ScenarioException(List.copyOf(problems));
    }
    Bound bound = first.get();
    return new ScenarioFile(
        bound.scenario().name(),
        bound.scenario().description(),
        axes.stream().map(SweepAxis::result).toList(),
        plots(base, axes, declared, bound.settings().report().plots()),
        bound.settings().report().rankings().stream()
            .map(ranking -> new SweepResults.Ranking(ranking.title(), ranking.metric())).toList(),
        points,
        hash(String.join(" ", points.stream().map(ScenarioFile.Point::key).toList())));
  }

  /** The first points stay bound; the others are bound anew when they run, so that a long sweep fits in memory. */
  private Supplier<Scenario> binding(Mapping base, List<SweepAxis> axes, int index, Scenario bound) {
    if (index < KEPT_POINTS) {
      return () -> bound;
    }
    return () -> bind(point(base, axes, index, new LinkedHashMap<>())).scenario();
  }

  private Bound bind(Mapping tree) {
    return ScenarioBinding.bind(new Binder(registry, folders), tree, mostTerminals);
  }

  private static Mapping point(Mapping base, List<SweepAxis> axes, int index, Map<String, String> parameters) {
    int[] steps = new int[axes.size()];
    int rest = index;
    for (int axis = axes.size() - 1; axis >= 0; axis--) {
      steps[axis] = rest % axes.get(axis).values().size();
      rest /= axes.get(axis).values().size();
    }
    Node tree = base;
    for (int i = 0; i < steps.length; i++) {
      SweepAxis axis = axes.get(i);
      parameters.put(axis.key(), axis.text(steps[i]));
      for (int field = 0; field < axis.paths().size(); field++) {
        tree = set(tree, axis.paths().get(field), axis.values().get(steps[i]).get(field), UnaryOperator.identity());
      }
    }
    return (Mapping) tree;
  }

  /** The plots of those axes that are swept; a plot whose abscissa was overridden is left out. */
  private static List<SweepResults.Plot> plots(
      Mapping base, List<SweepAxis> axes, List<String> declared, List<PlotSettings> plots) {
    List<String> swept = axes.stream().map(SweepAxis::key).toList();
    List<SweepResults.Plot> resolved = new ArrayList<>();
    for (int i = 0; i < plots.size(); i++) {
      PlotSettings plot = plots.get(i);
      String path = "report.plots[" + i + "]";
      String x = checkAxis(base, path + ".x", declared, plot.x());
      String series = checkAxis(base, path + ".series", declared, plot.series().orElse(""));
      String panels = checkAxis(base, path + ".panels", declared, plot.panels().orElse(""));
      if (swept.contains(x)) {
        resolved.add(new SweepResults.Plot(
            plot.title(), plot.metric(), x, swept.contains(series) ? series : "",
            swept.contains(panels) ? panels : "", plot.logY()));
      }
    }
    return resolved;
  }

  private static String checkAxis(Mapping base, String path, List<String> declared, String name) {
    if (!name.isEmpty() && !declared.contains(name)) {
      throw fail(base.entries().getOrDefault("report", base), path, "'" + name + "' is no axis of the sweep; "
          + (declared.isEmpty() ? "there is none" : "its axes are " + String.join(", ", declared))
          + NearestMatch.hint(name, declared));
    }
    return name;
  }

  private static String key(Mapping point, List<Path> inputs, InputContents contents) {
    String text = point.without("name").without("description").without("report").text();
    return hash(inputs.isEmpty() ? text : text + "\n" + contents.hash(inputs));
  }

  private static String hash(String text) {
    return Hashing.sha256().hashString(text, StandardCharsets.UTF_8).toString().substring(0, 32);
  }

  private static Problem problem(Node node, String path, String message) {
    Origin origin = node.origin();
    return new Problem(origin.file(), origin.line(), path, message);
  }

  private static ScenarioException fail(Node node, String path, String message) {
    return new ScenarioException(List.of(problem(node, path, message)));
  }
}
