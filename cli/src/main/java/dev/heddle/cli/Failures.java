package dev.heddle.cli;

import dev.heddle.scenario.ScenarioFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The points of a sweep that cannot be carried out, by reason. */
final class Failures {
  private final Map<String, List<ScenarioFile.Point>> reasons = new TreeMap<>();

  /** Adds a point. */
  void add(ScenarioFile.Point point, String reason) {
    reasons.computeIfAbsent(reason, any -> new ArrayList<>()).add(point);
  }

  /** One message per reason, sorted. */
  List<String> texts() {
    return reasons.entrySet().stream().map(entry -> text(entry.getKey(), entry.getValue())).toList();
  }

  private static String text(String reason, List<ScenarioFile.Point> points) {
    return points.size() + " of the points cannot be carried out: " + reason + " ("
        + (points.size() > 1 ? "such as " : "") + name(points.get(0)) + ")";
  }

  private static String name(ScenarioFile.Point point) {
    return String.join(", ", point.parameters().entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList());
  }
}
