package dev.heddle.workload.trace.chakra;

import dev.heddle.workload.trace.graph.TraceException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A node of a PyTorch execution trace.
 *
 * @param id number, which rises with the time of the call
 * @param name of the operator or kernel
 * @param parent number of the node that called it
 * @param inputs values: numbers, texts and lists of them; a tensor is a list of six
 * @param outputs values
 * @param fields numbers and texts of the node and of its list of attributes
 */
record PytorchNode(long id, String name, long parent, List<Object> inputs, List<Object> outputs,
    Map<String, Object> fields) {
  private static final int TENSOR = 6;
  private static final int ELEMENTS = 3;
  private static final int ELEMENT_BYTES = 4;

  /** Copies the collections. */
  PytorchNode {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
    fields = new LinkedHashMap<>(fields);
  }

  /** A number of the node, or another where it has none. */
  double number(String field, double otherwise) {
    return fields.get(field) instanceof Number number ? number.doubleValue() : otherwise;
  }

  /** A text of the node; empty where it has none. */
  String text(String field) {
    return fields.get(field) instanceof String text ? text : "";
  }

  boolean has(String field) {
    return fields.containsKey(field);
  }

  /** The bytes of all tensors in a list of values: [tensor, storage, offset, elements, bytes of each, device]. */
  static double bytes(List<?> values) {
    if (values.size() == TENSOR && values.get(TENSOR - 1) instanceof String
        && values.get(ELEMENTS) instanceof Number elements && values.get(ELEMENT_BYTES) instanceof Number each) {
      return elements.doubleValue() * each.doubleValue();
    }
    double bytes = 0;
    for (Object value : values) {
      bytes += value instanceof List<?> list ? bytes(list) : 0;
    }
    return bytes;
  }

  /** A fault of the node. */
  TraceException fail(String file, String message) {
    return new TraceException(file + ": node " + id + " (" + name + ") " + message);
  }
}
