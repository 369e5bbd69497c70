package dev.heddle.tier;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The sets of channels among which routes choose, each kept once. */
final class CandidateSets {
  private final List<int[]> sets = new ArrayList<>();
  private final Map<List<Integer>, Integer> numbers = new LinkedHashMap<>();

  /** The route entry of a set: its channel where it has a single one, else -2 less its number. */
  int entry(int[] channels) {
    if (channels.length == 1) {
      return channels[0];
    }
    List<Integer> key = Arrays.stream(channels).boxed().toList();
    Integer known = numbers.get(key);
    if (known == null) {
      known = sets.size();
      numbers.put(key, known);
      sets.add(channels);
    }
    return -2 - known;
  }

  int[][] all() {
    return sets.toArray(new int[0][]);
  }
}
