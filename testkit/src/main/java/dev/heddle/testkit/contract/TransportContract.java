package dev.heddle.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.results.Results;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.QueuePolicy;
import dev.heddle.spi.Switch;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.OfferedMessages;
import dev.heddle.testkit.fixture.OfferedMessages.Offer;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.RandomStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The rules of {@link TransportProtocol} and {@link CongestionControl}. The dynamic ones run a star of eight
 * terminals whose
 * switch drops, trims and marks.
 *
 * @param <S> the settings record
 */
public abstract class TransportContract<S extends Record> extends ProviderContract<S, TransportProtocol> {
  private static final int TERMINALS = 8;
  private static final ConnectionPath PATH = new ConnectionPath(100_000_000_000L, 14_000_000, 4160, 4096, 64, 6);

  private record LossySwitch(QueuePolicy queuePolicy) implements Switch {
    @Override
    public long latencyPs() {
      return 100_000;
    }

    @Override
    public Switching switching() {
      return Switching.STORE_AND_FORWARD;
    }

    @Override
    public Buffering buffering() {
      return Buffering.OUTPUT;
    }

    @Override
    public Arbitration arbitration() {
      return Arbitration.ROUND_ROBIN;
    }

    @Override
    public int inputBufferBytes() {
      return 0;
    }

    @Override
    public int outputBufferBytes() {
      return 0;
    }
  }

  static LongStream seeds() {
    return Seeds.several(5);
  }

  @Test
  void transport1ShouldAnswerAlikeAtEveryCallWithFreshControls() {
    for (S settings : settings()) {
      TransportProtocol protocol = product(settings);
      assertThat(protocol.connect(PATH)).as("%s", settings).isNotSameAs(protocol.connect(PATH));
      assertThat(protocol.timeoutPs(PATH)).as("%s", settings).isEqualTo(product(settings).timeoutPs(PATH));
      assertThat(protocol.receiverCredits(PATH)).as("%s", settings).isEqualTo(protocol.receiverCredits(PATH));
    }
  }

  @Test
  void transport2ShouldWaitLongerThanRoundTripForAcknowledgement() {
    for (S settings : settings()) {
      assertThat(product(settings).timeoutPs(PATH)).as("%s", settings).isGreaterThan(PATH.baseRttPs());
    }
  }

  @Test
  void transport3ShouldStateAmountsOfAtLeastZero() {
    for (S settings : settings()) {
      TransportProtocol protocol = product(settings);
      assertThat(protocol.acknowledgementBytes()).as("%s", settings).isNotNegative();
      assertThat(protocol.telemetryBytes()).as("%s", settings).isNotNegative();
      assertThat(protocol.notificationPs()).as("%s", settings).isNotNegative();
      assertThat(protocol.reorderingPackets()).as("%s", settings).isNotNegative();
      assertThat(protocol.pathCount()).as("%s", settings).isPositive();
      assertThat(protocol.steadyUtilisation()).as("%s", settings).isGreaterThan(0).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void transport4ShouldAcceptTrimmedPacketsOnlyUnderSelectiveRepeat() {
    for (S settings : settings()) {
      TransportProtocol protocol = product(settings);
      boolean repeats = protocol.lossRecovery() == TransportProtocol.LossRecovery.SELECTIVE_REPEAT;
      assertThat(!protocol.acceptsTrimmed() || repeats).as("%s", settings).isTrue();
    }
  }

  @Test
  void transport6ShouldStateRatesWhenControlsRunOnFluidQueues() {
    for (S settings : settings()) {
      TransportProtocol protocol = product(settings);
      assertThat(!protocol.suitsFluid() || protocol.connect(PATH).rateBitsPerSecond() < Long.MAX_VALUE)
          .as("%s", settings).isTrue();
    }
  }

  @Test
  void congestion1ShouldStartWithWindowAndRateAboveZero() {
    for (S settings : settings()) {
      CongestionControl control = product(settings).connect(PATH);
      assertThat(control.windowBytes()).as("window, %s", settings).isPositive();
      assertThat(control.rateBitsPerSecond()).as("rate, %s", settings).isPositive();
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void transport5ShouldDeliverEveryByteOnceWhenSwitchDropsAndTrims(long seed) {
    RandomStream random = RandomStream.of(seed, "TransportContract", "offers");
    List<Offer> offers = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      int source = random.nextInt(TERMINALS);
      int destination = random.nextInt(3) == 0 ? 0 : random.nextInt(TERMINALS);
      if (source != destination) {
        offers.add(new Offer(source, destination, 1 + random.nextInt(200_000)));
      }
    }
    QueuePolicy policy = new QueuePolicy(
        40_000, 200_000, 1, Optional.of(new QueuePolicy.Marking(10_000, 30_000, 0.5, true)), random.nextInt(2) == 0,
        Optional.empty(), List.of(), random.nextInt(2) * 100_000_000_000L);
    for (S settings : settings()) {
      Results results = new Simulation(
          "transport", Fabrics.star(TERMINALS, new LossySwitch(policy)), new OfferedMessages(offers),
          SimulationOptions.defaults(), seed).with(product(settings)).run();
      assertThat(results.metric("messages.delivered").orElseThrow().value()).as("%s", settings)
          .isEqualTo(offers.size());
    }
  }
}
