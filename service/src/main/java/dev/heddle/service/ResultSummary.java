package dev.heddle.service;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Summaries of files of results, read piece by piece, so that memory holds little of a large one: of a run its figures
 * and most used links, of a sweep the figures of its points.
 */
final class ResultSummary {
  private static final int MOST_LINKS = 20;
  private static final int MOST_POINTS = 5000;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private ResultSummary() {}

  /** The summary of a run or a sweep. */
  static ObjectNode of(Path results) throws IOException {
    ObjectNode summary = JsonNodeFactory.instance.objectNode();
    try (JsonParser parser = MAPPER.createParser(results.toFile())) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String field = parser.currentName();
        parser.nextToken();
        switch (field) {
          case "links" -> summary.set("links", mostUsed(parser));
          case "points" -> summary.set("points", points(parser));
          case "run", "metrics", "warnings", "scenario", "description", "axes", "plots", "rankings" ->
            summary.set(field, MAPPER.readTree(parser));
          default -> parser.skipChildren();
        }
      }
    }
    return summary;
  }

  private static ArrayNode mostUsed(JsonParser parser) throws IOException {
    Comparator<JsonNode> byUse = Comparator.comparingDouble(link -> link.path("utilization").asDouble());
    PriorityQueue<JsonNode> most = new PriorityQueue<>(byUse);
    while (parser.nextToken() == JsonToken.START_OBJECT) {
      most.add(MAPPER.readTree(parser));
      if (most.size() > MOST_LINKS) {
        most.remove();
      }
    }
    List<JsonNode> links = new ArrayList<>(most);
    links.sort(byUse.reversed());
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    array.addAll(links);
    return array;
  }

  private static ArrayNode points(JsonParser parser) throws IOException {
    ArrayNode points = JsonNodeFactory.instance.arrayNode();
    while (parser.nextToken() == JsonToken.START_OBJECT) {
      ObjectNode point = MAPPER.readTree(parser);
      if (points.size() < MOST_POINTS) {
        ObjectNode kept = points.addObject();
        kept.set("parameters", point.path("parameters"));
        kept.set("metrics", point.path("results").path("metrics"));
      }
    }
    return points;
  }
}
