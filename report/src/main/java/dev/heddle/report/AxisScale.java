package dev.heddle.report;

import com.google.common.collect.ImmutableList;
import dev.heddle.results.SweepResults;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Positions of the values of a swept field on an axis: numbers of one unit, or names one after another.
 *
 * @param values the values as written
 * @param positions their positions, in the same order; the index of a value that is no number
 * @param unit of the positions; empty for plain numbers and names
 * @param numeric whether the positions are numbers of the field
 */
record AxisScale(List<String> values, List<Double> positions, String unit, boolean numeric) {
  private static final Pattern NUMBER = Pattern.compile("\\s*([+-]?[0-9]*\\.?[0-9]+(?:[eE][+-]?[0-9]+)?)\\s*(.*?)\\s*");

  AxisScale {
    values = ImmutableList.copyOf(values);
    positions = ImmutableList.copyOf(positions);
  }

  /** Places the values of an axis. */
  static AxisScale of(SweepResults.Axis axis) {
    List<String> values = axis.values();
    List<Double> numbers = new ArrayList<>();
    String unit = null;
    for (String value : values) {
      Matcher matcher = NUMBER.matcher(value);
      if (!matcher.matches() || (unit != null && !unit.equals(matcher.group(2)))) {
        return mixed(values);
      }
      unit = matcher.group(2);
      numbers.add(Double.parseDouble(matcher.group(1)));
    }
    return unit == null ? named(values) : new AxisScale(values, numbers, unit, true);
  }

  /** The position of a value as written; NaN for a value that is none of the axis. */
  double position(String value) {
    int index = values.indexOf(value);
    return index < 0 ? Double.NaN : positions.get(index);
  }

  /** Whether the positions grow so much that a logarithmic axis reads better. */
  boolean logarithmic() {
    double least = positions.stream().mapToDouble(Double::doubleValue).min().orElse(0);
    double most = positions.stream().mapToDouble(Double::doubleValue).max().orElse(0);
    return numeric && least > 0 && most / least >= 64;
  }

  private static AxisScale mixed(List<String> values) {
    try {
      return converted(values, "B", value -> DataSize.parse(value).bytes());
    } catch (IllegalArgumentException notSizes) {
      try {
        return converted(values, "GB/s", value -> DataRate.parse(value).bitsPerSecond() / 8e9);
      } catch (IllegalArgumentException notRates) {
        try {
          return converted(values, "us", value -> SimTime.parse(value).micros());
        } catch (IllegalArgumentException notTimes) {
          return named(values);
        }
      }
    }
  }

  private static AxisScale converted(List<String> values, String unit, ToDoubleFunction<String> parse) {
    return new AxisScale(values, values.stream().map(parse::applyAsDouble).toList(), unit, true);
  }

  private static AxisScale named(List<String> values) {
    List<Double> positions = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      positions.add((double) i);
    }
    return new AxisScale(values, positions, "", false);
  }
}
