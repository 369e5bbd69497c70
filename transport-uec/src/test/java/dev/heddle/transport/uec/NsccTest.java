package dev.heddle.transport.uec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.spi.CongestionControl.Acknowledgement;
import dev.heddle.spi.ConnectionPath;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * NSCC against its equations, on the network from which its constants are scaled: 100 Gb/s, 12 us, 150,000 B [uet-htsim
 * 40ccb05, uec.cpp]. There a is 1, and b is the target delay over 12 us.
 */
class NsccTest {
  private static final int PACKET = 4150;
  private static final long TRIP = 12_000_000;
  private static final long TARGET = 9_000_000;
  private static final double BDP = 150_000;
  private static final ConnectionPath PATH = new ConnectionPath(100_000_000_000L, TRIP, PACKET, 4086, 64, 6);

  private Nscc control = start(BDP / 2);
  private long now;

  /** An acknowledgement of bytes after a queueing delay, with so many bytes in flight. */
  private record Signal(long nowPs, long newBytes, long delayPs, boolean marked, long inFlightBytes)
      implements Acknowledgement {
    @Override
    public long roundTripPs() {
      return TRIP + delayPs;
    }

    @Override
    public long packet() {
      return 0;
    }

    @Override
    public long nextPacket() {
      return 0;
    }

    @Override
    public int hops() {
      return 0;
    }

    @Override
    public long hopTimePs(int hop) {
      return 0;
    }

    @Override
    public long hopSentBytes(int hop) {
      return 0;
    }

    @Override
    public long hopQueueBytes(int hop) {
      return 0;
    }

    @Override
    public long hopRate(int hop) {
      return 0;
    }
  }

  private static Nscc start(double window) {
    return new Nscc(PATH, TARGET, (long) window, false);
  }

  @BeforeEach
  void begin() {
    control = start(BDP / 2);
    now = 1;
    // The first acknowledgement opens the first interval, and closes the first period of adjustment.
    acknowledge(0, TARGET, false);
  }

  private void acknowledge(long bytes, long delay, boolean marked) {
    control.onAcknowledgement(new Signal(now, bytes, delay, marked, 100_000));
  }

  // Acknowledgements of a packet each, close together, until just more than eight packets have come: one adjustment.
  private double grown(long delay) {
    double before = control.windowBytes();
    for (int i = 0; i < 9; i++) {
      now += 1_000;
      acknowledge(PACKET, delay, false);
    }
    return control.windowBytes() - before;
  }

  /** Without marks, below the target: alpha (target - delay) per byte over the window; alpha = 4 mss a b / target. */
  @Test
  void shouldGrowInProportionToMissingDelayWhenDelayIsBelowTarget() {
    double alpha = 4.0 * PACKET * (TARGET / 12e6) / TARGET;
    double expected = alpha * (TARGET - 3e6) * 9 * PACKET / (BDP / 2);
    assertThat(grown(3_000_000)).isCloseTo(expected, within(2.0));
  }

  /** Without marks, above the target: 5 mss a per byte over the window, whatever the delay. */
  @Test
  void shouldGrowByFairIncreaseWhenDelayIsAboveTargetWithoutMarks() {
    double expected = 5.0 * PACKET * 9 * PACKET / (BDP / 2);
    assertThat(grown(TARGET + 1_000_000)).isCloseTo(expected, within(2.0));
  }

  /** A delay below 1 us for a whole window: a quarter of the acknowledged bytes, until the largest window. */
  @Test
  void shouldGrowFastWhenNothingQueuesForAWindow() {
    control = start(20_000);
    now = 1;
    acknowledge(0, TARGET, false);
    for (long bytes = 0; bytes <= 20_000; bytes += PACKET) {
      now += 1_000;
      acknowledge(PACKET, 0, false);
    }
    double before = control.windowBytes();
    now += 1_000;
    acknowledge(PACKET, 0, false);
    assertThat(control.windowBytes() - before).isCloseTo(0.25 * PACKET, within(2.0));
    for (int i = 0; i < 500; i++) {
      now += 1_000;
      acknowledge(PACKET, 0, false);
    }
    assertThat((double) control.windowBytes()).isCloseTo(1.5 * BDP, within(2.0));
  }

