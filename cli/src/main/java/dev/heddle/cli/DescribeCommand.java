package dev.heddle.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.heddle.registry.PluginKind;
import dev.heddle.registry.Registry.Plugin;
import dev.heddle.registry.SettingsSchema;
import dev.heddle.results.Results.Metric;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.scenario.ScenarioSettings;
import dev.heddle.sim.MetricKeys;
import dev.heddle.spi.NearestMatch;
import dev.heddle.spi.Setting;
import dev.heddle.spi.WorkloadProvider;
import jakarta.inject.Inject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the settings and metrics of a plug-in, generated from declarations, or the metrics of a scenario file. */
@Command(
    name = "describe",
    description = "Print the settings of a building block or of a scenario, and the metrics of a workload or of a"
        + " scenario file.")
final class DescribeCommand implements Callable<Integer> {
  private static final String SCENARIO = "scenario";

  private final Installation installation;
  private final Console console;
  private final PointRunner runner;

  @Parameters(
      paramLabel = "TYPE",
      description = "A block as link/generic, or generic where only one kind has it; scenario; or a scenario"
          + " file.")
  private String type = "";

  @Option(names = "--json", description = "Print as JSON.")
  private boolean json;

  @Inject
  DescribeCommand(Installation installation, Console console, PointRunner runner) {
    this.installation = installation;
    this.console = console;
    this.runner = runner;
  }

  @Override
  public Integer call() {
    if (type.endsWith(".yaml") || type.endsWith(".yml")) {
      metrics(Path.of(type));
    } else if (type.equals(SCENARIO)) {
      print(SCENARIO, "A scenario file", SettingsSchema.of(ScenarioSettings.class));
    } else {
      Plugin plugin = find();
      print(plugin);
    }
    return Main.OK;
  }

  private void metrics(Path file) {
    ScenarioFile read = new ScenarioReader(installation.registry()).read(file, Map.of());
    MetricKeys keys = runner.metrics(read.points().get(0).scenario())
        .orElseThrow(() -> new UsageException(file + ": its metrics are known after a run alone"));
    if (json) {
      ObjectNode root = JsonNodeFactory.instance.objectNode();
      keys.metrics().forEach(root.putArray("metrics")::add);
      keys.distributions().forEach(root.putArray("distributions")::add);
      console.print(root.toPrettyString() + "\n");
      return;
    }
    StringBuilder text = new StringBuilder(file + "\n").append(Paragraphs.wrap(
        "Metrics that a run of it can have; a collective's where it does that operation:", 0, console.width()));
    keys.metrics().forEach(key -> text.append("    ").append(key).append('\n'));
    text.append(Paragraphs.wrap(
        "Distributions, with .mean, .min, .p50, .p90, .p99, .p999 or .max:", 0, console.width()));
    keys.distributions().forEach(key -> text.append("    ").append(key).append('\n'));
    console.print(text.toString());
  }

  private Plugin find() {
    List<Plugin> all = new ArrayList<>();
    for (PluginKind kind : installation.registry().kinds()) {
      all.addAll(installation.registry().plugins(kind));
    }
    List<Plugin> matches = all.stream()
        .filter(plugin -> name(plugin).equals(type) || plugin.id().equals(type))
        .toList();
    List<String> names = (matches.isEmpty() ? all : matches).stream().map(DescribeCommand::name).toList();
    if (matches.isEmpty()) {
      String hint = NearestMatch.hint(type, names);
      throw new UsageException("nothing is called '" + type + "'; there are " + String.join(", ", names)
          + (hint.isEmpty() ? NearestMatch.hint(type, all.stream().map(Plugin::id).toList()) : hint));
    }
    if (matches.size() > 1) {
      throw new UsageException("'" + type + "' is ambiguous; write one of " + String.join(", ", names));
    }
    return matches.get(0);
  }

  private static String name(Plugin plugin) {
    return plugin.kind().key() + "/" + plugin.id();
  }

  private void print(Plugin plugin) {
    SettingsSchema schema = SettingsSchema.of(plugin.provider().settings());
    if (plugin.provider() instanceof WorkloadProvider<?> workload && json) {
      ObjectNode root = SettingsJson.of(name(plugin), plugin.provider().description(), schema);
      ArrayNode metrics = root.putArray("metrics");
      metrics(workload).forEach(metric -> metrics.addObject().put("key", metric.id()).put("quantity", metric.title())
          .put("unit", metric.unit()));
      console.print(root.toPrettyString() + "\n");
      return;
    }
    print(name(plugin), plugin.provider().description(), schema);
    if (plugin.provider() instanceof WorkloadProvider<?> workload) {
      StringBuilder text = new StringBuilder("\nmetrics\n");
      metrics(workload).forEach(metric -> text.append(Paragraphs.wrap(metric.id() + " (" + metric.unit() + "): "
          + metric.title(), 4, console.width())));
      console.print(text.append(Paragraphs.wrap((metrics(workload).isEmpty() ? "Those" : "Besides, those")
          + " of every run and of collectives; 'heddle describe FILE.yaml' lists all of a scenario.", 4,
          console.width())).toString());
    }
  }

  private static List<Metric> metrics(WorkloadProvider<?> workload) {
    return Stream.concat(workload.metrics().stream(), workload.activities().stream().map(activity -> new Metric(
        "activity." + activity.id(), activity.title() + ", mean over ranks", "us", 0))).toList();
  }

  private void print(String name, String description, SettingsSchema schema) {
    if (json) {
      console.print(SettingsJson.of(name, description, schema).toPrettyString() + "\n");
      return;
    }
    StringBuilder text = new StringBuilder(name).append('\n');
    text.append(Paragraphs.wrap(description, 4, console.width()));
    settings(text, schema, 0);
    console.print(text.toString());
  }

  private void settings(StringBuilder text, SettingsSchema schema, int indent) {
    for (SettingsSchema.Entry entry : schema.entries()) {
      text.append(Paragraphs.wrap(entry.key() + ": " + entry.typeName() + bounds(entry), indent, console.width()));
      text.append(Paragraphs.wrap(entry.setting().value(), indent + 4, console.width()));
      if (!entry.setting().source().isEmpty()) {
        text.append(Paragraphs.wrap("source: " + entry.setting().source(), indent + 4, console.width()));
      }
      entry.nested().ifPresent(nested -> settings(text, SettingsSchema.of(nested), indent + 4));
    }
  }

  private static String bounds(SettingsSchema.Entry entry) {
    Setting setting = entry.setting();
    StringBuilder text = new StringBuilder();
    if (!setting.min().isEmpty() || !setting.max().isEmpty()) {
      text.append(setting.min().isEmpty() ? "" : ", from " + setting.min())
          .append(setting.max().isEmpty() ? "" : (setting.min().isEmpty() ? ", up to " : " to ") + setting.max());
    }
    text.append(entry.required() ? " (required)" : setting.def().isEmpty() ? " (optional)"
        : " (default " + setting.def() + ")");
    return text.toString();
  }
}
