package dev.heddle.scenario;

import com.google.common.collect.ImmutableList;
import dev.heddle.results.SweepResults;
import dev.heddle.scenario.Node.Mapping;
import dev.heddle.scenario.Node.Scalar;
import dev.heddle.scenario.Node.Sequence;
import dev.heddle.spi.NearestMatch;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One axis of a sweep: fields, and the values that they take together.
 *
 * @param key as written: a path, or several with commas between
 * @param paths the fields
 * @param label for people
 * @param values for each step of the axis, one value per field
 * @param names of the steps; empty where their values name them
 */
record SweepAxis(String key, List<FieldPath> paths, String label, List<List<Node>> values, List<String> names) {
  private static final Pattern QUANTITY = Pattern.compile("([+-]?[0-9.][0-9._]*(?:[eE][+-]?\\d+)?)\\s*(.*)");
  private static final List<String> RANGE_KEYS = List.of("from", "to", "steps", "label");
  private static final List<String> LIST_KEYS = List.of("values", "names", "label");
  private static final int MAX_STEPS = 100_000;

  SweepAxis {
    paths = ImmutableList.copyOf(paths);
    values = ImmutableList.copyOf(values);
    names = ImmutableList.copyOf(names);
  }

  /**
   * Reads an axis.
   *
   * @throws IllegalArgumentException when it is malformed; the message says how
   */
  static SweepAxis of(String key, Node node) {
    List<FieldPath> paths = new ArrayList<>();
    for (String path : key.split(",", -1)) {
      paths.add(FieldPath.parse(path));
    }
    String label = label(key, node);
    List<Node> steps = steps(node);
    if (steps.isEmpty()) {
      throw new IllegalArgumentException("an axis needs at least one value");
    }
    Set<String> seen = new LinkedHashSet<>();
    List<List<Node>> values = new ArrayList<>();
    for (Node step : steps) {
      if (!seen.add(step.text())) {
        throw new IllegalArgumentException("the value " + step.text() + " is listed twice");
      }
      values.add(paths.size() == 1 ? List.of(step) : tuple(step, paths.size()));
    }
    return new SweepAxis(key, paths, label, values, names(node, values.size()));
  }

  /** The name of a step, or its values as written, without quotes. */
  String text(int step) {
    if (!names.isEmpty()) {
      return names.get(step);
    }
    return String.join(", ", values.get(step).stream()
        .map(value -> value instanceof Scalar scalar ? scalar.value() : value.text()).toList());
  }

  /** The axis as results know it. */
  SweepResults.Axis result() {
    List<String> texts = new ArrayList<>();
    for (int step = 0; step < values.size(); step++) {
      texts.add(text(step));
    }
    return new SweepResults.Axis(key, label, texts);
  }

  private static String label(String key, Node node) {
    if (node instanceof Mapping mapping && mapping.entries().get("label") instanceof Scalar label) {
      return label.value();
    }
    String first = key.split(",", -1)[0].strip();
    return first.substring(first.lastIndexOf('.') + 1).replace('-', ' ');
  }

  private static List<String> names(Node node, int steps) {
    if (!(node instanceof Mapping mapping) || !mapping.entries().containsKey("names")) {
      return List.of();
    }
    List<String> names = new ArrayList<>();
    if (mapping.entries().get("names") instanceof Sequence sequence) {
      sequence.items().forEach(item -> names.add(item instanceof Scalar scalar ? scalar.value() : item.text()));
    }
    if (names.size() != steps || new LinkedHashSet<>(names).size() != steps) {
      throw new IllegalArgumentException("names must be a list of " + steps + " different names, one for each value");
    }
    return names;
  }

  private static List<Node> tuple(Node step, int size) {
    if (step instanceof Sequence sequence && sequence.items().size() == size) {
      return sequence.items();
    }
    throw new IllegalArgumentException(
        "the axis sets " + size + " fields at once; each value must be a list of " + size + ", but one is "
            + step.text());
  }

  private static List<Node> steps(Node node) {
    if (node instanceof Sequence sequence) {
      return sequence.items();
    }
    if (node instanceof Mapping mapping && mapping.entries().get("values") instanceof Sequence sequence) {
      requireKeys(mapping, LIST_KEYS);
      return sequence.items();
    }
    if (node instanceof Mapping mapping) {
      requireKeys(mapping, RANGE_KEYS);
      return range(mapping);
    }
    throw new IllegalArgumentException(
        "an axis is a list of values, or {values: [...], names: [...], label: text}, or {from: 5 %, to: 100 %, "
            + "steps: 20}, but is "
            + node.text());
  }

  private static void requireKeys(Mapping mapping, List<String> allowed) {
    for (String key : mapping.entries().keySet()) {
      if (!allowed.contains(key)) {
        throw new IllegalArgumentException("unknown key '" + key + "'; allowed are " + String.join(", ", allowed)
            + NearestMatch.hint(key, allowed));
      }
    }
  }

  private static List<Node> range(Mapping mapping) {
    Matcher from = quantity(mapping, "from");
    Matcher to = quantity(mapping, "to");
    if (!from.group(2).equals(to.group(2))) {
      throw new IllegalArgumentException(
          "from and to must have the same unit, but have '" + from.group(2) + "' and '" + to.group(2) + "'");
    }
    int steps = count(mapping);
    BigDecimal first = new BigDecimal(from.group(1).replace("_", ""));
    BigDecimal span = new BigDecimal(to.group(1).replace("_", "")).subtract(first);
    List<Node> values = new ArrayList<>();
    for (int i = 0; i < steps; i++) {
      BigDecimal value = steps == 1
          ? first
          : first
              .add(span.multiply(BigDecimal.valueOf(i)).divide(BigDecimal.valueOf(steps - 1), MathContext.DECIMAL64));
      String number = value.round(new MathContext(12)).stripTrailingZeros().toPlainString();
      String unit = from.group(2).isEmpty() ? "" : " " + from.group(2);
      values.add(new Scalar(mapping.origin(), number + unit));
    }
    return values;
  }

  private static Matcher quantity(Mapping mapping, String key) {
    if (mapping.entries().get(key) instanceof Scalar scalar) {
      Matcher matcher = QUANTITY.matcher(scalar.value().strip());
      if (matcher.matches()) {
        return matcher;
      }
    }
    throw new IllegalArgumentException("a range needs " + key + ", a number with the unit of the field");
  }

  private static int count(Mapping mapping) {
    if (mapping.entries().get("steps") instanceof Scalar scalar && scalar.value().matches("[1-9]\\d{0,5}")
        && Integer.parseInt(scalar.value()) <= MAX_STEPS) {
      return Integer.parseInt(scalar.value());
    }
    throw new IllegalArgumentException("a range needs steps, the number of its values, from 1 to " + MAX_STEPS);
  }
}
