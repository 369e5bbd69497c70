package dev.heddle.link.infiniband;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.link.infiniband.InfinibandSwitchProvider.Congestion;
import dev.heddle.link.infiniband.InfinibandSwitchProvider.Settings;
import dev.heddle.spi.Provider;
import dev.heddle.spi.QueuePolicy;
import dev.heddle.spi.Switch;
import dev.heddle.testkit.contract.SwitchContract;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class InfinibandSwitchTest extends SwitchContract<Settings> {
  @Override
  protected Provider<Settings, Switch> provider() {
    return new InfinibandSwitchProvider();
  }

  /** Weights divide the buffer evenly, 0 marks nothing, and one packet of those between two marks and one is marked. */
  @Test
  void shouldMarkAboveThresholdOfWeight() {
    for (int weight = 0; weight <= 15; weight++) {
      Settings settings = new Settings(
          SimTime.parse("90 ns"), Switch.Switching.CUT_THROUGH, Switch.Buffering.VIRTUAL_OUTPUT,
          Switch.Arbitration.ROUND_ROBIN, DataSize.ZERO, DataSize.ZERO,
          Optional.of(new Congestion(weight, 9, DataSize.ofKiB(64))));
      Optional<QueuePolicy.Marking> marking = product(settings).queuePolicy().marking();
      assertThat(marking.isPresent()).isEqualTo(weight > 0);
      long expected = (16 - weight) * 4096;
      marking.ifPresent(each -> {
        assertThat(each.minBytes()).isEqualTo(expected);
        assertThat(each.maxProbability()).isEqualTo(0.1);
      });
    }
  }

  @Override
  protected List<Settings> settings() {
    return List.of(
        new Settings(
            SimTime.parse("90 ns"), Switch.Switching.CUT_THROUGH, Switch.Buffering.VIRTUAL_OUTPUT,
            Switch.Arbitration.ROUND_ROBIN, DataSize.ZERO, DataSize.ZERO, Optional.empty()),
        new Settings(
            SimTime.parse("130 ns"), Switch.Switching.STORE_AND_FORWARD, Switch.Buffering.INPUT,
            Switch.Arbitration.AGE, DataSize.ofKiB(32), DataSize.ZERO,
            Optional.of(new Congestion(15, 10, DataSize.ofKiB(64)))),
        new Settings(
            SimTime.parse("150 ns"), Switch.Switching.CUT_THROUGH, Switch.Buffering.OUTPUT,
            Switch.Arbitration.FIXED_PRIORITY, DataSize.ofKiB(32), DataSize.ofKiB(32),
            Optional.of(new Congestion(0, 0, DataSize.ofKiB(64)))));
  }
}
