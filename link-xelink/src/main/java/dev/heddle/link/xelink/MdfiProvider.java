package dev.heddle.link.xelink;

import dev.heddle.spi.Link;
import dev.heddle.spi.LinkProvider;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.Optional;

/** Provides MDFI, the multi-die fabric that joins the tiles of a GPU. */
@Plugin(id = "mdfi", description = "MDFI between the tiles of a GPU, whose directions may share bandwidth")
public final class MdfiProvider implements LinkProvider<MdfiProvider.Settings> {
  /**
   * The settings of the connection. Neither its packets nor their overhead are published, so that rates are those of
   * payload.
   *
   * @param rate payload of one direction while the other is idle
   * @param bothWays payload of both directions together while both are busy; absent: twice the rate
   * @param latency of the first bit, with the logic of both ends
   * @param maxPayload largest payload of a packet
   * @param buffer receiver's buffer per virtual channel
   * @param virtualChannels with a buffer each
   */
  public record Settings(
      @Setting(value = "payload of one direction while the other is idle", def = "220 GB/s",
          source = "[ALCF §2]: about 220 GB/s") DataRate rate,
      @Setting("payload of both directions together while both are busy; without it, twice "
          + "the rate") Optional<DataRate> bothWays,
      @Setting(value = "time from the first bit's leaving to its arrival, with the logic of both ends", def = "150 ns",
          source = "a choice: none is published") SimTime latency,
      @Setting(value = "largest payload of a packet", def = "256 B", min = "32 B", max = "4 KiB",
          source = "a choice: none is published") DataSize maxPayload,
      @Setting(value = "receiver's buffer per virtual channel; must cover the rate for the round trip", def = "1 MiB",
          min = "4 KiB", max = "1 GiB") DataSize buffer,
      @Setting(value = "virtual channels, each with a separate buffer; a path through n tiles takes n of them",
          def = "4", min = "1", max = "8") int virtualChannels) {
    /** A rate, with the other defaults. */
    public static Settings of(DataRate rate, Optional<DataRate> bothWays) {
      return new Settings(
          rate, bothWays, SimTime.parse("150 ns"), DataSize.ofBytes(256), DataSize.ofKiB(1024), 4);
    }
  }

  @Override
  public Link create(Settings settings) {
    DataRate twice = DataRate.ofBitsPerSecond(Math.multiplyExact(settings.rate().bitsPerSecond(), 2L));
    return TileLink.of(
        settings.rate(), settings.bothWays().orElse(twice),
        new TileLink.Limits(
            settings.latency(), settings.maxPayload(), settings.buffer(), settings.virtualChannels()));
  }
}
