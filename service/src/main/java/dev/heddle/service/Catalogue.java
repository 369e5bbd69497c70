package dev.heddle.service;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import dev.heddle.cli.Program;
import dev.heddle.cli.SettingsJson;
import dev.heddle.registry.PluginKind;
import dev.heddle.registry.Registry;
import dev.heddle.registry.Registry.Plugin;
import dev.heddle.registry.Registry.PresetResource;
import dev.heddle.registry.RegistryException;
import dev.heddle.registry.SettingsSchema;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.scenario.ScenarioSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Parts that questions are made of: kinds with their options, presets, settings, samples; all as JSON. */
final class Catalogue {
  private static final Pattern DESCRIPTION = Pattern.compile("(?m)^description: *(.*)$");
  private static final Pattern SWEPT = Pattern.compile("(?m)^sweep:");
  private static final int SAMPLE_DEPTH = 3;

  private final Registry registry;
  private final Program program;
  private final Map<String, Path> samples;
  private final Supplier<ArrayNode> presets;
  private final Supplier<ObjectNode> kinds;

  Catalogue(Registry registry, Program program, Optional<Path> samples) {
    this.registry = registry;
    this.program = program;
    this.samples = samples.map(Catalogue::files).orElseGet(TreeMap::new);
    presets = Suppliers.memoize(this::readPresets);
    kinds = Suppliers.memoize(this::readKinds);
  }

  private static Map<String, Path> files(Path folder) {
    Map<String, Path> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(folder, SAMPLE_DEPTH)) {
      all.filter(file -> file.toString().endsWith(".yaml") || file.endsWith("HPL.dat"))
          .filter(Files::isRegularFile)
          .forEach(file -> files.put(folder.relativize(file).toString().replace('\\', '/'), file));
      return files;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The kinds of tasks with their options. */
  ObjectNode kinds() {
    return kinds.get();
  }

  private ObjectNode readKinds() {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    for (TaskKind kind : TaskKind.values()) {
      ObjectNode node = root.putObject(kind.key());
      node.put("command", kind.command()).put("textFile", kind.textFile());
      ArrayNode options = node.putArray("options");
      List<Program.CommandOption> known = program.options(kind.command());
      kind.options().forEach(name -> known.stream().filter(option -> option.name().equals(name))
          .forEach(option -> options.addObject().put("name", name).put("parameter", option.parameter())
              .put("description", option.description()).put("required", option.required())
              .put("repeated", option.repeated())));
    }
    return root;
  }

  /** All presets: id, kind and description. */
  ArrayNode presets() {
    return presets.get();
  }

  private ArrayNode readPresets() {
    ScenarioReader reader = new ScenarioReader(registry);
    ArrayNode root = JsonNodeFactory.instance.arrayNode();
    for (PresetResource preset : registry.presets()) {
      root.addObject().put("id", preset.id()).put("kind", reader.kind(preset))
          .put("description", reader.description(preset));
    }
    return root;
  }

  /**
   * One preset with its text.
   *
   * @throws RequestException when there is none
   */
  ObjectNode preset(String id) {
    try {
      PresetResource preset = registry.preset(id);
      return JsonNodeFactory.instance.objectNode().put("id", preset.id()).put("text", preset.text());
    } catch (RegistryException e) {
      throw new RequestException(RequestException.NOT_FOUND, String.valueOf(e.getMessage()));
    }
  }

  /** The building blocks: kind, id and description. */
  ArrayNode blocks() {
    ArrayNode root = JsonNodeFactory.instance.arrayNode();
    for (PluginKind kind : registry.kinds()) {
      for (Plugin plugin : registry.plugins(kind)) {
        root.addObject().put("kind", kind.key()).put("id", plugin.id())
            .put("description", plugin.provider().description());
      }
    }
    return root;
  }

  /** The settings of a scenario, as {@code heddle describe scenario --json} prints them. */
  ObjectNode scenarioSettings() {
    return SettingsJson.of("scenario", "A scenario file", SettingsSchema.of(ScenarioSettings.class));
  }

  /**
   * The settings of a building block, as {@code heddle describe KIND/ID --json} prints them.
   *
   * @throws RequestException when there is none
   */
  ObjectNode settings(String kind, String id) {
    for (PluginKind each : registry.kinds()) {
      Optional<Plugin> plugin = each.key().equals(kind) ? registry.find(each, id) : Optional.empty();
      if (plugin.isPresent()) {
        return SettingsJson.of(kind + "/" + id, plugin.get().provider().description(),
            SettingsSchema.of(plugin.get().provider().settings()));
      }
    }
    throw new RequestException(RequestException.NOT_FOUND, "there is no building block '" + kind + "/" + id + "'");
  }

  /** The samples: name, kind of task and description. */
  ArrayNode samples() {
    ArrayNode root = JsonNodeFactory.instance.arrayNode();
    samples.forEach((name, file) -> {
      String text = read(file);
      Matcher description = DESCRIPTION.matcher(text);
      TaskKind kind =
          name.endsWith(".dat") ? TaskKind.HPL : SWEPT.matcher(text).find() ? TaskKind.SWEEP : TaskKind.SCENARIO;
      if (kind == TaskKind.HPL || text.contains("\nworkload:")) {
        root.addObject().put("name", name).put("kind", kind.key())
            .put("description", description.find() ? description.group(1) : "");
      }
    });
    return root;
  }

  /**
   * One sample with its text.
   *
   * @param name as the list has it; it is looked up there, and is no path
   * @throws RequestException when there is none
   */
  ObjectNode sample(String name) {
    Path file = samples.get(name);
    if (file == null) {
      throw new RequestException(RequestException.NOT_FOUND, "there is no such sample");
    }
    return JsonNodeFactory.instance.objectNode().put("name", name).put("text", read(file));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
