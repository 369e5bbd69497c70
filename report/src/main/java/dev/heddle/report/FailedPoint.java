package dev.heddle.report;

import com.google.common.collect.ImmutableMap;
import java.util.Map;

/**
 * A point of a sweep that could not be carried out.
 *
 * @param parameters value of each axis as written, by path
 * @param reason why it could not
 */
public record FailedPoint(Map<String, String> parameters, String reason) {
  /** Copies the map, keeping its order. */
  public FailedPoint {
    parameters = ImmutableMap.copyOf(parameters);
  }
}
