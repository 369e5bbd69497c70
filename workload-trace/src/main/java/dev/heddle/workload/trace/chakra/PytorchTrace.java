package dev.heddle.workload.trace.chakra;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.heddle.workload.trace.graph.TraceException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The nodes of a PyTorch execution trace: the JSON that PyTorch's ExecutionTraceObserver writes (schemas 1.0.1 to 1.1.1
 * of Chakra 0.0.4), and the same with durations and GPU kernels, as chakra_trace_link writes it.
 */
final class PytorchTrace {
  private static final int DEEPEST = 20;

  private final String file;
  private final JsonParser json;

  private PytorchTrace(String file, JsonParser json) {
    this.file = file;
    this.json = json;
  }

  /**
   * Reads the nodes of a file.
   *
   * @param nodes receives each
   */
  static void read(String file, InputStream in, Consumer<PytorchNode> nodes) {
    JsonFile.read(file, in, json -> new PytorchTrace(file, json).read(nodes));
  }

  private void read(Consumer<PytorchNode> nodes) throws IOException {
    if (json.nextToken() != JsonToken.START_OBJECT) {
      throw fail("is no execution trace of PyTorch, which is an object with nodes");
    }
    boolean found = false;
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String key = json.currentName();
      json.nextToken();
      if (key.equals("traceEvents")) {
        throw fail("is a trace of Kineto, which has no groups and sizes of every collective; the execution trace of"
            + " the same run, linked with it by chakra_trace_link, is read");
      }
      if (key.equals("nodes") && json.currentToken() == JsonToken.START_ARRAY) {
        found = true;
        while (json.nextToken() != JsonToken.END_ARRAY) {
          nodes.accept(node());
        }
      } else {
        json.skipChildren();
      }
    }
    if (!found) {
      throw fail("has no list of nodes; an execution trace of PyTorch has one");
    }
  }

  private PytorchNode node() throws IOException {
    if (json.currentToken() != JsonToken.START_OBJECT) {
      throw fail("a node must be an object");
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    List<Object> inputs = List.of();
    List<Object> outputs = List.of();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String key = json.currentName();
      json.nextToken();
      switch (key) {
        case "inputs" -> inputs = values();
        case "outputs" -> outputs = values();
        case "attrs" -> attributes(fields);
        default -> put(fields, key, value(0));
      }
    }
    if (!(fields.get("id") instanceof Number id) || !(fields.get("name") instanceof String name)) {
      throw fail("a node has no id or no name");
    }
    Object parent = fields.getOrDefault("ctrl_deps", fields.getOrDefault("parent", id));
    return new PytorchNode(id.longValue(), name, parent instanceof Number number ? number.longValue() : id.longValue(),
        inputs, outputs, fields);
  }

  private static void put(Map<String, Object> fields, String key, Object value) {
    if (value instanceof Number || value instanceof String) {
      fields.put(key, value);
    }
  }

  // The values of {"values": [...], "shapes": ...}; in schema 1.0.1 the list itself.
  private List<Object> values() throws IOException {
    if (json.currentToken() != JsonToken.START_OBJECT) {
      return list(value(0));
    }
    List<Object> values = List.of();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      boolean wanted = json.currentName().equals("values");
      json.nextToken();
      if (wanted) {
        values = list(value(0));
      } else {
        json.skipChildren();
      }
    }
    return values;
  }

  private static List<Object> list(Object value) {
    return value instanceof List<?> list ? new ArrayList<>(list) : List.of();
  }

  // Each attribute: {"name": "tid", "type": "uint64", "value": 1}.
  private void attributes(Map<String, Object> fields) throws IOException {
    if (json.currentToken() != JsonToken.START_ARRAY) {
      throw fail("attrs must be a list");
    }
    while (json.nextToken() != JsonToken.END_ARRAY) {
      Object name = "";
      Object value = "";
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String key = json.currentName();
        json.nextToken();
        Object read = value(0);
        name = key.equals("name") ? read : name;
        value = key.equals("value") ? read : value;
      }
      put(fields, name.toString(), value);
    }
  }

  // A number, a text, or a list; objects are passed over, truths and nulls are empty texts.
  private Object value(int depth) throws IOException {
    if (depth > DEEPEST) {
      throw fail("lists are nested more than " + DEEPEST + " deep");
    }
    switch (json.currentToken()) {
      case VALUE_NUMBER_INT :
        return json.getNumberType() == JsonParser.NumberType.BIG_INTEGER ? json.getDoubleValue()
            : (Object) json.getLongValue();
      case VALUE_NUMBER_FLOAT :
        return json.getDoubleValue();
      case VALUE_STRING :
        return json.getText();
      case START_ARRAY :
        List<Object> values = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          values.add(value(depth + 1));
        }
        return values;
      default :
        json.skipChildren();
        return "";
    }
  }

  private TraceException fail(String message) {
    return new TraceException(file + ":" + json.currentTokenLocation().getLineNr() + ": " + message);
  }
}
