package dev.heddle.collective;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Packing of classes, flow labels and rails. */
class MessageLabelTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8, 32, 72, 255})
  void shouldKeepClassesAndRailWhateverTheNumber(int nics) {
    for (int position = 0; position < nics; position++) {
      for (int networkClass = MessageLabel.SAME_CLASS; networkClass < MessageLabel.CLASSES; networkClass++) {
        for (long number : new long[] {0, 1, 31, 255, Long.MAX_VALUE, -1}) {
          int route = MessageLabel.onRail(MessageLabel.rail(position, nics), number);
          int service = MessageLabel.of(5, networkClass, route);
          int bits = MessageLabel.networkBits(service);
          assertThat(bits).isBetween(0, 2 * MessageLabel.RAILED - 1);
          assertThat(MessageLabel.trafficClass(service)).isEqualTo(5);
          assertThat(MessageLabel.networkClass(bits)).isEqualTo(networkClass);
          assertThat(MessageLabel.railPosition(bits, nics)).isEqualTo(position);
          assertThat(MessageLabel.labelledRoute(bits)).isEqualTo(route).isEqualTo(MessageLabel.railRoute(bits));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 255})
  void shouldNameNoRailWhenTheLabelIsOfARouteAlone(int route) {
    int bits = MessageLabel.networkBits(MessageLabel.of(0, 7, route));
    assertThat(MessageLabel.railPosition(bits, 8)).isEqualTo(-1);
    assertThat(MessageLabel.railRoute(bits)).isZero();
    assertThat(MessageLabel.labelledRoute(bits)).isEqualTo(route);
  }
}
