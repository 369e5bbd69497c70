package dev.heddle.internal.collect;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LongListTest {
  @Test
  void shouldHoldWhatWasAddedWhenItGrows() {
    LongList list = new LongList();
    for (int i = 0; i < 1000; i++) {
      list.add(i * 3L);
    }
    list.set(7, -1);
    assertThat(list.size()).isEqualTo(1000);
    assertThat(list.get(7)).isEqualTo(-1);
    assertThat(list.toArray()).hasSize(1000).endsWith(2997);
  }

  @Test
  void shouldHoldTheSameWhenNumbersInUseAreEqual() {
    LongList one = new LongList();
    LongList other = new LongList();
    one.add(5);
    other.add(5);
    other.add(6);
    assertThat(one.holdsSame(other)).isFalse();
    other.clear();
    other.add(5);
    assertThat(one.holdsSame(other)).isTrue();
  }
}
