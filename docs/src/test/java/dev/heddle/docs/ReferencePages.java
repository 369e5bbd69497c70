package dev.heddle.docs;

import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.Variable;
import dev.heddle.registry.PluginKind;
import dev.heddle.registry.Registry;
import dev.heddle.registry.Registry.Plugin;
import dev.heddle.registry.Registry.PresetResource;
import dev.heddle.registry.SettingsSchema;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.scenario.ScenarioSettings;
import dev.heddle.spi.Setting;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes the reference from the declarations of settings: a page per kind of building block, scenarios, presets. */
final class ReferencePages {
  private static final String NOTE = "Generated from the declarations in the code; a test fails when it is stale.\n\n";

  private static final String CLASSED = "Besides the settings below, each has `traffic-class`, 0 to 7: the class of its"
      + " messages between nodes at switches ([traffic classes](../scenario.md#traffic-classes)).\n\n";

  private static final String CONTROLLED = "`control-class`, 0 to 7, is the class of acknowledgements, notifications,"
      + " grants of credit and trimmed headers, which go before all classes without it.\n\n";

  private ReferencePages() {}

  /** The pages by file name. */
  static Map<String, String> of(Registry registry) {
    Map<String, String> pages = new LinkedHashMap<>();
    for (PluginKind kind : registry.kinds()) {
      pages.put(kind.key() + ".md", kind(registry, kind));
    }
    StringBuilder scenario = new StringBuilder("# Scenario\n\n" + NOTE);
    settings(scenario, "##", "The file", ScenarioSettings.class);
    pages.put("scenario.md", scenario.toString());
    pages.put("presets.md", presets(registry));
    pages.put("nccl-environment.md", environment());
    pages.put("metrics.md", MetricsPage.of(registry));
    return pages;
  }

  private static String kind(Registry registry, PluginKind kind) {
    StringBuilder page = new StringBuilder("# Type " + kind.key() + "\n\n" + NOTE);
    if (kind.equals(PluginKind.WORKLOAD) || kind.equals(PluginKind.TRANSPORT_PROTOCOL)) {
      page.append(CLASSED);
    }
    if (kind.equals(PluginKind.TRANSPORT_PROTOCOL)) {
      page.append(CONTROLLED);
    }
    for (Plugin plugin : registry.plugins(kind)) {
      if (plugin.provider().getClass().getPackageName().equals(ReferencePages.class.getPackageName())) {
        continue;
      }
      page.append("## ").append(plugin.id()).append("\n\n").append(cell(plugin.provider().description()))
          .append(".\n\n");
      settings(page, "###", "", plugin.provider().settings());
    }
    return page.toString();
  }

  private static void settings(StringBuilder page, String level, String title, Class<? extends Record> type) {
    if (!title.isEmpty()) {
      page.append(level).append(' ').append(title).append("\n\n");
    }
    page.append("| key | type | default | range | meaning |\n|---|---|---|---|---|\n");
    SettingsSchema schema = SettingsSchema.of(type);
    for (SettingsSchema.Entry entry : schema.entries()) {
      Setting setting = entry.setting();
      String meaning = setting.value() + (setting.source().isEmpty() ? "" : " (" + setting.source() + ")");
      page.append("| `").append(entry.key()).append("` | ").append(cell(entry.typeName())).append(" | ")
          .append(entry.required() ? "required" : setting.def().isEmpty() ? "none" : "`" + cell(setting.def()) + "`")
          .append(" | ").append(range(setting)).append(" | ").append(cell(meaning)).append(" |\n");
    }
    page.append('\n');
    for (SettingsSchema.Entry entry : schema.entries()) {
      entry.nested().ifPresent(nested -> settings(page, level, "`" + entry.key() + "`", nested));
    }
  }

  private static String range(Setting setting) {
    if (setting.min().isEmpty() && setting.max().isEmpty()) {
      return "";
    }
    if (setting.max().isEmpty()) {
      return "at least " + setting.min();
    }
    return setting.min().isEmpty() ? "at most " + setting.max() : setting.min() + " to " + setting.max();
  }

  private static String presets(Registry registry) {
    StringBuilder page = new StringBuilder("# Presets\n\n" + NOTE + "| preset | what |\n|---|---|\n");
    ScenarioReader reader = new ScenarioReader(registry);
    for (PresetResource preset : registry.presets()) {
      page.append("| `").append(preset.id()).append("` | ").append(cell(reader.description(preset))).append(" |\n");
    }
    return page.toString();
  }

  private static String environment() {
    StringBuilder page = new StringBuilder("# NCCL's environment variables\n\n" + NOTE
        + "Whatever begins with `NCCL_` and is not here is refused, with a suggestion where one is near.\n\n"
        + "| variable | default | range | changes |\n|---|---|---|---|\n");
    for (Variable<?> variable : Environment.ALL) {
      page.append("| `").append(variable.name()).append("` | ").append(cell(variable.defaultText())).append(" | ")
          .append(cell(variable.range())).append(" | ").append(cell(variable.effect())).append(" |\n");
    }
    return page.append("\nAccepted, and without effect on what is simulated: `")
        .append(String.join("`, `", Environment.WITHOUT_EFFECT)).append("`.\n").toString();
  }

  private static String cell(String text) {
    return text.replace("|", "\\|").replace("\n", " ");
  }
}
