package dev.heddle.network.packet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the table of units, without a transport protocol and with words for the ends of its connections. */
class PacketTableTest {
  // More than the table holds at first.
  private static final int UNITS = 3000;

  @ParameterizedTest
  @ValueSource(ints = {0, 8, 40})
  void shouldMakeUnitOfSameMessageWhenUnitIsCopied(int endWords) {
    PacketTable units = new PacketTable(endWords);
    int other = unit(units, 7, 3);
    units.release(other);
    int unit = unit(units, 1L << 40, 5);
    for (int word = 3; word < endWords; word++) {
      units.end(unit, word, 100 + word);
    }
    for (int i = 0; i < UNITS; i++) {
      int copy = units.copy(unit);
      assertThat(copy).isNotEqualTo(unit);
      assertThat(units.message(copy)).as("message").isEqualTo(1L << 40);
      assertThat(units.generated(copy)).as("generated").isEqualTo(50);
      assertThat(units.total(copy)).as("total").isEqualTo(5000);
      assertThat(units.tag(copy)).as("tag").isEqualTo(5);
      assertThat(units.payload(copy)).as("payload").isEqualTo(500);
      assertThat(units.ends(copy)).as("whether it ends the message").isFalse();
      for (int word = 3; word < endWords; word++) {
        assertThat(units.end(copy, word)).as("word %d", word).isEqualTo(100 + word);
      }
    }
    assertThat(units.ends(unit)).isTrue();
    assertThat(units.live()).isEqualTo(UNITS + 1);
  }

  private static int unit(PacketTable units, long message, int tag) {
    int unit = units.allocate();
    units.payload(unit, 100 * tag);
    units.identity(unit, 1, 2, 0);
    units.message(unit, message, 10 * tag, 1000 * tag, tag);
    units.ends(unit, true);
    units.route(unit, 2, 0);
    units.hold(unit, PacketTable.NONE, 0, 0);
    units.tailAt(unit, 0);
    return unit;
  }
}
