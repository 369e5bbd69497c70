package dev.heddle.link.ethernet;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.LinkModel;
import dev.heddle.spi.LinkProvider;
import dev.heddle.spi.Medium;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.Optional;

/**
 * Provides Ethernet links for a transport protocol: frames without credits. Queues before a link are those of its
 * switch.
 */
@Plugin(id = "ethernet", description = "An Ethernet link without credits, for a transport protocol")
public final class EthernetLinkProvider implements LinkProvider<EthernetLinkProvider.Settings> {
  /**
   * Settings of a link.
   *
   * @param rate of data
   * @param latency of the cable and both ends
   * @param mtu largest payload of a packet
   * @param overhead bytes that each packet adds
   * @param loss share of packets that do not arrive
   */
  public record Settings(
      @Setting("data rate") DataRate rate,
      @Setting(value = "latency of the cable and both ends", def = "500 ns") SimTime latency,
      @Setting(value = "largest payload of a packet", def = "4 KiB", min = "256 B", max = "9000 B") DataSize mtu,
      @Setting(value = "bytes that each packet adds: preamble and gap 20, Ethernet 18, IPv4 20, UDP 8, transport 16",
          def = "82 B", max = "256 B",
          source = "IEEE 802.3 clause 3 and 4.4; RFC 791; RFC 768; InfiniBand Architecture Specification vol. 1 "
              + "annex A17") DataSize overhead,
      @Setting(value = "share of packets that do not arrive", def = "0", max = "99 %") Fraction loss) {}

  @Override
  public Link create(Settings settings) {
    if (settings.rate().bitsPerSecond() <= 0) {
      throw new InvalidSettingException("rate", settings.rate() + "; a link needs a rate above 0");
    }
    return new LinkModel(
        settings.rate(), settings.latency(), settings.mtu(), settings.overhead(), Optional.empty(), Optional.empty(), 1,
        Medium.NETWORK, settings.loss(), "");
  }
}
