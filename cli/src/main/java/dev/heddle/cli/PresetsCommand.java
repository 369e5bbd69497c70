package dev.heddle.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.google.common.collect.Multimap;
import com.google.common.collect.MultimapBuilder;
import dev.heddle.registry.Registry;
import dev.heddle.registry.Registry.PresetResource;
import dev.heddle.registry.RegistryException;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.NearestMatch;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists presets, or prints one. */
@Command(name = "presets", description = "List the presets that scenarios can name, or print one.")
final class PresetsCommand implements Callable<Integer> {
  /** The word for all kinds. */
  private static final String ALL = "all";

  private final Installation installation;
  private final Console console;

  @Parameters(arity = "0..1", paramLabel = "ID", description = "The preset to print.")
  private @Nullable String id;

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      description = "Only presets of this kind: such as cluster, node, link or part; 'all' lists the"
          + " kinds.")
  private @Nullable String kind;

  @Option(names = "--search", paramLabel = "WORD", description = "Only presets whose id or description has this word.")
  private String word = "";

  @Option(names = "--json", description = "Print the list as JSON.")
  private boolean json;

  @Inject
  PresetsCommand(Installation installation, Console console) {
    this.installation = installation;
    this.console = console;
  }

  @Override
  public Integer call() {
    Registry registry = installation.registry();
    if (id != null) {
      String text = preset(registry, id).text();
      console.print(text.endsWith("\n") ? text : text + "\n");
      return Main.OK;
    }
    Multimap<String, PresetResource> kinds = kinds(registry);
    if (ALL.equals(kind)) {
      console.print(json ? kindsJson(kinds) : String.join("\n", kinds.keySet()) + "\n");
      return Main.OK;
    }
    List<PresetResource> chosen = chosen(registry, kinds);
    console.print(json ? json(registry, chosen) : text(registry, chosen));
    return Main.OK;
  }

  private static PresetResource preset(Registry registry, String id) {
    try {
      return registry.preset(id);
    } catch (RegistryException e) {
      long with = registry.presets().stream().filter(preset -> preset.id().contains(id)).count();
      throw with == 0
          ? e : new UsageException("--search " + id + " finds " + with + "; " + e.getMessage());
    }
  }

  private static Multimap<String, PresetResource> kinds(Registry registry) {
    ScenarioReader reader = new ScenarioReader(registry);
    Multimap<String, PresetResource> kinds = MultimapBuilder.treeKeys().arrayListValues().build();
    registry.presets().forEach(preset -> kinds.put(reader.kind(preset), preset));
    return kinds;
  }

  private List<PresetResource> chosen(Registry registry, Multimap<String, PresetResource> kinds) {
    ScenarioReader reader = new ScenarioReader(registry);
    if (kind != null && !kinds.containsKey(kind)) {
      throw new UsageException("--kind " + kind + ": there are " + String.join(", ", kinds.keySet())
          + NearestMatch.hint(kind, kinds.keySet()));
    }
    String lower = word.toLowerCase(Locale.ROOT);
    return registry.presets().stream()
        .filter(preset -> kind == null || kinds.get(kind).contains(preset))
        .filter(preset -> (preset.id() + " " + reader.description(preset)).toLowerCase(Locale.ROOT).contains(lower))
        .toList();
  }

  private String text(Registry registry, List<PresetResource> chosen) {
    if (registry.presets().isEmpty()) {
      return "No preset is installed.\n";
    }
    if (chosen.isEmpty()) {
      return "No preset has the word '" + word + "'.\n";
    }
    ScenarioReader reader = new ScenarioReader(registry);
    StringBuilder text = new StringBuilder();
    for (PresetResource preset : chosen) {
      text.append(preset.id()).append('\n')
          .append(Paragraphs.wrap(reader.description(preset), 4, console.width()));
    }
    return text.toString();
  }

  private static String kindsJson(Multimap<String, PresetResource> kinds) {
    ArrayNode root = JsonNodeFactory.instance.arrayNode();
    kinds.keySet().forEach(root::add);
    return root.toPrettyString() + "\n";
  }

  private static String json(Registry registry, List<PresetResource> chosen) {
    ScenarioReader reader = new ScenarioReader(registry);
    ArrayNode root = JsonNodeFactory.instance.arrayNode();
    for (PresetResource preset : chosen) {
      root.addObject()
          .put("id", preset.id())
          .put("kind", reader.kind(preset))
          .put("description", reader.description(preset))
          .put("origin", preset.origin());
    }
    return root.toPrettyString() + "\n";
  }
}
