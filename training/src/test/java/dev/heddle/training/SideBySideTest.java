package dev.heddle.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Tests of tasks on several threads. */
class SideBySideTest {
  @Test
  void shouldHaveResultsInTheOrderOfTheKeys() {
    Map<Integer, Supplier<Integer>> work = new LinkedHashMap<>();
    for (int key = 20; key > 0; key--) {
      int square = key * key;
      work.put(key, () -> square);
    }
    assertThat(SideBySide.results(work).keySet()).containsExactlyElementsOf(work.keySet());
    assertThat(SideBySide.results(work)).containsEntry(7, 49).containsEntry(20, 400);
    assertThat(SideBySide.results(Map.<Integer, Supplier<Integer>>of())).isEmpty();
  }

  @Test
  void shouldThrowTheFailureOfTheFirstKey() {
    Map<Integer, Supplier<Integer>> work = new LinkedHashMap<>();
    work.put(0, () -> 0);
    for (int key = 1; key < 9; key++) {
      String name = "task " + key;
      work.put(key, () -> {
        throw new IllegalArgumentException(name);
      });
    }
    assertThatThrownBy(() -> SideBySide.results(work)).isInstanceOf(IllegalArgumentException.class)
        .hasMessage("task 1");
  }
}
