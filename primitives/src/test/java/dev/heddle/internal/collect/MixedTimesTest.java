package dev.heddle.internal.collect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.units.RandomStream;
import org.junit.jupiter.api.Test;

class MixedTimesTest {
  @Test
  void shouldSumTheHashesOfEachMessageWhateverTheBegin() {
    RandomStream random = RandomStream.of(1, "mixed", "times");
    long[] times = new long[10_000];
    long[] words = new long[times.length];
    for (int i = 0; i < times.length; i++) {
      times[i] = random.nextLong() >>> 20;
      words[i] = random.nextLong();
    }
    MixedTimes mixed = new MixedTimes(times, words);
    for (long begin : new long[] {0, 0, 5_000_000_017L, 3}) {
      for (int[] part : new int[][] {{0, 10_000}, {17, 17}, {9, 4_105}, {4_000, 9_999}}) {
        long expected = 0;
        for (int i = part[0]; i < part[1]; i++) {
          long id = 1L << 50 | 77 + i - part[0];
          expected += RandomStream.mix(id ^ RandomStream.mix(begin + times[i] ^ words[i]));
        }
        assertThat(mixed.sum(part[0], part[1], 1L << 50 | 77, begin)).isEqualTo(expected);
      }
    }
  }

  @Test
  void shouldHoldNothingWithoutMessages() {
    assertThat(new MixedTimes(new long[0], new long[0]).sum(0, 0, 1, 7)).isZero();
  }
}
