package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests of the rows that fits and probes of a table take. */
class RowSampleTest {
  @Test
  void shouldTakeEachRowOfASmallTableOnce() {
    RowSample sample = RowSample.of(90, 240);
    for (int i = 0; i < 90; i++) {
      assertThat(sample.row(i)).isEqualTo(i);
    }
  }

  // Every tenth row of a grid of ten sizes would be one size alone.
  @Test
  void shouldMeetEverySizeOfAGridWhosePeriodIsTheDistance() {
    for (int period = 2; period <= 40; period++) {
      RowSample sample = RowSample.of(240 * period, 240);
      Set<Integer> sizes = new HashSet<>();
      int before = -1;
      for (int i = 0; i < 240; i++) {
        assertThat(sample.row(i)).isGreaterThan(before).isLessThan(240 * period);
        before = sample.row(i);
        sizes.add(before % period);
      }
      assertThat(sizes).as("sizes of %d", period).hasSize(period);
    }
  }
}
