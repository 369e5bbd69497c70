package dev.heddle.workload.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SizeDistributionTest {
  @ParameterizedTest
  @CsvSource({
      "WEB_SEARCH, 0.15, 10000", "WEB_SEARCH, 0.35, 40000", "WEB_SEARCH, 0.97, 10000000", "WEB_SEARCH, 1, 30000000",
      "HADOOP, 0.6, 1000", "HADOOP, 0.99, 2000000", "HADOOP, 0, 1"})
  void shouldGoThroughPublishedPoints(SizeDistribution distribution, double share, long bytes) {
    assertThat(distribution.quantile(share)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @EnumSource(SizeDistribution.class)
  void shouldHaveMeanOfItsQuantiles(SizeDistribution distribution) {
    int draws = 1_000_000;
    double sum = 0;
    for (int i = 0; i < draws; i++) {
      sum += distribution.quantile((i + 0.5) / draws);
    }
    assertThat(sum / draws).isCloseTo(distribution.mean(), within(1e-3 * distribution.mean()));
  }
}
