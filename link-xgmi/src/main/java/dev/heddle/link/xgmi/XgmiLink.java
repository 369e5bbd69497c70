package dev.heddle.link.xgmi;

import dev.heddle.spi.Credits;
import dev.heddle.spi.Link;
import dev.heddle.spi.Medium;
import dev.heddle.units.DataRate;
import java.util.Collections;
import java.util.List;

/**
 * A bundle of xGMI links between two devices. Packets, of one burst and of the next, are spread over all links, so that
 * bursts follow each other at the rate of all. A packet crosses one link: the excess over the time of all links
 * together is part of the latency, as for a full packet.
 *
 * @param settings of the bundle
 * @param linkRate of one link and direction
 */
record XgmiLink(XgmiLinkProvider.Settings settings, DataRate linkRate) implements Link {
  @Override
  public DataRate rate() {
    return DataRate.ofBitsPerSecond(Math.multiplyExact(linkRate.bitsPerSecond(), (long) settings.links()));
  }

  @Override
  public long latencyPs() {
    long packet = maxPayloadBytes() + settings.overhead().bytes();
    return settings.latency().ps() + linkRate.wirePs(packet) - rate().wirePs(packet);
  }

  @Override
  public int maxPayloadBytes() {
    return (int) settings.maxPayload().bytes();
  }

  @Override
  public long wirePs(int payloadBytes, int trafficClass) {
    return Math.max(1, rate().wirePs(wireBytes(payloadBytes, trafficClass)));
  }

  @Override
  public long wireBytes(int payloadBytes, int trafficClass) {
    return payloadBytes + packets(payloadBytes) * settings.overhead().bytes();
  }

  @Override
  public long headPs(int payloadBytes, int trafficClass) {
    requirePayload(payloadBytes);
    return Math.max(1, rate().wirePs(Math.min(payloadBytes, maxPayloadBytes()) + settings.overhead().bytes()));
  }

  @Override
  public long ackPs(int payloadBytes, int trafficClass) {
    requirePayload(payloadBytes);
    return 0;
  }

  @Override
  public Medium medium() {
    return settings.medium();
  }

  @Override
  public List<Credits> credits() {
    Credits channel =
        new Credits(
            (int) settings.buffer().bytes(), Credits.UNLIMITED, 1, true,
            settings.creditReturn().orElse(settings.latency()).ps());
    return Collections.nCopies(settings.virtualChannels(), channel);
  }

  private static void requirePayload(int payloadBytes) {
    if (payloadBytes < 0) {
      throw new IllegalArgumentException("payload must be at least 0 bytes: " + payloadBytes);
    }
  }
}
