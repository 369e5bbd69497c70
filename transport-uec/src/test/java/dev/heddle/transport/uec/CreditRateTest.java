package dev.heddle.transport.uec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.spi.ConnectionPath;
import dev.heddle.units.RandomStream;
import org.junit.jupiter.api.Test;

/** The rate of credits against its equations [uet-htsim 40ccb05, oversubscribed_cc.cpp], at 100 Gb/s and 12 us. */
class CreditRateTest {
  private static final double LINE = 100e9;
  private static final long TRIP = 12_000_000;
  private static final ConnectionPath PATH = new ConnectionPath((long) LINE, TRIP, 4150, 4086, 64, 6);

  private final CreditRate rate = new CreditRate(PATH, 8, RandomStream.of(1, "receiver", "credit"));
  private long now;

  // A period in which so many of 100 packets are marked, trimmed in the core, and trimmed at the last hop.
  private double period(int marked, int coreTrims, int lastTrims) {
    for (int i = 0; i < 100; i++) {
      if (i < coreTrims + lastTrims) {
        rate.onTrimmed(now, 4150, i >= coreTrims);
      } else {
        rate.onSent(now, 4150);
      }
    }
    for (int i = 0; i < marked; i++) {
      rate.onNotification(now);
    }
    now = rate.timerPs();
    rate.onTimer(now);
    return rate.rateBitsPerSecond() / LINE;
  }

  /** Trims before the last hop take their share off the rate; those of the receiver's own link do not. */
  @Test
  void shouldFallByShareOfTrimsWhenTheyAreInCore() {
    assertThat(period(0, 0, 30)).isEqualTo(1);
    assertThat(period(0, 20, 10)).isCloseTo(1 - 0.20 + 0.01, within(1e-9));
  }

  /** All marked: the average of marks is 1/2, then 3/4; what exceeds 0.3 takes half of itself off the rate. */
  @Test
  void shouldFallByExcessOfMarksWhenTheyPassTarget() {
    double first = 1 - 0.5 * (0.5 - 0.3);
    assertThat(period(100, 0, 0)).isCloseTo(first, within(1e-9));
    assertThat(period(100, 0, 0)).isCloseTo(first * (1 - 0.5 * (0.75 - 0.3)), within(1e-9));
  }

  /** Clean periods raise the rate by 1, 2, 4 % of the line; one with a mark by 1 %, and the steps begin anew. */
  @Test
  void shouldRiseInDoublingStepsWhileNothingIsMarked() {
    double low = period(0, 40, 0);
    assertThat(low).isCloseTo(0.61, within(1e-9));
    assertThat(period(0, 0, 0)).isCloseTo(0.62, within(1e-9));
    assertThat(period(0, 0, 0)).isCloseTo(0.64, within(1e-9));
    assertThat(period(0, 0, 0)).isCloseTo(0.68, within(1e-9));
    assertThat(period(1, 0, 0)).isCloseTo(0.69, within(1e-9));
    assertThat(period(0, 0, 0)).isCloseTo(0.70, within(1e-9));
  }

  /** At 8:1 the rate stays at 0.9 of an eighth or above. Periods last 0.75 to 1.25 times 1.5 round trips. */
  @Test
  void shouldKeepNinetyPercentOfEqualPartWhenEverythingIsTrimmed() {
    for (int i = 0; i < 20; i++) {
      long before = now;
      assertThat(period(0, 100, 0)).isGreaterThanOrEqualTo(0.9 / 8 - 1e-9);
      assertThat((double) (now - before)).isBetween(0.75 * 1.5 * TRIP, 1.25 * 1.5 * TRIP);
    }
    assertThat(period(0, 100, 0)).isCloseTo(0.9 / 8, within(1e-9));
  }
}
