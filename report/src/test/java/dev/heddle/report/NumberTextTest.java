package dev.heddle.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumberTextTest {
  @ParameterizedTest
  @CsvSource({
      "0, 0", "-0.0, 0", "1, 1", "0.123456, 0.1235", "12.5, 12.5", "999.96, 1000", "1234.56, 1234.6", "12345.6, 12346",
      "-3.14159, -3.142", "0.00001, 1.000e-05", "1e12, 1.000e+12", "NaN, -", "Infinity, inf", "-Infinity, -inf"
  })
  void shouldWriteFourDigitsWhenFigureIsAnySize(double value, String text) {
    assertThat(NumberText.of(value)).isEqualTo(text);
  }
}
