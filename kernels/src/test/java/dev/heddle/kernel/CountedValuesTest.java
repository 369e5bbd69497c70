package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.units.RandomStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Tests of the different values of a coordinate against sorting all of them. */
class CountedValuesTest {
  @Test
  void shouldCountAsSortingDoesWhenValuesRepeat() {
    long seed = 3;
    RandomStream random = RandomStream.of(seed, "values", "counted");
    for (int i = 0; i < 50; i++) {
      int most = 1 + random.nextInt(2000);
      double[] values = new double[1 + random.nextInt(5000)];
      for (int row = 0; row < values.length; row++) {
        values[row] = random.nextInt(most) / 7.0 - 3;
      }
      CountedValues counted = CountedValues.of(values);
      double[] different = Arrays.stream(values).sorted().distinct().toArray();
      assertThat(counted.values()).as("seed %d, case %d", seed, i).isEqualTo(different);
      for (int at = 0; at < different.length; at++) {
        double value = different[at];
        assertThat((long) counted.rows()[at]).isEqualTo(Arrays.stream(values).filter(each -> each == value).count());
      }
    }
  }
}
