package dev.heddle.scenario;

import dev.heddle.scenario.Node.Mapping;
import dev.heddle.scenario.Node.Scalar;
import dev.heddle.scenario.Node.Sequence;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The way to a field: keys, and the indices or names of list elements, separated by dots
 * ({@code cluster.tiers.node.topology.link.rate}, {@code cluster.tiers[0].name}).
 *
 * @param steps at least one
 */
record FieldPath(List<String> steps) {
  /**
   * Parses a path.
   *
   * @throws IllegalArgumentException when a step is empty
   */
  static FieldPath parse(String text) {
    List<String> steps = List.of(text.strip().replaceAll("\\[(\\d+)]", ".$1").split("\\.", -1));
    if (steps.stream().anyMatch(String::isBlank)) {
      throw new IllegalArgumentException(
          "'" + text + "' is no path; write keys with dots between, as in workload.load");
    }
    return new FieldPath(steps);
  }

  /** Whether the last step is a key. */
  boolean endsWith(String key) {
    return steps.get(steps.size() - 1).equals(key);
  }

  /**
   * The tree with a value in place; mappings that are missing on the way are made.
   *
   * @throws IllegalArgumentException when the way leads through a value that has no such element
   */
  Node set(Node root, Node value) {
    return set(root, value, UnaryOperator.identity());
  }

  /**
   * The tree with a value in place, as {@link #set(Node, Node)}.
   *
   * @param unfold of each mapping that the path passes through
   */
  Node set(Node root, Node value, UnaryOperator<Mapping> unfold) {
    return set(root, 0, value, unfold);
  }

  private Node set(Node node, int step, Node value, UnaryOperator<Mapping> unfold) {
    if (step == steps.size()) {
      return value;
    }
    String key = steps.get(step);
    if (node instanceof Mapping raw) {
      Mapping mapping = step + 1 < steps.size() ? unfold.apply(raw) : raw;
      Node inner = mapping.entries().get(key);
      Node child = inner == null || inner instanceof Node.Empty ? empty(value) : inner;
      return mapping.with(key, set(child, step + 1, value, unfold));
    }
    if (node instanceof Sequence sequence) {
      int index = index(sequence, key, step);
      List<Node> items = new ArrayList<>(sequence.items());
      items.set(index, set(items.get(index), step + 1, value, unfold));
      return new Sequence(sequence.origin(), items);
    }
    throw new IllegalArgumentException(
        "'" + String.join(".", steps.subList(0, step)) + "' is the value " + node.text() + " and has no '" + key + "'");
  }

  /** The same path with indices instead of names, so that two spellings of one field are equal. */
  String canonical(Node root) {
    StringBuilder text = new StringBuilder();
    Optional<Node> at = Optional.of(root);
    for (int step = 0; step < steps.size(); step++) {
      String key = steps.get(step);
      if (at.isPresent() && at.get() instanceof Sequence sequence) {
        int index = index(sequence, key, step);
        text.append('[').append(index).append(']');
        at = Optional.of(sequence.items().get(index));
      } else {
        text.append(text.length() > 0 ? "." : "").append(key);
        at = at.flatMap(node -> node instanceof Mapping mapping
            ? Optional.ofNullable(mapping.entries().get(key)) : Optional.empty());
      }
    }
    return text.toString();
  }

  private int index(Sequence sequence, String key, int step) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < sequence.items().size(); i++) {
      if (sequence.items().get(i) instanceof Mapping mapping && mapping.entries().get("name") instanceof Scalar name) {
        names.add(name.value());
        if (name.value().equals(key)) {
          return i;
        }
      }
    }
    if (key.matches("\\d{1,6}") && Integer.parseInt(key) < sequence.items().size()) {
      return Integer.parseInt(key);
    }
    throw new IllegalArgumentException(
        "'" + String.join(".", steps.subList(0, step)) + "' has no element '" + key + "'; it has "
            + sequence.items().size() + (names.isEmpty() ? "" : ", named " + String.join(", ", names)));
  }

  private static Node empty(Node value) {
    return new Mapping(value.origin(), new LinkedHashMap<>());
  }

  @Override
  public String toString() {
    return String.join(".", steps);
  }
}
