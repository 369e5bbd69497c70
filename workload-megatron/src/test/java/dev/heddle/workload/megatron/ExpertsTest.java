package dev.heddle.workload.megatron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.workload.megatron.model.Experts;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the expected copies of tokens with DeepEP's formula and with random draws. */
class ExpertsTest {
  private static Experts experts(int count, int topK, int groups, int topGroups) {
    return new Experts(count, topK, 1024, 0, 0, 1, Optional.empty(), groups, topGroups);
  }

  @ParameterizedTest
  @CsvSource({"2, 1.993", "4, 3.614", "8, 5.295", "16, 6.523", "32, 7.267", "64, 7.676", "128, 7.890", "256, 8"})
  void shouldExpectAsManyNodesAsDeepEpStates(int nodes, double expected) {
    assertThat(experts(256, 8, 1, 1).partsHit(nodes)).isCloseTo(expected, within(1e-3));
  }

  @ParameterizedTest
  @CsvSource({"8, 3.63", "16, 5.34", "32, 6.60", "64, 7.36"})
  void shouldExpectFewerNodesWhenTokensKeepToFourOfEightGroups(int parts, double expected) {
    assertThat(experts(256, 8, 8, 4).partsHit(parts)).isCloseTo(expected, within(0.005));
  }

  @Test
  void shouldHitOnePartWhenThereIsOnlyOne() {
    assertThat(experts(64, 6, 1, 1).partsHit(1)).isCloseTo(1, within(1e-12));
    assertThat(experts(64, 1, 1, 1).partsHit(16)).isCloseTo(1, within(1e-12));
  }
}
