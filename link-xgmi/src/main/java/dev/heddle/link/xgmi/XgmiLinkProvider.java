package dev.heddle.link.xgmi;

import dev.heddle.spi.Link;
import dev.heddle.spi.LinkProvider;
import dev.heddle.spi.Medium;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.Optional;

/**
 * Provides xGMI: cache lines with their routing and error-detection overhead, over one or more links that a pair uses
 * as one.
 */
@Plugin(id = "xgmi",
    description = "xGMI, AMD's Infinity Fabric between packages: cache lines with overhead, over one or more links")
public final class XgmiLinkProvider implements LinkProvider<XgmiLinkProvider.Settings> {
  /**
   * The settings of an xGMI connection.
   *
   * @param links that connect the pair and share its packets
   * @param lanes of a link
   * @param laneRate of one lane and direction
   * @param maxPayload largest payload of a packet
   * @param overhead bytes that each packet adds
   * @param latency of the first bit, with the logic of both ends
   * @param buffer receiver's buffer per virtual channel
   * @param creditReturn time until a freed buffer is known to the sender; absent: the latency
   * @param virtualChannels with a buffer each
   * @param medium whether it joins accelerators or an accelerator and its host
   */
  public record Settings(
      @Setting(value = "links that connect the pair and share its packets", def = "1", min = "1", max = "16") int links,
      @Setting(value = "lanes of a link", def = "16", min = "1", max = "32") int lanes,
      @Setting(value = "rate of one lane and direction", def = "32 Gb/s",
          source = "AMD CDNA 3 white paper: 16 lanes of 32 Gb/s; CDNA 2: 16 lanes of 25 Gb/s") DataRate laneRate,
      @Setting(value = "largest payload of a packet", def = "64 B", min = "32 B", max = "4 KiB",
          source = "a cache line of half of 128 B, the least that the fabric moves") DataSize maxPayload,
      @Setting(value = "bytes that each packet adds for routing, protection and flow control", def = "20 B",
          max = "256 B",
          source = "a choice: AMD does not publish it; pairs of MI250X reach 74 to 78 % of their links' rate "
              + "[lumi_mi250x, OSU device to device], which 64 of 84 B are") DataSize overhead,
      @Setting(value = "time from the first bit's leaving to its arrival, with the logic of both ends",
          def = "200 ns") SimTime latency,
      @Setting(value = "receiver's buffer per virtual channel; must cover the rate for the round trip", def = "256 KiB",
          min = "512 B", max = "1 GiB") DataSize buffer,
      @Setting("time until a freed buffer is known to the sender; without it, the "
          + "latency") Optional<SimTime> creditReturn,
      @Setting(value = "virtual channels, each with a separate buffer; a path through n accelerators takes n of them",
          def = "4", min = "1", max = "8") int virtualChannels,
      @Setting(value = "devices that it joins: accelerators (peer), an accelerator and its host (coherent), or "
          + "CPUs (socket)",
          def = "peer") Medium medium) {
    /** Links of a lane rate, with the other defaults. */
    public static Settings of(int links, DataRate laneRate) {
      return new Settings(
          links, 16, laneRate, DataSize.ofBytes(64), DataSize.ofBytes(20), SimTime.ofNanos(200), DataSize.ofKiB(256),
          Optional.empty(), 4, Medium.PEER);
    }
  }

  @Override
  public Link create(Settings settings) {
    long linkRate = Math.multiplyExact(settings.laneRate().bitsPerSecond(), (long) settings.lanes());
    return new XgmiLink(settings, DataRate.ofBitsPerSecond(linkRate));
  }
}
