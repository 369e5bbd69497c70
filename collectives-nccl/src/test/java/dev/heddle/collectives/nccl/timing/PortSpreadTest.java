package dev.heddle.collectives.nccl.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.heddle.units.RandomStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the ends of channels that share a port. */
class PortSpreadTest {
  private static final double BATCH = 64 << 10;

  private static CallTime.Resources times(double data, double copy, double port, double network) {
    return new CallTime.Resources(data / copy, data / port, data / network);
  }

  @ParameterizedTest
  @CsvSource({"24, 20, 20, 1e9", "24, 20, 30, 1e9", "24, 20, 10, 9", "1, 20, 10, 1e9"})
  void shouldEndTogetherUnlessBlocksWaitForAPort(int channels, double copy, double port, double network) {
    assertThat(PortSpread.ns(channels, 1e9, times(1e9, copy, port, network))).isZero();
  }

  @Test
  void shouldGrowAsTheRootOfData() {
    double some = PortSpread.ns(24, 1e9, times(1e9, 40, 10, 1e9));
    assertThat(PortSpread.ns(24, 4e9, times(4e9, 40, 10, 1e9))).isCloseTo(2 * some, withinPercentage(0.1));
    assertThat(PortSpread.ns(24, BATCH, times(BATCH, 40, 10, 1e9))).isZero();
  }

  // Numbers of batches as a port draws them: each is that of one of 24 channels by chance, until all have been served
  // as often as one in the mean. What the last channel lacks then takes its block alone.
  @Test
  void shouldAgreeWithDrawnNumbersOfBatches() {
    RandomStream random = RandomStream.of(5, "port", "spread");
    int batches = 400;
    int calls = 400;
    double lacking = 0;
    for (int call = 0; call < calls; call++) {
      int[] served = new int[24];
      for (int batch = 0; batch < 24 * batches; batch++) {
        served[random.nextInt(24)]++;
      }
      lacking += batches - Arrays.stream(served).min().orElseThrow();
    }
    double data = batches * BATCH;
    double block = 1e4;
    assertThat(PortSpread.ns(24, data, times(data, block, 1, 1e9)) * block / BATCH)
        .isCloseTo(lacking / calls, withinPercentage(8));
  }
}
