package dev.heddle.internal.collect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.units.RandomStream;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds {@link InstantSort} against the library's sort, in arrays and around the end of rings. */
class InstantSortTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void shouldOrderEventsAndLeaveAllElse(long seed) {
    RandomStream random = RandomStream.of(seed, "sort", "load");
    InstantSort sorter = new InstantSort();
    for (int round = 0; round < 200; round++) {
      int count = 1 + random.nextInt(round % 2 == 0 ? 40 : 1000);
      int targets = 1 + random.nextInt(1 << 1 + random.nextInt(27));
      long[] words = new long[2048];
      Arrays.setAll(words, i -> -i);
      int head = 2 * random.nextInt(1024);
      int mask = words.length - 1;
      long[] events = new long[count];
      for (int i = 0; i < count; i++) {
        events[i] = (long) random.nextInt(8) << 60 | (long) random.nextInt(targets) << 32 | random.nextInt(1 << 30);
        words[(head + 2 * i + 1) & mask] = events[i];
      }
      sorter.sort(words, head, count, mask);
      Arrays.sort(events);
      for (int i = 0; i < words.length / 2; i++) {
        int at = (head + 2 * i) & mask;
        assertThat(words[at]).as("seed %d", seed).isEqualTo(-at);
        assertThat(words[at + 1]).as("seed %d", seed).isEqualTo(i < count ? events[i] : -at - 1);
      }
    }
  }
}
