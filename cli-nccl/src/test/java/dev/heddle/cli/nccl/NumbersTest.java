package dev.heddle.cli.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.spi.InvalidSettingException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers as nccl-tests, that is C, reads and prints them. */
class NumbersTest {
  @ParameterizedTest
  @CsvSource(ignoreLeadingAndTrailingWhitespace = false, value = {
      "0,7,   0.00", "30.244,7,  30.24", "4485.1,7,4485.10", "9999.99,7,9999.99", "34381.06,7,34381.1",
      "127997.4,7, 127997", "9999999,7,9999999", "12345678,7,1.2e+07", "838.2,6,838.20", "1024.25,6,1024.2",
      "123456,6,123456", "1234567,6, 1e+06"
  })
  void shouldKeepAsManyDecimalsAsFitTheColumn(double value, int width, String text) {
    assertThat(TestReport.narrow(value, width)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
      "0, 0", "448, 448", "138.828, 138.828", "138.8284, 138.828", "0.0285, 0.0285", "0.00001234567, 1.23457e-05",
      "999999.4, 999999", "999999.6, 1e+06", "2.5, 2.5", "1234567, 1.23457e+06", "0.1, 0.1"
  })
  void shouldPrintSixDigitsWithoutZerosAtTheEnd(double value, String text) {
    assertThat(TestReport.general(value)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"8, 8", "8B, 8", "512K, 524288", "4MiB, 4194304", "4 mib, 4194304", "32M, 33554432", "8G, 8589934592",
      "1.5k, 1536", "0, 0"})
  void shouldReadSizesInPowersOf1024(String text, long bytes) {
    assertThat(Sizes.parse("-b", text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "G", "-8", "8X", "8 8", "8iB", "4  M", "1e9", "99999999999G", "K8"})
  void shouldRefuseWhatIsNoSize(String text) {
    assertThatThrownBy(() -> Sizes.parse("-b", text)).isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith("-b " + text);
  }

  @Test
  void shouldDivideByRanksInWholeSixteenBytes() {
    assertThat(PerfTest.ALL_REDUCE.count(1001, 4, 8)).isEqualTo(250);
    assertThat(PerfTest.ALL_GATHER.count(1001, 4, 8)).isEqualTo(28);
    assertThat(PerfTest.ALL_GATHER.size(28, 4, 8)).isEqualTo(28 * 4 * 8);
    assertThat(PerfTest.ALL_GATHER.count(8, 4, 8)).isZero();
    assertThat(PerfTest.HYPERCUBE.size(28, 4, 8)).isEqualTo(28 * 4 * 7);
  }
}
