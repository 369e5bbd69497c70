package dev.heddle.workload.trace.chakra;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.google.common.collect.ImmutableMap;
import dev.heddle.workload.trace.graph.TraceException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Chakra execution traces as JSON: the object with a {@code workload_graph} that Chakra's feeder reads, whose nodes
 * have their attributes as keys, and the sequence of objects that chakra_jsonizer writes, protobuf's own JSON form.
 * Keys may be in camel case or with underscores, numbers may be texts.
 */
final class JsonTrace {
  private static final int PEEKED = 256;
  // That of UTF-8, as Latin-1 has its bytes; the parser skips it.
  private static final String BYTE_ORDER_MARK = "^\u00ef\u00bb\u00bf";
  private static final Map<String, Integer> TYPES = ImmutableMap.of(
      "METADATA_NODE", ChakraNames.METADATA, "MEM_LOAD_NODE", ChakraNames.MEMORY_LOAD, "MEM_STORE_NODE",
      ChakraNames.MEMORY_STORE, "COMP_NODE", ChakraNames.COMPUTE, "COMM_SEND_NODE", ChakraNames.SEND,
      "COMM_RECV_NODE", ChakraNames.RECEIVE, "COMM_COLL_NODE", ChakraNames.COLLECTIVE);
  private static final Map<String, String> ATTRIBUTES = attributes();

  private final String file;
  private final boolean byData;
  private final JsonParser json;

  private JsonTrace(String file, boolean byData, JsonParser json) {
    this.file = file;
    this.byData = byData;
    this.json = json;
  }

  private static Map<String, String> attributes() {
    ImmutableMap.Builder<String, String> names = ImmutableMap.builder();
    ChakraNode.known().forEach(name -> names.put(plain(name), name));
    return names.build();
  }

  private static String plain(String key) {
    return key.replace("_", "").toLowerCase(Locale.ROOT);
  }

  /** A stream that can be looked into ({@link #isJson}). */
  static InputStream peekable(InputStream in) {
    return in.markSupported() ? in : new BufferedInputStream(in, 1 << 16);
  }

  /** Whether a stream begins as a JSON object or array, rather than with the length of a protobuf message. */
  static boolean isJson(InputStream in) {
    try {
      in.mark(PEEKED);
      byte[] head = in.readNBytes(PEEKED);
      in.reset();
      String text = new String(head, StandardCharsets.ISO_8859_1).replaceFirst(BYTE_ORDER_MARK, "").strip();
      return text.matches("(?s)[{\\[]\\s*[\"{].*") || text.equals("{}") || text.equals("[]");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads the nodes of a file.
   *
   * @param byData whether dependencies by control are left out
   * @param nodes receives each
   */
  static void read(String file, InputStream in, boolean byData, Consumer<ChakraNode> nodes) {
    JsonFile.read(file, in, json -> new JsonTrace(file, byData, json).read(nodes));
  }

  private void read(Consumer<ChakraNode> nodes) throws IOException {
    while (json.nextToken() != null) {
      if (json.currentToken() == JsonToken.START_OBJECT) {
        node(nodes).ifPresent(nodes);
      } else if (json.currentToken() != JsonToken.START_ARRAY && json.currentToken() != JsonToken.END_ARRAY) {
        throw fail("here must be an object");
      }
    }
  }

  // A node; none for the metadata of the file, and for an object that lists nodes, which are passed on.
  private Optional<ChakraNode> node(Consumer<ChakraNode> nodes) throws IOException {
    ChakraNode node = new ChakraNode(file);
    long id = 0;
    String name = "";
    long type = -1;
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String key = plain(json.currentName());
      json.nextToken();
      switch (key) {
        case "workloadgraph" -> list(nodes);
        case "schema", "traceevents", "nodes" -> throw fail("is a trace of PyTorch or Kineto, not converted to Chakra's"
            + " form; workload type pytorch reads PyTorch's execution traces, linked with Kineto's by chakra_trace_link"
            + " or not");
        case "id" -> id = number();
        case "name" -> name = json.getText();
        case "type", "nodetype" -> type = type();
        case "ctrldeps" -> dependencies(node, !byData);
        case "datadeps" -> dependencies(node, true);
        case "runtime", "durationmicros" -> node.recorded(number());
        case "attr" -> attributes(node);
        case "inputs" -> node.inputs(inputs());
        default -> attribute(node, key);
      }
    }
    return type < 0 ? Optional.empty() : Optional.of(node.identity(id, name, type));
  }

  private void list(Consumer<ChakraNode> nodes) throws IOException {
    require(JsonToken.START_ARRAY, "workload_graph must be a list of nodes");
    while (json.nextToken() != JsonToken.END_ARRAY) {
      require(JsonToken.START_OBJECT, "here must be a node");
      nodes.accept(node(nodes).orElseThrow(() -> fail("a node has no NodeType")));
    }
  }

  private long type() throws IOException {
    Integer known = json.currentToken() == JsonToken.VALUE_STRING ? TYPES.get(json.getText()) : null;
    return known == null ? number() : known;
  }

  private void dependencies(ChakraNode node, boolean counts) throws IOException {
    require(JsonToken.START_ARRAY, "dependencies must be a list of numbers");
    while (json.nextToken() != JsonToken.END_ARRAY) {
      long on = number();
      if (counts) {
        node.depend(on);
      }
    }
  }

  private String inputs() throws IOException {
    String values = "";
    if (json.currentToken() != JsonToken.START_OBJECT) {
      json.skipChildren();
      return values;
    }
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      boolean wanted = json.currentName().equals("values");
      json.nextToken();
      if (wanted && json.currentToken() == JsonToken.VALUE_STRING) {
        values = json.getText();
      } else {
        json.skipChildren();
      }
    }
    return values;
  }

