package dev.heddle.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.heddle.registry.SettingsSchema;
import dev.heddle.spi.Setting;

/** Settings as JSON: {@code {type, description, settings: [{key, type, required, default?, min?, max?, text}]}}. */
public final class SettingsJson {
  private SettingsJson() {}

  /**
   * Describes settings.
   *
   * @param type name of the block, such as {@code link/generic}
   * @param description of the block
   * @param schema of its settings
   */
  public static ObjectNode of(String type, String description, SettingsSchema schema) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("type", type).put("description", description);
    settings(root.putArray("settings"), schema);
    return root;
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
