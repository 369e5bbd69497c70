package dev.heddle.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.heddle.registry.PluginKind;
import dev.heddle.registry.Registry.Plugin;
import dev.heddle.registry.SettingsSchema;
import dev.heddle.scenario.ScenarioSettings;
import dev.heddle.spi.NearestMatch;
import dev.heddle.spi.Setting;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the settings of a plug-in, generated from their declarations. */
@Command(name = "describe", description = "Print the settings of a building block, or of a scenario.")
final class DescribeCommand implements Callable<Integer> {
  private static final String SCENARIO = "scenario";

  private final Installation installation;
  private final Console console;

  @Parameters(
      paramLabel = "TYPE",
      description = "What to describe: link/generic, or generic where only one kind has it, or scenario.")
  private String type = "";

  @Option(names = "--json", description = "Print as JSON.")
  private boolean json;

  @Inject
  DescribeCommand(Installation installation, Console console) {
    this.installation = installation;
    this.console = console;
  }

  @Override
  public Integer call() {
    if (type.equals(SCENARIO)) {
      print(SCENARIO, "A scenario file", SettingsSchema.of(ScenarioSettings.class));
    } else {
      Plugin plugin = find();
      print(name(plugin), plugin.provider().description(), SettingsSchema.of(plugin.provider().settings()));
    }
    return Main.OK;
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

  private void print(String name, String description, SettingsSchema schema) {
    if (json) {
      ObjectNode root = JsonNodeFactory.instance.objectNode();
      root.put("type", name).put("description", description);
      settings(root.putArray("settings"), schema);
      console.print(root.toPrettyString() + "\n");
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

  private static void settings(ArrayNode array, SettingsSchema schema) {
    for (SettingsSchema.Entry entry : schema.entries()) {
      Setting setting = entry.setting();
      ObjectNode node = array.addObject();
      node.put("key", entry.key()).put("type", entry.typeName()).put("required", entry.required());
      put(node, "default", setting.def());
      put(node, "min", setting.min());
      put(node, "max", setting.max());
      node.put("text", setting.value());
      put(node, "source", setting.source());
      entry.nested().ifPresent(nested -> settings(node.putArray("settings"), SettingsSchema.of(nested)));
    }
  }

  private static void put(ObjectNode node, String key, String value) {
    if (!value.isEmpty()) {
      node.put(key, value);
    }
  }
}
