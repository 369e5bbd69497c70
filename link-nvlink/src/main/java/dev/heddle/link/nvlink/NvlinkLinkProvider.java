package dev.heddle.link.nvlink;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.LinkProvider;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.Optional;

/**
 * Provides NVLink: packets of 16-byte flits, one header flit and up to 16 data flits, over one or more links that a
 * pair of devices uses as one.
 */
@Plugin(id = "nvlink",
    description = "NVLink 1 to 5: flits, headers and payloads of up to 256 B, over one or more links")
public final class NvlinkLinkProvider implements LinkProvider<NvlinkLinkProvider.Settings> {
  /**
   * The settings of an NVLink.
   *
   * @param generation 1 to 5; gives the rate of a link
   * @param links that connect the pair and share its packets
   * @param rate of one link and direction after line coding and error correction; absent: as the generation defines it
   * @param maxPayload largest payload of a packet
   * @param addressExtension whether requests carry an address-extension flit
   * @param latency of the first bit, with the logic of both ends
   * @param buffer receiver's buffer; absent: the power of two that covers the rate of 18 links for the round trip of
   *     credits through an NVSwitch, 0.41 us by the default latencies
   * @param creditReturn time until a freed buffer is known to the sender; absent: the latency
   */
  public record Settings(
      @Setting(value = "generation, 1 (P100) to 5 (B200); gives the rate of a link", def = "4", min = "1",
          max = "5") int generation,
      @Setting(value = "links that connect the pair and share its packets", def = "1", min = "1", max = "72") int links,
      @Setting("rate of one link and direction after coding and error correction; without it, as the generation "
          + "defines it") Optional<DataRate> rate,
      @Setting(value = "largest payload of a packet", def = "256 B", min = "16 B", max = "256 B",
          source = "Foley and Danskin 2017, IEEE Micro 37(2): 1 to 18 flits of 16 B a packet") DataSize maxPayload,
      @Setting(value = "whether requests carry an address-extension flit", def = "false") boolean addressExtension,
      @Setting(value = "time from the first bit's leaving to its arrival, with the logic of both ends",
          def = "150 ns") SimTime latency,
      @Setting(value = "receiver's buffer; must cover the rate for the round trip; without it, 256 KiB, and 512 KiB of "
          + "generation 5", min = "272 B", max = "1 GiB",
          source = "derived: 18 links of generation 5, 900 GB/s, for a round trip of 0.41 us by the default latencies "
              + "have 369 kB on the way, those of generation 4 half of it; no data sheet states "
              + "a buffer") Optional<DataSize> buffer,
      @Setting("time until a freed buffer is known to the sender; without it, the "
          + "latency") Optional<SimTime> creditReturn) {
    /** Links of a generation, with the other defaults. */
    public static Settings of(int generation, int links) {
      return new Settings(
          generation, links, Optional.empty(), DataSize.ofBytes(256), false, SimTime.ofNanos(150),
          Optional.empty(), Optional.empty());
    }

    /** The receiver's buffer: as it is set, or by the generation. */
    DataSize receiverBuffer() {
      return buffer.orElse(DataSize.ofKiB(generation < DOUBLED_RATE ? 256 : 512));
    }
  }

  // The generation from which on a link has twice the rate, so that twice the data are on the way.
  private static final int DOUBLED_RATE = 5;

  // Per link and direction in Gb/s. 1: 8 lanes of 20 Gb/s; 2: 8 of 25; 3: 4 of 50; 4: 2 of 100 after FEC; 5: 2 of 200
  // after FEC [NVIDIA P100, V100, A100, H100 and Blackwell architecture white papers].
  private static final int[] GIGABITS = {160, 200, 200, 200, 400};

  @Override
  public Link create(Settings settings) {
    if (settings.maxPayload().bytes() % NvlinkLink.FLIT_BYTES != 0) {
      throw new InvalidSettingException(
          "maxPayload", settings.maxPayload() + " is no multiple of a flit of " + NvlinkLink.FLIT_BYTES + " B");
    }
    return new NvlinkLink(
        settings, settings.rate().orElse(DataRate.ofGigabitsPerSecond(GIGABITS[settings.generation() - 1])));
  }
}
