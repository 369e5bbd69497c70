package dev.heddle.transport.uec;

import static dev.heddle.testkit.fixture.Records.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.fabric.Fabric;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.PathSelector;
import dev.heddle.spi.Provider;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.testkit.contract.TransportContract;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.OfferedMessages;
import dev.heddle.testkit.fixture.OfferedMessages.Offer;
import dev.heddle.transport.uec.UecTransportProvider.Control;
import dev.heddle.transport.uec.UecTransportProvider.LoadBalancing;
import dev.heddle.transport.uec.UecTransportProvider.Settings;
import dev.heddle.units.DataSize;
import dev.heddle.units.RandomStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class UecTransportTest extends TransportContract<Settings> {
  @Override
  protected Provider<Settings, TransportProtocol> provider() {
    return new UecTransportProvider();
  }

  @Override
  protected List<Settings> settings() {
    List<Settings> all = new ArrayList<>();
    for (Control control : Control.values()) {
      for (LoadBalancing balancing : LoadBalancing.values()) {
        all.add(with(Settings.of(control), "loadBalancing", balancing, "paths", 16));
      }
      all.add(with(Settings.of(control), "trimming", false));
      all.add(with(Settings.of(control), "initialWindow", Optional.of(DataSize.ofKiB(8)), "acknowledgementBytes",
          DataSize.ZERO));
    }
    all.add(with(Settings.of(Control.RCCC), "oversubscription", 4.0));
    return all;
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(
        with(Settings.of(Control.NSCC), "loadBalancing", LoadBalancing.BITMAP, "paths", 48),
        with(Settings.of(Control.BOTH), "oversubscription", 4.0));
  }

  /**
   * n packets cross two links of a star: n wire times on the first, one on the second, both latencies and the switch.
   */
  @ParameterizedTest
  @EnumSource(names = {"NSCC", "BOTH"})
  void shouldTakeWireTimeAndLatencyWhenOneFlowIsAlone(Control control) {
    Fabric fabric = Fabrics.star(4, Fabrics.virtualOutputSwitch());
    Simulation alone =
        new Simulation("alone", fabric, new OfferedMessages(List.of(new Offer(0, 1, 4 << 20))),
            SimulationOptions.defaults(), 1);
    double free = alone.run().metric("time").orElseThrow().value();
    double controlled =
        alone.with(new UecTransportProvider().create(with(Settings.of(control), "acknowledgementBytes", DataSize.ZERO)))
            .run().metric("time")
            .orElseThrow().value();
    assertThat(controlled).isCloseTo(free, within(0.02 * free));
  }

  @ParameterizedTest
  @EnumSource
  void shouldUseEachOfItsPathsOnceInARoundWhenOblivious(Control control) {
    PathRounds paths = new PathRounds(8, RandomStream.of(1, "paths", control.name()), false);
    for (int round = 0; round < 5; round++) {
      List<Integer> seen = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        seen.add(paths.next());
      }
      assertThat(seen).doesNotHaveDuplicates();
    }
  }

  /** Every path that works is used once more, in the order of its acknowledgements, before another is tried. */
  @Test
  void shouldUseAllPathsAgainThatWorkWhenMixed() {
    UecTransport mixed = new UecTransport(with(Settings.of(Control.NSCC), "loadBalancing", LoadBalancing.MIXED));
    ConnectionPath path = new ConnectionPath(100_000_000_000L, 12_000_000, 4150, 4086, 64, 6);
    PathSelector paths = mixed.paths(path, RandomStream.of(1, "paths", "mixed"));
    List<Integer> sent = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      sent.add(paths.next());
    }
    List<Integer> working = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      boolean marked = i % 3 == 0;
      paths.onAcknowledgement(sent.get(i), marked);
      if (!marked) {
        working.add(sent.get(i));
      }
    }
    List<Integer> again = new ArrayList<>();
    for (int i = 0; i < working.size(); i++) {
      again.add(paths.next());
    }
    assertThat(again).isEqualTo(working);
  }

  @Test
  void shouldPassOverPathWhenItWasTrimmed() {
    PathRounds paths = new PathRounds(4, RandomStream.of(1, "paths", "bitmap"), true);
    int bad = paths.next();
    paths.onTrimmed(bad);
    List<Integer> next = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      next.add(paths.next());
    }
    assertThat(next).doesNotContain(bad);
  }
}
