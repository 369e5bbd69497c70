package dev.heddle.link.nvlink;

import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.spi.SwitchModel;
import dev.heddle.spi.SwitchProvider;
import dev.heddle.units.SimTime;

/** Provides NVSwitch: a non-blocking crossbar with cut-through forwarding and round-robin arbitration. */
@Plugin(id = "nvswitch", description = "NVSwitch: cut-through, virtual output queues, round robin")
public final class NvswitchProvider implements SwitchProvider<NvswitchProvider.Settings> {
  /**
   * The settings of an NVSwitch.
   *
   * @param latency from a burst's eligibility to its earliest departure
   */
  public record Settings(
      @Setting(value = "time from a burst's eligibility to its earliest departure", def = "100 ns",
          source = "a choice within the 0.1 to 0.3 us by which a crossing lengthens small writes; no data sheet "
              + "states it") SimTime latency) {}

  @Override
  public Switch create(Settings settings) {
    return new SwitchModel(
        settings.latency().ps(), Switch.Switching.CUT_THROUGH, Switch.Buffering.VIRTUAL_OUTPUT,
        Switch.Arbitration.ROUND_ROBIN, 0, 0);
  }
}
