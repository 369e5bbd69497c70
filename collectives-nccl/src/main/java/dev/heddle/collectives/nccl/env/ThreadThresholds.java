package dev.heddle.collectives.nccl.env;

import com.google.common.collect.ImmutableList;
import dev.heddle.collectives.nccl.Protocol;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * The bytes per thread below which NCCL uses fewer channels and threads, for trees and rings.
 *
 * @param values six: tree LL, LL128, Simple, ring LL, LL128, Simple; negative for the default
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

  /** The threshold of a tree or ring with a protocol; empty for the default. */
  public OptionalInt of(boolean ring, Protocol protocol) {
    int value = values.get((ring ? 3 : 0) + protocol.ordinal());
    return value < 0 ? OptionalInt.empty() : OptionalInt.of(value);
  }
}
