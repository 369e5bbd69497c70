package dev.heddle.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The figures of two runs side by side: {@code {metrics: [{id, title, unit, a, b, changePct}]}}. */
final class ComparisonJson {
  private ComparisonJson() {}

  /**
   * Compares two runs.
   *
   * @throws RequestException when one of them is a sweep
   */
  static ObjectNode of(Path a, Path b) throws IOException {
    Map<String, JsonNode> before = metrics(ResultSummary.of(a));
    Map<String, JsonNode> after = metrics(ResultSummary.of(b));
    Set<String> ids = new LinkedHashSet<>(after.keySet());
    ids.addAll(before.keySet());
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    ArrayNode rows = root.putArray("metrics");
    for (String id : ids) {
      JsonNode known = Objects.requireNonNull(after.getOrDefault(id, before.get(id)));
      ObjectNode row = rows.addObject().put("id", id).put("title", known.path("title").asText())
          .put("unit", known.path("unit").asText());
      JsonNode from = before.containsKey(id) ? before.get(id).path("value") : JsonNodeFactory.instance.nullNode();
      JsonNode to = after.containsKey(id) ? after.get(id).path("value") : JsonNodeFactory.instance.nullNode();
      row.set("a", from);
      row.set("b", to);
      if (from.isNumber() && to.isNumber() && from.asDouble() != 0) {
        row.put("changePct", 100 * (to.asDouble() - from.asDouble()) / from.asDouble());
      } else {
        row.putNull("changePct");
      }
    }
    return root;
  }

  private static Map<String, JsonNode> metrics(ObjectNode summary) {
    if (!summary.has("metrics")) {
      throw new RequestException(RequestException.CONFLICT, "single runs are compared, not sweeps");
    }
    Map<String, JsonNode> metrics = new LinkedHashMap<>();
    summary.path("metrics").forEach(metric -> metrics.put(metric.path("id").asText(), metric));
    return metrics;
  }
}
