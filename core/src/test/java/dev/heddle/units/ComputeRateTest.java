package dev.heddle.units;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ComputeRateTest {
  @ParameterizedTest
  @CsvSource({
      "989.4 Tflop/s, 989400000000000, 989.4 Tflop/s",
      "1 flop/s,      1,               1 flop/s",
      "2_500 Tflop/s, 2500000000000000, 2.5 Pflop/s",
      "0.5 Gflop/s,   500000000,       500 Mflop/s"})
  void shouldReadAndWriteRatesWithTheirUnit(String text, long flop, String written) {
    assertThat(ComputeRate.parse(text)).isEqualTo(new ComputeRate(flop)).hasToString(written);
  }

  @ParameterizedTest
  @ValueSource(strings = {"989", "5 TB/s", "0 flop/s", "-1 Tflop/s", "0.5 flop/s", "Tflop/s", "9e9 Pflop/s"})
  void shouldRefuseWhatIsNoPositiveWholeRate(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> ComputeRate.parse(text));
  }

  @Test
  void shouldOrderRates() {
    assertThat(ComputeRate.parse("1 Pflop/s")).isGreaterThan(ComputeRate.parse("999 Tflop/s"));
  }
}
