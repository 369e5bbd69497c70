package dev.heddle.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.heddle.registry.PluginKind;
import dev.heddle.registry.Registry;
import dev.heddle.registry.Registry.Plugin;
import dev.heddle.spi.ValidationSuite;
import jakarta.inject.Inject;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the installed plug-ins. */
@Command(name = "plugins", description = "List the building blocks that scenarios can use, and where they are from.")
final class PluginsCommand implements Callable<Integer> {
  private final Installation installation;
  private final Console console;

  @Option(names = "--json", description = "Print as JSON.")
  private boolean json;

  @Inject
  PluginsCommand(Installation installation, Console console) {
    this.installation = installation;
    this.console = console;
  }

  @Override
  public Integer call() {
    console.print(json ? json(installation.registry()) : text(installation.registry()));
    return Main.OK;
  }

  private String text(Registry registry) {
    StringBuilder text = new StringBuilder();
    for (PluginKind kind : registry.kinds()) {
      for (Plugin plugin : registry.plugins(kind)) {
        text.append(kind.key()).append('/').append(plugin.id()).append('\n')
            .append(Paragraphs.wrap(plugin.provider().description(), 4, console.width()))
            .append(Paragraphs.wrap("from " + plugin.origin(), 4, console.width()));
      }
    }
    for (ValidationSuite suite : registry.suites()) {
      text.append("validation suite ").append(suite.id()).append('\n')
          .append(Paragraphs.wrap(suite.description(), 4, console.width()));
    }
    for (String warning : registry.warnings()) {
      text.append("not usable\n").append(Paragraphs.wrap(warning, 4, console.width()));
    }
    return text.toString();
  }

  private static String json(Registry registry) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    for (PluginKind kind : registry.kinds()) {
      for (Plugin plugin : registry.plugins(kind)) {
        root.withArray("plugins").addObject()
            .put("kind", kind.key())
            .put("id", plugin.id())
            .put("description", plugin.provider().description())
            .put("provider", plugin.provider().getClass().getName())
            .put("origin", plugin.origin());
      }
    }
    registry.suites().forEach(suite -> root.withArray("suites").addObject()
        .put("id", suite.id()).put("description", suite.description()));
    registry.warnings().forEach(root.withArray("warnings")::add);
    return root.toPrettyString() + "\n";
  }
}
