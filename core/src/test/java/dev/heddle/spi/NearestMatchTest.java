package dev.heddle.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NearestMatchTest {
  @ParameterizedTest
  @CsvSource({"rate,rate,0", "raet,rate,1", "rte,rate,1", "ratee,rate,1", "bate,rate,1", "'',rate,4",
      "kitten,sitting,3"})
  void shouldCountEditsWhenWordsDiffer(String a, String b, int edits) {
    assertThat(NearestMatch.distance(a, b)).isEqualTo(edits);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void shouldBeSymmetricAndBoundedWhenWordsAreRandom(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      String a = word(random);
      String b = word(random);
      assertThat(NearestMatch.distance(a, b)).as("seed %s: %s, %s", seed, a, b)
          .isEqualTo(NearestMatch.distance(b, a))
          .isBetween(Math.abs(a.length() - b.length()), Math.max(a.length(), b.length()));
    }
  }

  private static String word(Random random) {
    return random.ints(random.nextInt(8), 'a', 'd').collect(
        StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
  }

  @Test
  void shouldSuggestTheShortestOfThoseThatBeginWithAWord() {
    assertThat(NearestMatch.of("DGX-1v", List.of("dgx-a100-node", "dgx-1v-node-large", "dgx-1v-node")))
        .hasValue("dgx-1v-node");
    assertThat(NearestMatch.of("qwen3-30b", List.of("qwen3-32b", "qwen3-30b-a3b"))).hasValue("qwen3-30b-a3b");
  }

  @Test
  void shouldSuggestANameWhenItsWordsAreInAnotherOrder() {
    assertThat(NearestMatch.of("nvl72-gb200", List.of("dgx-gh200", "gb200-nvl72", "nvl72")))
        .hasValue("gb200-nvl72");
    assertThat(NearestMatch.of("rate-loss", List.of("rate-less", "loss-rate"))).hasValue("rate-less");
  }

  @Test
  void shouldSuggestNothingWhenNothingIsNear() {
    assertThat(NearestMatch.of("velocity", List.of("rate", "size"))).isEmpty();
    assertThat(NearestMatch.of("r", List.of("rate", "rates"))).isEmpty();
    assertThat(NearestMatch.hint("raet", List.of("size", "rate"))).isEqualTo("; did you mean 'rate'?");
  }
}
