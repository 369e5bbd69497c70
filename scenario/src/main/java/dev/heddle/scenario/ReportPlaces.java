package dev.heddle.scenario;

import dev.heddle.scenario.Node.Mapping;
import dev.heddle.scenario.Node.Scalar;
import dev.heddle.scenario.Node.Sequence;
import java.util.List;

/** The places of a scenario at which plots and rankings name metrics. */
final class ReportPlaces {
  private ReportPlaces() {}

  /** A problem with a metric at the first place that names it; at the root where none does. */
  static Problem problem(Node root, String metric, String message) {
    for (String list : List.of("plots", "rankings")) {
      List<Node> items = entry(entry(root, "report"), list) instanceof Sequence sequence ? sequence.items() : List.of();
      for (int i = 0; i < items.size(); i++) {
        if (entry(items.get(i), "metric") instanceof Scalar named && named.value().equals(metric)) {
          return new Problem(
              named.origin().file(), named.origin().line(), "report." + list + "[" + i + "].metric", message);
        }
      }
    }
    return new Problem(root.origin().file(), 0, "report", message);
  }

  private static Node entry(Node node, String key) {
    Node entry = node instanceof Mapping mapping ? mapping.entries().get(key) : null;
    return entry == null ? new Node.Empty(node.origin()) : entry;
  }
}
