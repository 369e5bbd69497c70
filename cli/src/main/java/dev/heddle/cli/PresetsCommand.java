package dev.heddle.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.heddle.registry.PresetResource;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import jakarta.inject.Inject;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists presets, or prints one. */
@Command(name = "presets", description = "List the presets that scenarios can name, or print one.")
final class PresetsCommand implements Callable<Integer> {
  private final Installation installation;
  private final Console console;

  @Parameters(arity = "0..1", paramLabel = "ID", description = "The preset to print.")
  private @Nullable String id;

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
      String text = registry.preset(id).text();
      console.print(text.endsWith("\n") ? text : text + "\n");
      return Main.OK;
    }
    console.print(json ? json(registry) : text(registry));
    return Main.OK;
  }

  private String text(Registry registry) {
    if (registry.presets().isEmpty()) {
      return "No preset is installed.\n";
    }
    ScenarioReader reader = new ScenarioReader(registry);
    StringBuilder text = new StringBuilder();
    for (PresetResource preset : registry.presets()) {
      text.append(preset.id()).append('\n')
          .append(Paragraphs.wrap(reader.description(preset), 4, console.width()));
    }
    return text.toString();
  }

  private static String json(Registry registry) {
    ScenarioReader reader = new ScenarioReader(registry);
    ArrayNode root = JsonNodeFactory.instance.arrayNode();
    for (PresetResource preset : registry.presets()) {
      root.addObject()
          .put("id", preset.id())
          .put("description", reader.description(preset))
          .put("origin", preset.origin());
    }
    return root.toPrettyString() + "\n";
  }
}
