package dev.heddle.transport.roce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.transport.roce.RoceTransportProvider.Dcqcn;
import dev.heddle.transport.roce.RoceTransportProvider.Hpcc;
import dev.heddle.transport.roce.RoceTransportProvider.Swift;
import dev.heddle.transport.roce.RoceTransportProvider.Timely;
import dev.heddle.units.DataRate;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Senders of one control on a link of their own: rates, queue and round trip after convergence against the fixed points
 * of the papers' fluid models.
 */
class FixedPointTest {
  private static final long RATE = 40_000_000_000L;
  private static final long TRIP = 12_000_000;
  private static final long MILLISECOND = 1_000_000_000;
  private static final int PACKET = 4160;
  private static final ConnectionPath PATH = new ConnectionPath(RATE, TRIP, PACKET, 4096, 64, 2);
  private static final long WINDOW = 1_000_000;
  private static final SharedLink.Marking NO_MARKS = new SharedLink.Marking(1e18, 2e18, 0);

  private static List<CongestionControl> several(int count, Supplier<CongestionControl> control) {
    List<CongestionControl> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(control.get());
    }
    return all;
  }

  // Two round trips of 10 ms, which lower the rate.
  private static void handicap(CongestionControl control) {
    SharedLink alone = new SharedLink(RATE, 10 * MILLISECOND, List.of(control), NO_MARKS, 0, 1);
    alone.run(25 * MILLISECOND);
  }

  private static void requireFair(SharedLink link, double total, double tolerance) {
    double fair = total / link.rates().length;
    for (double rate : link.rates()) {
      assertThat(rate).as(Arrays.toString(link.rates())).isCloseTo(fair, within(tolerance * fair));
    }
  }

  /**
   * The probability of a mark at the fixed point of DCQCN's fluid model [Zhu et al. 2016, eq. 5 to 10 without change]:
   * alpha a^2 = tau^2 R_AI R (c + e) (b + d), in packets and seconds.
   */
  private static double dcqcnMarks(double rate, Dcqcn parameters) {
    double tau = parameters.notification().ps() / 1e12;
    double period = parameters.increasePeriod().ps() / 1e12;
    double bytes = (double) parameters.increaseBytes().bytes() / PACKET;
    double additive = parameters.additive().bitsPerSecond() / 8 / PACKET;
    double low = 1e-9;
    double high = 0.5;
    for (int i = 0; i < 200; i++) {
      double p = Math.sqrt(low * high);
      double a = 1 - Math.pow(1 - p, tau * rate);
      double b = p / (Math.pow(1 - p, -bytes) - 1);
      double c = b * Math.pow(1 - p, parameters.stages() * bytes);
      double d = p / (Math.pow(1 - p, -period * rate) - 1);
      double e = d * Math.pow(1 - p, parameters.stages() * period * rate);
      double alpha = 1 - Math.pow(1 - p, parameters.alphaPeriod().ps() / 1e12 * rate);
      if (alpha * a * a < tau * tau * additive * rate * (c + e) * (b + d)) {
        low = p;
      } else {
        high = p;
      }
    }
    return low;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 10})
  void shouldSettleAtFixedPointOfFluidModelWhenControlIsDcqcn(int flows) {
    Dcqcn parameters = Dcqcn.defaults();
    // The slope of the paper's RED, 1 % over 195 kB, without its end.
    SharedLink.Marking marking = new SharedLink.Marking(5e3, 5e3 + 100 * 195e3, 1);
    SharedLink link = new SharedLink(RATE, TRIP, several(flows, () -> new DcqcnControl(PATH, parameters,
        Long.MAX_VALUE)), marking, parameters.notification().ps(), Seeds.fixed());
    link.run(200 * MILLISECOND);
    link.reset();
    link.run(400 * MILLISECOND);
    double marks = dcqcnMarks(RATE / 8.0 / PACKET / flows, parameters);
    double queue = 5e3 + marks / 0.01 * 195e3;
    requireFair(link, RATE, 0.05);
    // The protocol raises alpha with every notification and lets it fall after 55 us without one, where the fluid model
    // has the probability of one in 55 us: it needs more marks, 1.2 to 1.5 times as many for 2 to 10 senders.
    assertThat(link.queue()).as("queue of %d senders, fixed point %.0f", flows, queue).isBetween(queue, 1.5 * queue);
    assertThat(link.marks()).as("marks, fixed point %.4f", marks).isBetween(marks, 1.5 * marks);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8})
  void shouldSettleAtFixedPointWhenControlIsPatchedTimely(int flows) {
    Timely parameters = Timely.defaults();
    List<CongestionControl> controls = several(flows, () -> new PatchedTimelyControl(PATH, parameters, WINDOW));
    handicap(controls.get(0));
    SharedLink link = new SharedLink(RATE, TRIP, controls, NO_MARKS, 0, Seeds.fixed());
    link.run(300 * MILLISECOND);
    link.reset();
    link.run(100 * MILLISECOND);
    // additive / 2 = rate 0.26 / 2 (trip - low) / low without a gradient; rates swing about it, by whole round trips.
    double trip = 50e6 * (1 + flows * 40e6 / (0.26 * RATE));
    requireFair(link, Arrays.stream(link.rates()).sum(), 0.05);
    assertThat(Arrays.stream(link.rates()).sum()).isGreaterThan(0.97 * RATE);
    assertThat(link.trip()).as("round trip, fixed point %.0f", trip).isBetween((double) TRIP, trip);
  }

  @Test
  void shouldStayUnfairWhenControlIsTimely() {
    Timely defaults = Timely.defaults();
    Timely parameters = new Timely(SimTime.parse("1 us"), defaults.high(), defaults.leastRoundTrip(),
        defaults.additive(), defaults.least());
    List<CongestionControl> controls = several(2, () -> new TimelyControl(PATH, parameters, WINDOW));
    handicap(controls.get(0));
    SharedLink link = new SharedLink(RATE, TRIP, controls, NO_MARKS, 0, Seeds.fixed());
    link.run(300 * MILLISECOND);
    link.reset();
    link.run(100 * MILLISECOND);
    double fair = Arrays.stream(link.rates()).sum() / 2;
    assertThat(Math.abs(link.rates()[0] - fair)).as(Arrays.toString(link.rates())).isGreaterThan(0.05 * fair);
  }

  /** With all telemetry (0), or with that of PINT on all packets or some. */
  @ParameterizedTest
  @CsvSource({"2, 0", "4, 0", "8, 0", "2, 100", "4, 100", "8, 100", "4, 25"})
  void shouldUseTargetUtilisationInEqualPartsWhenControlIsHpcc(int flows, int sampling) {
    // Half of the additive increase at which senders would fill the link [HPCC §3.3]: N R_AI = (1 - eta) C / 2.
    Hpcc defaults = Hpcc.defaults();
    Hpcc parameters = new Hpcc(defaults.utilisation(), defaults.stages(),
        DataRate.parse(1_000 / flows + " Mb/s"), defaults.least(), Fraction.of(sampling / 100.0));
    SharedLink link = new SharedLink(RATE, TRIP, several(flows, () -> sampling == 0 ? new HpccControl(PATH, parameters)
        : new PintControl(PATH, parameters)), NO_MARKS, 0, Seeds.fixed());
    link.run(30 * MILLISECOND);
    link.reset();
    // Chance divides the link for a while where utilisations are rounded.
    link.run((sampling == 0 ? 200 : 1000) * MILLISECOND);
    requireFair(link, Arrays.stream(link.rates()).sum(), 0.05);
    // A queue counts as utilisation, by its part of the bandwidth-delay product.
    double use = 0.95 + 0.025;
    double queue = link.queue() / (RATE / 8e12 * TRIP);
    assertThat(Arrays.stream(link.rates()).sum() / RATE).isBetween(use - queue - 0.01, use + 0.01);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 16})
  void shouldHoldTargetDelayInEqualPartsWhenControlIsSwift(int flows) {
    Swift parameters = Swift.defaults();
    SwiftControl first = new SwiftControl(PATH, parameters);
    SharedLink link = new SharedLink(RATE, TRIP, several(flows, () -> new SwiftControl(PATH, parameters)), NO_MARKS, 0,
        Seeds.fixed());
    link.run(50 * MILLISECOND);
    link.reset();
    link.run(50 * MILLISECOND);
    double window = RATE / 8e12 * link.trip() / PACKET / flows;
    requireFair(link, RATE, 0.05);
    // Each sender adds a packet per round trip until one is above the target.
    double target = first.targetPs(window);
    assertThat(link.trip()).isBetween(0.99 * target, target + flows * PACKET * 8e12 / RATE);
  }

  /**
   * N synchronised senders reach K + N packets of queue, and swing by half the root of 2 N (C RTT + K) below it
   * [Alizadeh et al. 2010, eq. 10 to 12].
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8})
  void shouldSwingBelowMarkingThresholdWhenControlIsDctcp(int flows) {
    double threshold = 40;
    SharedLink.Marking marking = new SharedLink.Marking(threshold * PACKET, threshold * PACKET, 1);
    SharedLink link = new SharedLink(RATE, TRIP, several(flows, () -> new DctcpControl(PATH)), marking, 0,
        Seeds.fixed());
    link.run(20 * MILLISECOND);
    link.reset();
    link.run(100 * MILLISECOND);
    double most = threshold + flows;
    double swing = Math.sqrt(2 * flows * (RATE / 8e12 * TRIP / PACKET + threshold)) / 2;
    requireFair(link, RATE, 0.05);
    assertThat(link.queue() / PACKET).as("packets of queue, %.1f to %.1f", most - swing, most)
        .isBetween(most - swing, most);
  }
}
