package dev.heddle.transport.roce;

import static dev.heddle.testkit.fixture.Records.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.Provider;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.spi.TransportProtocol.LossRecovery;
import dev.heddle.testkit.contract.TransportContract;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.transport.roce.RoceTransportProvider.Congestion;
import dev.heddle.transport.roce.RoceTransportProvider.LoadBalancing;
import dev.heddle.transport.roce.RoceTransportProvider.Settings;
import dev.heddle.units.RandomStream;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RoceTransportTest extends TransportContract<Settings> {
  private static final ConnectionPath PATH = new ConnectionPath(100_000_000_000L, 14_000_000, 4160, 4096, 64, 6);

  @Override
  protected Provider<Settings, TransportProtocol> provider() {
    return new RoceTransportProvider();
  }

  @Override
  protected List<Settings> settings() {
    List<Settings> all = new ArrayList<>();
    for (Congestion congestion : Congestion.values()) {
      for (LossRecovery recovery : LossRecovery.values()) {
        all.add(Settings.of(congestion, recovery));
        all.add(with(Settings.of(congestion, recovery), "loadBalancing", LoadBalancing.FLOWLET, "flowletGap",
            SimTime.parse("5 us")));
      }
      all.add(with(Settings.of(congestion, LossRecovery.SELECTIVE_REPEAT), "loadBalancing", LoadBalancing.SPRAY));
    }
    return all;
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(
        with(Settings.of(Congestion.DCQCN, LossRecovery.GO_BACK_N), "loadBalancing", LoadBalancing.SPRAY));
  }

  /** F, T, B, R_AI, g and N as Zhu et al. state them for 40 Gb/s, SIGCOMM 2015. */
  @Test
  void shouldHaveParametersOfPaperWhenDcqcnIsNotConfigured() {
    RoceTransportProvider.Dcqcn dcqcn = RoceTransportProvider.Dcqcn.defaults();
    assertThat(dcqcn.stages()).isEqualTo(5);
    assertThat(dcqcn.increasePeriod().ps()).isEqualTo(55_000_000);
    assertThat(dcqcn.increaseBytes().bytes()).isEqualTo(10_000_000);
    assertThat(dcqcn.additive().bitsPerSecond()).isEqualTo(40_000_000);
    assertThat(Math.pow(0.5, dcqcn.gain())).isEqualTo(0.00390625);
    assertThat(dcqcn.notification().ps()).isEqualTo(50_000_000);
  }

  @Test
  void shouldTakeAnotherPathOnlyAfterGapWhenPacketsComeInFlowlets() {
    FlowletControl control = new FlowletControl(new LineRate(PATH, Long.MAX_VALUE), 5_000_000);
    long[] times = {0, 100, 5_000_100, 10_000_101, 10_000_102, 100_000_000};
    int[] paths = new int[times.length];
    for (int i = 0; i < times.length; i++) {
      control.onSent(times[i], 4160);
      paths[i] = control.next();
    }
    assertThat(paths).containsExactly(0, 0, 0, 1, 1, 2);
  }

  @Test
  void shouldUseAllPathsEquallyWhenPacketsAreSprayed() {
    SprayedPaths paths = new SprayedPaths(16, RandomStream.of(Seeds.fixed(), "sprayed", "paths"));
    Map<Integer, Integer> counts = new TreeMap<>();
    for (int i = 0; i < 16_000; i++) {
      counts.merge(paths.next(), 1, Integer::sum);
    }
    // 1,000 packets a path, with a standard deviation of 31.
    assertThat(counts).hasSize(16).allSatisfy((path, count) -> {
      assertThat(path).isBetween(0, (1 << 16) - 1);
      assertThat(count).isBetween(850, 1150);
    });
  }
}