  /** A mark without delay changes nothing: another path is the answer, not another window. */
  @Test
  void shouldKeepWindowWhenMarkComesWithoutDelay() {
    double before = control.windowBytes();
    now += 1_000;
    acknowledge(PACKET, 1_000_000, true);
    assertThat((double) control.windowBytes()).isEqualTo(before);
  }

  /** Marks and delay: 1 - 0.8 (average - target) / average, at least half, once a base round trip. */
  @Test
  void shouldFallByExcessOfAverageDelayWhenMarkedAboveTarget() {
    long delay = 30_000_000;
    // Of the first signals the average stays below the target; then one cut within a round trip.
    control = start(BDP / 2);
    now = TRIP + 1;
    acknowledge(0, TARGET, false);
    double cut = 0;
    for (int i = 0; i < 200 && cut == 0; i++) {
      double before = control.windowBytes();
      now += 1_000;
      acknowledge(0, delay, true);
      double share = control.windowBytes() / before;
      cut = share < 1 ? share : 0;
    }
    // The first average above the target exceeds it by at most one weight of the delay.
    assertThat(cut).isBetween(1 - 0.8 * 0.0125 * (delay - TARGET) / TARGET, 1.0);
    double after = control.windowBytes();
    acknowledge(0, delay, true);
    assertThat((double) control.windowBytes()).as("within the round trip").isEqualTo(after);
    for (int i = 0; i < 2000; i++) {
      acknowledge(0, delay, true);
    }
    double settled = control.windowBytes();
    now += TRIP;
    acknowledge(0, delay, true);
    // The average is the delay itself by now: 1 - 0.8 (30 - 9) / 30 is below half. A round trip adds 0.15 mss too.
    assertThat((double) control.windowBytes()).isCloseTo(settled / 2 + 0.15 * PACKET, within(2.0));
  }

  /** A loss, and less than an eighth of the largest window in an interval: the window is the bytes that got through. */
  @Test
  void shouldDropToAchievedBytesWhenLittleGetsThrough() {
    acknowledge(10_000, TARGET, true);
    control.onTrimmed(now, PACKET, false);
    now += TRIP + TARGET + 1;
    acknowledge(2_000, TARGET, false);
    assertThat(control.windowBytes()).isEqualTo(12_000);
    // Marks of packets in flight then are ignored: 100,000 bytes.
    double before = control.windowBytes();
    for (int bytes = 0; bytes < 96_000; bytes += 4_000) {
      now += 1;
      acknowledge(4_000, 10 * TARGET, true);
    }
    assertThat((double) control.windowBytes()).isEqualTo(before);
  }

  /** Bytes in flight at the drop pass unmarked: the next mark counts again, and no increase from before it does. */
  @Test
  void shouldHeedMarksAgainWhenBytesInFlightHavePassed() {
    acknowledge(10_000, TARGET, true);
    control.onTrimmed(now, PACKET, false);
    now += TRIP + TARGET + 1;
    acknowledge(2_000, TARGET, false);
    for (int bytes = 0; bytes < 100_000; bytes += 4_000) {
      now += 1;
      acknowledge(4_000, 0, false);
    }
    double grown = control.windowBytes();
    assertThat(grown).isGreaterThan(12_000);
    control.onTrimmed(now, PACKET, false);
    assertThat((double) control.windowBytes()).isCloseTo(grown - PACKET, within(1.0));
  }

  /** A delay of four targets triggers as a loss does, but not where an eighth of the largest window got through. */
  @Test
  void shouldQuickAdaptByDelayOnlyWhenThroughputIsLow() {
    for (long achieved : new long[] {(long) (1.5 * BDP / 8) - 100, (long) (1.5 * BDP / 8) + 100}) {
      begin();
      acknowledge(achieved, 5 * TARGET, true);
      now += TRIP + TARGET + 1;
      acknowledge(0, 5 * TARGET, true);
      assertThat(control.windowBytes() == achieved).as("%d B", achieved).isEqualTo(achieved < 1.5 * BDP / 8);
    }
  }

  /** A trimmed packet takes its bytes off the window. */
  @Test
  void shouldFallByPacketWhenItIsTrimmed() {
    double before = control.windowBytes();
    control.onTrimmed(now, PACKET, false);
    assertThat(before - control.windowBytes()).isEqualTo(PACKET);
  }
}
