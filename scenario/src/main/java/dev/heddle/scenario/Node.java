package dev.heddle.scenario;

import com.google.common.collect.ImmutableList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A scenario's text as a tree that knows where each value was written. */
sealed interface Node {
  /** Where the value was written. */
  Origin origin();

  /** The value in YAML flow style, on one line. */
  String text();

  /**
   * Adds the values of a tree by their paths; items of a list that have a name go by it.
   *
   * @param path of the tree
   */
  static void addFields(Node tree, String path, Map<String, String> fields) {
    if (tree instanceof Mapping mapping) {
      mapping.entries().forEach((key, value) -> addFields(value, path.isEmpty() ? key : path + "." + key, fields));
    } else if (tree instanceof Sequence sequence && sequence.items().stream().anyMatch(Mapping.class::isInstance)) {
      for (int i = 0; i < sequence.items().size(); i++) {
        Node item = sequence.items().get(i);
        addFields(item, item instanceof Mapping named && named.entries().get("name") instanceof Scalar name
            ? path + "." + name.value() : path + "[" + i + "]", fields);
      }
    } else {
      fields.put(path, tree.text());
    }
  }

  /**
   * Where a value was written.
   *
   * @param file a file, a preset or an option
   * @param line from 1; 0 where it is not known
   */
  record Origin(String file, int line) {}

  /**
   * Keys and values in the order in which they were written.
   *
   * @param origin where
   * @param entries the values by key
   */
  record Mapping(Origin origin, Map<String, Node> entries) implements Node {
    public Mapping {
      entries = Collections.unmodifiableMap(new LinkedHashMap<>(entries));
    }

    Mapping with(String key, Node value) {
      Map<String, Node> changed = new LinkedHashMap<>(entries);
      changed.put(key, value);
      return new Mapping(origin, changed);
    }

    Mapping without(String key) {
      Map<String, Node> changed = new LinkedHashMap<>(entries);
      changed.remove(key);
      return new Mapping(origin, changed);
    }

    @Override
    public String text() {
      StringBuilder text = new StringBuilder("{");
      entries.forEach(
          (key, value) -> text.append(text.length() > 1 ? ", " : "").append(quoted(key)).append(": ")
              .append(value.text()));
      return text.append('}').toString();
    }
  }

  /**
   * A list.
   *
   * @param origin where
   * @param items in order
   */
  record Sequence(Origin origin, List<Node> items) implements Node {
    public Sequence {
      items = ImmutableList.copyOf(items);
    }

    @Override
    public String text() {
      return "[" + String.join(", ", items.stream().map(Node::text).toList()) + "]";
    }
  }

  /**
   * A number, quantity, word or text, as written.
   *
   * @param origin where
   * @param value the characters, without quotes
   */
  record Scalar(Origin origin, String value) implements Node {
    @Override
    public String text() {
      return quoted(value);
    }
  }

  /**
   * A key without a value.
   *
   * @param origin where
   */
  record Empty(Origin origin) implements Node {
    @Override
    public String text() {
      return "~";
    }
  }

  private static String quoted(String text) {
    return text.matches("[A-Za-z0-9.+/%_][A-Za-z0-9.+/%_ -]*") && !text.endsWith(" ")
        ? text
        : "'" + text.replace("'", "''").replace("\n", " ") + "'";
  }
}
