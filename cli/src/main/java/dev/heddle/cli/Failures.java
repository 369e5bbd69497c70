package dev.heddle.cli;

import dev.heddle.report.FailedPoint;
import dev.heddle.scenario.ScenarioFile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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

  /** The points in the order of the axes. */
  List<FailedPoint> points(ScenarioFile file) {
    Map<String, String> byKey = new LinkedHashMap<>();
    reasons.forEach((reason, points) -> points.forEach(point -> byKey.put(point.key(), reason)));
    return file.points().stream().filter(point -> byKey.containsKey(point.key()))
        .map(point -> new FailedPoint(point.parameters(), byKey.getOrDefault(point.key(), ""))).toList();
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
