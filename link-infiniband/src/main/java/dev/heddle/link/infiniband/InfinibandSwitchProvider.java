package dev.heddle.link.infiniband;

import dev.heddle.spi.Plugin;
import dev.heddle.spi.QueuePolicy;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.spi.SwitchModel;
import dev.heddle.spi.SwitchProvider;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Optional;

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
   * @param congestion marks of congestion control; absent: none
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
          max = "1 GiB") DataSize outputBuffer,
      @Setting("marks under a transport (FECN); without them, none") Optional<Congestion> congestion) {}

  /**
   * Marks of congestion control [InfiniBand Architecture Specification vol. 1, annex A10].
   *
   * @param threshold weight of the queue that marks, 0 for none to 15
   * @param markingRate packets between marks in the mean
   * @param buffer that the weights divide
   */
  public record Congestion(
      @Setting(value = "weight of the threshold: 0 marks nothing, 1 the queue of most of the buffer, 15 of a sixteenth",
          def = "15", min = "0", max = "15", source = CC_MGR) int threshold,
      @Setting(value = "packets between two that are marked, in the mean (Marking_Rate)", def = "10", min = "0",
          max = "65535", source = CC_MGR) int markingRate,
      @Setting(value = "buffer of an output that the weights divide into sixteenths; sizes are not public",
          def = "64 KiB", min = "1 KiB", max = "1 GiB") DataSize buffer) {}

  private static final String CC_MGR = "MLNX_OFED user manual rev. 2.3, congestion control manager";
  private static final int WEIGHTS = 16;

  @Override
  public Switch create(Settings settings) {
    SwitchModel model = new SwitchModel(
        settings.latency().ps(), settings.switching(), settings.buffering(), settings.arbitration(),
        (int) settings.inputBuffer().bytes(), (int) settings.outputBuffer().bytes());
    Congestion congestion = settings.congestion().orElse(null);
    if (congestion == null || congestion.threshold() == 0) {
      return model;
    }
    QueuePolicy.Marking marking = new QueuePolicy.Marking(
        congestion.buffer().bytes() * (WEIGHTS - congestion.threshold()) / WEIGHTS, Long.MAX_VALUE,
        1.0 / (1 + congestion.markingRate()), true);
    return new InfinibandSwitch(model, new QueuePolicy(
        Long.MAX_VALUE, Long.MAX_VALUE, 1, Optional.of(marking), false, Optional.empty(), List.of(), 0));
  }
}