  // Protobuf's form: {"name": "comm_size", "int64Val": "1048576"}.
  private void attributes(ChakraNode node) throws IOException {
    require(JsonToken.START_ARRAY, "attr must be a list of attributes");
    while (json.nextToken() != JsonToken.END_ARRAY) {
      require(JsonToken.START_OBJECT, "here must be an attribute");
      String name = "";
      Optional<Attribute> value = Optional.empty();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        boolean isName = json.currentName().equals("name");
        json.nextToken();
        if (isName) {
          name = json.getText();
        } else {
          value = value();
        }
      }
      String known = ATTRIBUTES.getOrDefault(plain(name), name);
      value.ifPresent(each -> node.add(each.named(known)));
    }
  }

  private void attribute(ChakraNode node, String key) throws IOException {
    String known = ATTRIBUTES.get(key);
    if (known == null) {
      json.skipChildren();
    } else {
      value().ifPresent(each -> node.add(each.named(known)));
    }
  }

  private Optional<Attribute> value() throws IOException {
    switch (json.currentToken()) {
      case VALUE_TRUE, VALUE_FALSE :
        return Optional.of(Attribute.of(json.getBooleanValue() ? 1 : 0));
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT :
        return Optional.of(Attribute.of(number()));
      case VALUE_STRING :
        return Optional.of(Attribute.of(json.getText()));
      case START_ARRAY :
        return Optional.of(truths());
      case START_OBJECT :
        Optional<Attribute> list = Optional.empty();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
          json.nextToken();
          list = value();
        }
        return list;
      default :
        return Optional.empty();
    }
  }

  private Attribute truths() throws IOException {
    List<Boolean> truths = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (json.currentToken().isBoolean()) {
        truths.add(json.getBooleanValue());
      } else {
        json.skipChildren();
      }
    }
    return Attribute.of(truths);
  }

  private long number() throws IOException {
    try {
      return switch (json.currentToken()) {
        case VALUE_NUMBER_INT -> json.getLongValue();
        case VALUE_NUMBER_FLOAT -> (long) json.getDoubleValue();
        case VALUE_STRING -> Long.parseLong(json.getText());
        default -> throw fail("here must be a number");
      };
    } catch (NumberFormatException e) {
      throw fail("'" + json.getText() + "' is no whole number of 64 bits");
    }
  }

  private void require(JsonToken token, String message) {
    if (json.currentToken() != token) {
      throw fail(message);
    }
  }

  private TraceException fail(String message) {
    return new TraceException(file + ":" + json.currentTokenLocation().getLineNr() + ": " + message);
  }
}
