package dev.heddle.transport.roce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.spi.CongestionControl.Acknowledgement;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.transport.roce.RoceTransportProvider.Dcqcn;
import dev.heddle.transport.roce.RoceTransportProvider.Hpcc;
import dev.heddle.transport.roce.RoceTransportProvider.Swift;
import dev.heddle.transport.roce.RoceTransportProvider.Timely;
import org.junit.jupiter.api.Test;

/** Holds each congestion control against the equations of its paper. */
class EquationsTest {
  private static final long RATE = 100_000_000_000L;
  private static final long TRIP = 12_000_000;
  private static final ConnectionPath PATH = new ConnectionPath(RATE, TRIP, 4160, 4096, 64, 2);

  /** An acknowledgement of one packet, with the telemetry of one link. */
  private record Signal(
      long nowPs, long roundTripPs, long packet, boolean marked, long hopSentBytes, long hopQueueBytes)
      implements Acknowledgement {
    @Override
    public long newBytes() {
      return PATH.packetBytes();
    }

    @Override
    public long inFlightBytes() {
      return 0;
    }

    @Override
    public long nextPacket() {
      return packet + 10;
    }

    @Override
    public int hops() {
      return 1;
    }

    @Override
    public long hopTimePs(int hop) {
      return nowPs;
    }

    @Override
    public long hopSentBytes(int hop) {
      return hopSentBytes;
    }

    @Override
    public long hopQueueBytes(int hop) {
      return hopQueueBytes;
    }

    @Override
    public long hopRate(int hop) {
      return RATE;
    }
  }

  /** R_C (1 - alpha / 2), with alpha of 1 at first [DCQCN eq. 1]; then half way back in each period of time [eq. 3]. */
  @Test
  void shouldHalveRateAndReturnHalfWayWhenDcqcnIsNotified() {
    DcqcnControl control = new DcqcnControl(PATH, Dcqcn.defaults(), Long.MAX_VALUE);
    control.onNotification(1_000_000);
    assertThat(control.rateBitsPerSecond()).isEqualTo(RATE / 2);
    double missing = RATE / 2.0;
    for (int period = 1; period <= 5; period++) {
      assertThat(control.timerPs()).isEqualTo(1_000_000 + 55_000_000L * period);
      control.onTimer(control.timerPs());
      missing /= 2;
      assertThat((double) control.rateBitsPerSecond()).isCloseTo(RATE - missing, within(2.0));
    }
  }

  /** Without a notification alpha falls by 1 - g a period [DCQCN eq. 2]. */
  @Test
  void shouldForgetCongestionByGainWhenDcqcnIsLeftAlone() {
    DcqcnControl control = new DcqcnControl(PATH, Dcqcn.defaults(), Long.MAX_VALUE);
    control.onNotification(0);
    control.onNotification(10 * 55_000_000L);
    double decayed = Math.pow(1 - 1.0 / 256, 10);
    assertThat(control.alpha()).isCloseTo((1 - 1.0 / 256) * decayed + 1.0 / 256, within(1e-12));
  }

  /** A packet more a round without marks, while alpha falls by g of 1/16; a mark takes alpha / 2 [DCTCP eq. 1, 2]. */
  @Test
  void shouldFallByHalfOfShareOnceARoundWhenDctcpIsMarked() {
    DctcpControl control = new DctcpControl(PATH);
    double before = control.windowBytes();
    int rounds = 8;
    for (int packet = 0; packet <= 10 * (rounds - 1); packet++) {
      control.onAcknowledgement(new Signal(packet, TRIP, packet, false, 0, 0));
    }
    double grown = before + rounds * PATH.packetBytes();
    assertThat((double) control.windowBytes()).isCloseTo(grown, within(1.0));
    double alpha = Math.pow(15.0 / 16, rounds);
    for (int packet = 10 * (rounds - 1) + 1; packet < 10 * rounds; packet++) {
      control.onAcknowledgement(new Signal(packet, TRIP, packet, true, 0, 0));
      assertThat((double) control.windowBytes()).isCloseTo(grown * (1 - alpha / 2), within(1.0));
    }
  }

  /** A link used at U lets the rate be R eta / U + R_AI [HPCC eq. 4]: it settles where U is eta, but for R_AI. */
  @Test
  void shouldSettleAtTargetUtilisationWhenHpccIsAlone() {
    HpccControl control = new HpccControl(PATH, Hpcc.defaults());
    double sent = 0;
    for (int i = 1; i < 400; i++) {
      sent += control.rateBitsPerSecond() / 8e12 * TRIP;
      control.onAcknowledgement(new Signal(i * TRIP, TRIP, 10L * i, false, (long) sent, 0));
    }
    // R = R eta / (R / C) + R_AI = eta C + R_AI.
    assertThat((double) control.rateBitsPerSecond()).isCloseTo(0.95 * RATE + 50e6, within(0.002 * RATE));
  }

