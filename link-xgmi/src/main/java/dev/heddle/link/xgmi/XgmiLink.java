package dev.heddle.link.xgmi;

import dev.heddle.spi.Credits;
import dev.heddle.spi.Link;
import dev.heddle.spi.Medium;
import dev.heddle.units.DataRate;
import java.util.Collections;
import java.util.List;

/**
 * A bundle of xGMI links between two devices. A packet crosses one of them; the packets of a unit are spread over all.
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
    return settings.latency().ps();
  }

  @Override
  public int maxPayloadBytes() {
    return (int) settings.maxPayload().bytes();
  }

  @Override
  public long wirePs(int payloadBytes, int trafficClass) {
    return Math.max(headPs(payloadBytes, trafficClass), rate().wirePs(wireBytes(payloadBytes, trafficClass)));
  }

  @Override
  public long wireBytes(int payloadBytes, int trafficClass) {
    return payloadBytes + packets(payloadBytes) * settings.overhead().bytes();
  }

  @Override
  public long headPs(int payloadBytes, int trafficClass) {
    requirePayload(payloadBytes);
    return Math.max(1, linkRate.wirePs(Math.min(payloadBytes, maxPayloadBytes()) + settings.overhead().bytes()));
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
