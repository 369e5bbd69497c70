package dev.heddle.internal.collect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the map with Java's under random operations. */
class LongLongMapTest {
  private static final int OPERATIONS = 20_000;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void shouldHoldWhatJavasMapHoldsWhenOperationsAreRandom(long seed) {
    Random random = new Random(seed);
    LongLongMap map = new LongLongMap(-7);
    Map<Long, Long> expected = new LinkedHashMap<>();
    for (int i = 0; i < OPERATIONS; i++) {
      long key = random.nextInt(500) * 4096L;
      switch (random.nextInt(4)) {
        case 0 -> {
          map.put(key, i);
          expected.put(key, (long) i);
        }
        case 1 -> assertThat(map.increment(key)).as("seed %s", seed)
            .isEqualTo(expected.merge(key, -6L, (before, first) -> before + 1) - 1);
        case 2 -> {
          map.remove(key);
          expected.remove(key);
        }
        default -> assertThat(map.get(key)).as("seed %s", seed).isEqualTo(expected.getOrDefault(key, -7L));
      }
      assertThat(map.size()).as("seed %s", seed).isEqualTo(expected.size());
    }
    assertThat(map.keys()).as("seed %s", seed)
        .containsExactly(expected.keySet().stream().mapToLong(Long::longValue).sorted().toArray());
    assertThat(map.sum()).as("seed %s", seed).isEqualTo(expected.values().stream().mapToLong(Long::longValue).sum());
  }
}
