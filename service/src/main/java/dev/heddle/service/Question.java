package dev.heddle.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A question: a kind of task with its text and options.
 *
 * @param kind command that answers it
 * @param test the test of nccl-tests; empty for other kinds
 * @param text a scenario or an HPL.dat; empty for other kinds
 * @param cluster YAML of a cluster that the option {@code --cluster} would name as a file; empty for none
 * @param options values by option, sorted; a switch has the value {@code true}
 */
record Question(TaskKind kind, String test, String text, String cluster, Map<String, List<String>> options) {
  private static final List<String> FIELDS =
      List.of("kind", "test", "text", "cluster", "options", "name", "priority");

  /** Copies the map, sorted. */
  Question {
    options = ImmutableMap.copyOf(new TreeMap<>(options));
  }

  /**
   * Reads the body of a request.
   *
   * @throws RequestException with everything that is no question
   */
  static Question read(JsonNode body) {
    if (!body.isObject()) {
      throw new RequestException(RequestException.BAD_REQUEST, "the body must be a JSON object with the field kind");
    }
    List<Fault> faults = new ArrayList<>();
    body.properties().stream().map(Map.Entry::getKey).filter(name -> !FIELDS.contains(name)).forEach(name -> faults
        .add(new Fault(name, 0, "is no field of a question; there are " + String.join(", ", FIELDS))));
    TaskKind kind = TaskKind.of(body.path("kind").asText()).orElse(TaskKind.SCENARIO);
    if (TaskKind.of(body.path("kind").asText()).isEmpty()) {
      faults.add(new Fault("kind", 0, "'" + body.path("kind").asText() + "' is no kind of task; there are "
          + String.join(", ", List.of(TaskKind.values()).stream().map(TaskKind::key).toList())));
    }
    Map<String, List<String>> options = new LinkedHashMap<>();
    if (!body.path("options").isMissingNode() && !body.path("options").isObject()) {
      faults.add(new Fault("options", 0, "must be an object of values by option"));
    }
    body.path("options").properties().forEach(entry -> {
      List<String> values = values(entry.getValue());
      if (!values.isEmpty()) {
        options.put(entry.getKey(), values);
      }
    });
    if (!faults.isEmpty()) {
      throw new RequestException(RequestException.UNPROCESSABLE, faults);
    }
    return new Question(
        kind, text(body, "test"), text(body, "text").replace("\r\n", "\n"), text(body, "cluster"), options);
  }

  private static String text(JsonNode body, String field) {
    JsonNode value = body.path(field);
    if (!value.isMissingNode() && !value.isNull() && !value.isTextual()) {
      throw new RequestException(RequestException.UNPROCESSABLE, List.of(new Fault(field, 0, "must be a text")));
    }
    return value.asText("");
  }

  private static List<String> values(JsonNode value) {
    if (value.isArray()) {
      List<String> values = new ArrayList<>();
      value.forEach(each -> values.add(each.asText()));
      return values;
    }
    boolean absent = value.isNull() || value.isBoolean() && !value.asBoolean();
    return absent ? List.of() : List.of(value.asText());
  }

  /** The first value of an option; empty where it is not given. */
  String option(String name) {
    return options.getOrDefault(name, List.of("")).get(0);
  }

  /** The fields {@code kind, test, text, cluster, options}, as a request has them. */
  ObjectNode json() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("kind", kind.key()).put("test", test).put("text", text).put("cluster", cluster);
    ObjectNode given = node.putObject("options");
    options.forEach((name, values) -> {
      ArrayNode array = given.putArray(name);
      values.forEach(array::add);
    });
    return node;
  }
}