  /** Rounding to powers of 1.05 is right in the mean, and never off by more than a step [PINT §4.3]. */
  @Test
  void shouldCarryUtilisationInTheMeanWhenPintRoundsIt() {
    for (double use : new double[] {0.01, 0.5, 0.95, 1, 3.7}) {
      double sum = 0;
      for (int i = 0; i < 1000; i++) {
        double rounded = PintControl.rounded(use, (i + 0.5) / 1000);
        assertThat(rounded / use).isBetween(1 / 1.0501, 1.0501);
        sum += rounded / 1000;
      }
      assertThat(sum).as("%s", use).isCloseTo(use, within(1e-4 * use));
    }
  }

  /** U = (1 - dt / T) U + dt / T (bytes / (B dt) + q / (B T)) at the switch; one packet of T shows it whole. */
  @Test
  void shouldSettleAtTargetUtilisationWhenPintIsAlone() {
    PintControl control = new PintControl(PATH, Hpcc.defaults());
    double sent = 0;
    double sum = 0;
    for (int i = 1; i < 2000; i++) {
      sent += control.rateBitsPerSecond() / 8e12 * TRIP;
      control.onAcknowledgement(new Signal(i * TRIP, TRIP, 10L * i, false, (long) sent, 0));
      sum += i < 1000 ? 0 : control.rateBitsPerSecond() / 1000.0;
    }
    assertThat(sum).isCloseTo(0.95 * RATE, within(0.03 * RATE));
  }

  /** The scaling term is the whole range at 0.1 packets, none at 100, and a / sqrt(w) + b between [Swift §3.5]. */
  @Test
  void shouldScaleTargetByWindowWhenSwiftHasManyFlows() {
    SwiftControl control = new SwiftControl(PATH, Swift.defaults());
    double base = TRIP + 10_000_000;
    assertThat(control.targetPs(100)).isCloseTo(base, within(1.0));
    assertThat(control.targetPs(0.1)).isCloseTo(base + 50_000_000, within(1.0));
    double a = 50_000_000 / (1 / Math.sqrt(0.1) - 0.1);
    assertThat(control.targetPs(1)).isCloseTo(base + a - a / 10, within(1.0));
  }

  /**
   * Above the target the window falls by beta (delay - target) / delay, at most by half, once a round trip [Swift
   * alg. 1].
   */
  @Test
  void shouldDecreaseOnceARoundTripWhenSwiftIsAboveTarget() {
    SwiftControl control = new SwiftControl(PATH, Swift.defaults());
    double before = control.windowBytes() / 4160.0;
    double delay = 2 * control.targetPs(before);
    control.onAcknowledgement(new Signal(1_000_000_000, (long) delay, 0, false, 0, 0));
    double after = control.windowBytes() / 4160.0;
    assertThat(after / before).isCloseTo(1 - 0.8 / 2, within(0.001));
    control.onAcknowledgement(new Signal(1_000_000_001, (long) delay, 1, false, 0, 0));
    assertThat(control.windowBytes() / 4160.0).isEqualTo(after);
  }

  /**
   * Plain TIMELY keeps any rate while the round-trip time stays as it is [Zhu et al. 2016, theorem 2]: it only rises.
   */
  @Test
  void shouldStayUnfairWhenTimelySeesNoGradient() {
    Timely parameters = Timely.defaults();
    TimelyControl fast = new TimelyControl(PATH, parameters, Long.MAX_VALUE);
    TimelyControl slow = new TimelyControl(PATH, parameters, Long.MAX_VALUE);
    long high = 1_000_000_000;
    slow.onAcknowledgement(new Signal(1, high, 0, false, 0, 0));
    slow.onAcknowledgement(new Signal(2, high, 10, false, 0, 0));
    double gap = fast.rateBitsPerSecond() - slow.rateBitsPerSecond();
    assertThat(gap).isPositive();
    long steady = 100_000_000;
    for (int i = 2; i < 6; i++) {
      fast.onAcknowledgement(new Signal(i, steady, 10L * i, false, 0, 0));
      slow.onAcknowledgement(new Signal(i, steady, 10L * i, false, 0, 0));
    }
    assertThat(fast.rateBitsPerSecond() - slow.rateBitsPerSecond()).isGreaterThan((long) (0.9 * gap));
  }

  /** Patched TIMELY has rates of its own for each delay: two flows that see the same delay converge [§4.3]. */
  @Test
  void shouldConvergeWhenPatchedTimelySeesTheSameDelay() {
    PatchedTimelyControl fast = new PatchedTimelyControl(PATH, Timely.defaults(), Long.MAX_VALUE);
    PatchedTimelyControl slow = new PatchedTimelyControl(PATH, Timely.defaults(), Long.MAX_VALUE);
    slow.onAcknowledgement(new Signal(1, 1_000_000_000, 0, false, 0, 0));
    slow.onAcknowledgement(new Signal(2, 1_000_000_000, 10, false, 0, 0));
    double before = fast.rateBitsPerSecond() - slow.rateBitsPerSecond();
    for (int i = 2; i < 400; i++) {
      fast.onAcknowledgement(new Signal(i, 75_000_000, 10L * i, false, 0, 0));
      slow.onAcknowledgement(new Signal(i, 75_000_000, 10L * i, false, 0, 0));
    }
    assertThat(Math.abs(fast.rateBitsPerSecond() - slow.rateBitsPerSecond())).isLessThan((long) (0.05 * before));
  }
}
