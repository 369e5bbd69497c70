package dev.heddle.workload.trace.chakra;

import com.google.common.collect.ImmutableSet;
import dev.heddle.workload.trace.graph.OperationGraph;
import dev.heddle.workload.trace.graph.TraceException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A node of an execution trace: its operation and dependencies. */
final class ChakraNode {
  /** Numbers of Node's fields (et_def.proto of Chakra 0.0.4). */
  private static final int ID = 1;

  private static final int NAME = 2;
  private static final int TYPE = 3;
  private static final int CONTROL_DEPENDENCIES = 4;
  private static final int DATA_DEPENDENCIES = 5;
  private static final int DURATION_MICROS = 7;
  private static final int INPUTS = 8;
  private static final int ATTRIBUTE = 10;
  private static final int MOST_ATTRIBUTES = 10_000;
  private static final long MOST_MICROS = OperationGraph.MOST_PS / 1_000_000;

  /** The attributes that are used; others are passed over. */
  private static final Set<String> KNOWN = ImmutableSet.of(
      ChakraNames.IS_CPU_OP, ChakraNames.NUM_OPS, ChakraNames.TENSOR_SIZE, ChakraNames.COMM_TYPE, ChakraNames.COMM_SIZE,
      ChakraNames.COMM_SRC, ChakraNames.COMM_DST, ChakraNames.COMM_TAG, ChakraNames.PG_NAME, ChakraNames.INVOLVED_DIM,
      ChakraNames.DURATION_PS, ChakraNames.PROCESSOR, ChakraNames.ROOT);

  private final String file;
  private long id;
  private String name = "";
  private long type;
  private long durationMicros;
  private String inputs = "";
  private long[] dependencies = new long[4];
  private int count;
  private final Map<String, Attribute> attributes = new LinkedHashMap<>();

  ChakraNode(String file) {
    this.file = file;
  }

  /** Sets the number, the name and the type. */
  ChakraNode identity(long number, String text, long kind) {
    id = number;
    name = text;
    type = kind;
    return this;
  }

  /** Sets the recorded time. */
  ChakraNode recorded(long micros) {
    durationMicros = micros;
    return this;
  }

  /** Sets the text of the values that it read. */
  ChakraNode inputs(String text) {
    inputs = text;
    return this;
  }

  /** Adds an attribute; one that is not used is passed over. */
  void add(Attribute attribute) {
    if (KNOWN.contains(attribute.name())) {
      attributes.put(attribute.name(), attribute);
    }
  }

  /** The names of the attributes that are used. */
  static Set<String> known() {
    return KNOWN;
  }

  static ChakraNode read(String file, WireMessage message, boolean byData) {
    ChakraNode node = new ChakraNode(file);
    int attributes = 0;
    while (message.next()) {
      switch (message.field()) {
        case ID -> node.id = message.number();
        case NAME -> node.name = message.text();
        case TYPE -> node.type = message.number();
        case CONTROL_DEPENDENCIES -> {
          if (byData) {
            message.skip();
          } else {
            message.numbers(node::depend);
          }
        }
        case DATA_DEPENDENCIES -> message.numbers(node::depend);
        case DURATION_MICROS -> node.durationMicros = message.number();
        case INPUTS -> node.inputs = inputs(message.message());
        case ATTRIBUTE -> {
          Attribute attribute = Attribute.read(message.message());
          node.add(attribute);
          if (++attributes > MOST_ATTRIBUTES) {
            throw message.fail("a node has more than " + MOST_ATTRIBUTES + " attributes");
          }
        }
        default -> message.skip();
      }
    }
    return node;
  }

  private static String inputs(WireMessage io) {
    String values = "";
    while (io.next()) {
      if (io.field() == 1) {
        values = io.text();
      } else {
        io.skip();
      }
    }
    return values;
  }

  /** Adds a node that it waits for. */
  void depend(long on) {
    if (count == dependencies.length) {
      dependencies = Arrays.copyOf(dependencies, 2 * count);
    }
    dependencies[count++] = on;
  }

  long id() {
    return id;
  }

  long type() {
    return type;
  }

  /** The text of the values that it read. */
  String inputs() {
    return inputs;
  }

  /** The nodes that it waits for; some may stand there twice. */
  long[] dependencies() {
    return Arrays.copyOf(dependencies, count);
  }

  Optional<Attribute> attribute(String of) {
    return Optional.ofNullable(attributes.get(of));
  }

  boolean has(String of) {
    return attributes.containsKey(of);
  }

  /** A number that must be there. */
  long required(String of, long least, long most) {
    return attribute(of).orElseThrow(() -> fail("has no " + of)).within(least, most, where());
  }

  /** A number that may be missing. */
  long optional(String of, long least, long most, long otherwise) {
    return attribute(of).map(each -> each.within(least, most, where())).orElse(otherwise);
  }

  /** The recorded time, in picoseconds. */
  long recordedPs() {
    if (has(ChakraNames.DURATION_PS)) {
      return required(ChakraNames.DURATION_PS, 0, OperationGraph.MOST_PS);
    }
    if (durationMicros < 0 || durationMicros > MOST_MICROS) {
      throw fail("has a duration of " + Long.toUnsignedString(durationMicros) + " us; at most "
          + MOST_MICROS + " us are possible");
    }
    return durationMicros * 1_000_000;
  }

  String where() {
    String shown = name.length() > 60 ? name.substring(0, 60) + "..." : name;
    return file + ": node " + Long.toUnsignedString(id) + (shown.isEmpty() ? "" : " (" + shown + ")");
  }

  TraceException fail(String message) {
    return new TraceException(where() + " " + message);
  }
}
