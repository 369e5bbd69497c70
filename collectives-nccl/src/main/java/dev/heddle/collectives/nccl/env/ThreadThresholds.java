package dev.heddle.collectives.nccl.env;

import com.google.common.collect.ImmutableList;
import dev.heddle.collectives.nccl.Protocol;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Bytes per thread below which fewer channels and threads are used, for trees and rings.
 *
 * @param values six: tree LL, LL128, Simple, ring LL, LL128, Simple; below 0 the default holds
 */
public record ThreadThresholds(List<Integer> values) {
  private static final int COUNT = 6;

  /** Copies the list. */
  public ThreadThresholds {
    values = ImmutableList.copyOf(values);
  }

  /** Reads up to six numbers. */
  static ThreadThresholds parse(String text) {
    String[] words = text.split("[ ,]+");
    if (words.length > COUNT) {
      throw new IllegalArgumentException("has " + words.length + " numbers");
    }
    List<Integer> values = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      values.add(i < words.length ? Variable.number(words[i], -2, 1 << 30) : -2);
    }
    return new ThreadThresholds(values);
  }

  /** What is given for a tree or ring. */
  public OptionalInt of(boolean ring, Protocol protocol) {
    int value = values.get((ring ? 3 : 0) + protocol.ordinal());
    return value < 0 ? OptionalInt.empty() : OptionalInt.of(value);
  }
}
