package dev.heddle.docs;

// sample: provider
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.spi.SwitchProvider;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;

/** Provides a switch that stores packets, with one buffer per input and a fixed latency. */
@Plugin(id = "fixed-latency", description = "A store-and-forward switch with a fixed latency")
public final class FixedSwitchProvider implements SwitchProvider<FixedSwitchProvider.Settings> {
  /**
   * The settings of the switch.
   *
   * @param latency of a packet that has arrived whole
   * @param buffer of each input
   */
  public record Settings(
      @Setting(value = "time from a packet's arrival to its departure", def = "300 ns") SimTime latency,
      @Setting(value = "buffer of each input", def = "64 KiB", min = "1 B", max = "1 GiB") DataSize buffer) {}

  private record FixedSwitch(long latencyPs, int inputBufferBytes) implements Switch {
    @Override
    public Switching switching() {
      return Switching.STORE_AND_FORWARD;
    }

    @Override
    public Buffering buffering() {
      return Buffering.VIRTUAL_OUTPUT;
    }

    @Override
    public Arbitration arbitration() {
      return Arbitration.ROUND_ROBIN;
    }

    @Override
    public int outputBufferBytes() {
      return 0;
    }
  }

  @Override
  public Switch create(Settings settings) {
    return new FixedSwitch(settings.latency().ps(), (int) settings.buffer().bytes());
  }
}
// end
