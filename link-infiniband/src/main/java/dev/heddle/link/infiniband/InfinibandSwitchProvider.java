package dev.heddle.link.infiniband;

import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.spi.SwitchModel;
import dev.heddle.spi.SwitchProvider;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;

/** Provider of InfiniBand switches: cut-through, with port-to-port latencies of data sheets as presets. */
@Plugin(id = "infiniband", description = "An InfiniBand switch: cut-through, credits per virtual lane")
public final class InfinibandSwitchProvider implements SwitchProvider<InfinibandSwitchProvider.Settings> {
  /**
   * Settings of an InfiniBand switch.
   *
   * @param latency from port to port
   * @param switching time at which a packet may be forwarded
   * @param buffering place at which packets wait
   * @param arbitration order among waiting packets
   * @param inputBuffer of each input and virtual lane; 0: by the credits of the incoming link
   * @param outputBuffer of each output and virtual lane with output buffering; 0: unlimited
   */
  public record Settings(
      @Setting(value = "port-to-port latency", def = "90 ns",
          source = "Mellanox SB7800 product brief, EDR: 90 ns; presets give those of HDR and NDR") SimTime latency,
      @Setting(value = "when a packet may be forwarded", def = "cut-through",
          source = "Mellanox SB7800 product brief") Switch.Switching switching,
      @Setting(value = "where packets wait for an output", def = "virtual-output") Switch.Buffering buffering,
      @Setting(value = "who goes first among the requests of one instant",
          def = "round-robin") Switch.Arbitration arbitration,
      @Setting(value = "buffer of each input and virtual lane; 0: as the incoming link's credits say", def = "0 B",
          max = "1 GiB") DataSize inputBuffer,
      @Setting(value = "buffer of each output and virtual lane with output buffering; 0: unlimited", def = "0 B",
          max = "1 GiB") DataSize outputBuffer) {}

  @Override
  public Switch create(Settings settings) {
    return new SwitchModel(
        settings.latency().ps(), settings.switching(), settings.buffering(), settings.arbitration(),
        (int) settings.inputBuffer().bytes(), (int) settings.outputBuffer().bytes());
  }
}
