package dev.heddle.standard.link;

import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.spi.SwitchModel;
import dev.heddle.spi.SwitchProvider;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;

/** Provides the switch of no vendor: latency, switching mode, buffering and arbitration. */
@Plugin(id = "generic", description = "A switch of no vendor: latency, switching mode, buffering and arbitration")
public final class GenericSwitchProvider implements SwitchProvider<GenericSwitchProvider.Settings> {
  /**
   * The settings of a generic switch.
   *
   * @param latency from eligibility at an input to the earliest departure
   * @param switching condition for a burst's eligibility
   * @param buffering queues in which bursts wait
   * @param arbitration order of requests
   * @param inputBuffer of each input and virtual channel; 0: as given by the incoming link's credits
   * @param outputBuffer of each output and virtual channel, for output buffering; 0: unlimited
   */
  public record Settings(
      @Setting(value = "time from a burst's eligibility to its earliest departure", def = "0 s") SimTime latency,
      @Setting(value = "condition under which a burst may be forwarded",
          def = "cut-through") Switch.Switching switching,
      @Setting(value = "queues in which bursts wait for an output", def = "virtual-output") Switch.Buffering buffering,
      @Setting(value = "order of the requests of one instant",
          def = "round-robin") Switch.Arbitration arbitration,
      @Setting(value = "buffer of each input and virtual channel; 0: as given by the incoming link's "
          + "credits", def = "0 B",
          max = "1 GiB") DataSize inputBuffer,
      @Setting(value = "buffer of each output and virtual channel with output buffering; 0: unlimited", def = "0 B",
          max = "1 GiB") DataSize outputBuffer) {
    /** A switch with the given latency and buffering, and otherwise the defaults. */
    public static Settings of(SimTime latency, Switch.Buffering buffering) {
      return new Settings(
          latency, Switch.Switching.CUT_THROUGH, buffering, Switch.Arbitration.ROUND_ROBIN, DataSize.ZERO,
          DataSize.ZERO);
    }
  }

  @Override
  public Switch create(Settings settings) {
    return new SwitchModel(
        settings.latency().ps(), settings.switching(), settings.buffering(), settings.arbitration(),
        (int) settings.inputBuffer().bytes(), (int) settings.outputBuffer().bytes());
  }
}
