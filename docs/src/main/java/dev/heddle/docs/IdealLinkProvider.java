package dev.heddle.docs;

import dev.heddle.spi.Credits;
import dev.heddle.spi.Link;
import dev.heddle.spi.LinkProvider;
// sample: provider
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;
import java.util.List;

/** Provides {@link IdealLink}: a rate, a latency, no overhead, and a receiver that is never full. */
@Plugin(id = "ideal", description = "A link without overhead, for lower bounds")
public final class IdealLinkProvider implements LinkProvider<IdealLinkProvider.Settings> {
  /**
   * The settings, from which come checks, defaults, messages and the reference page.
   *
   * @param rate of the wire
   * @param latency from the sender's first bit to the receiver's
   */
  public record Settings(
      @Setting(value = "rate of the wire", min = "1 Mb/s") DataRate rate,
      @Setting(value = "time from the sender's first bit to the receiver's", def = "0 s") SimTime latency) {}

  @Override
  public Link create(Settings settings) {
    return new IdealLink(settings.rate(), settings.latency().ps());
  }
  // end

  // sample: product
  private record IdealLink(DataRate rate, long latencyPs) implements Link {
    @Override
    public int maxPayloadBytes() {
      return 4096;
    }

    @Override
    public long wirePs(int payloadBytes, int trafficClass) {
      return rate.wirePs(wireBytes(payloadBytes, trafficClass));
    }

    @Override
    public long wireBytes(int payloadBytes, int trafficClass) {
      return Math.max(1, checked(payloadBytes));
    }

    @Override
    public long headPs(int payloadBytes, int trafficClass) {
      return wirePs(Math.min(payloadBytes, maxPayloadBytes()), trafficClass);
    }

    @Override
    public long ackPs(int payloadBytes, int trafficClass) {
      checked(payloadBytes);
      return 0;
    }

    @Override
    public List<Credits> credits() {
      return List.of(Credits.unlimited());
    }

    private static int checked(int payloadBytes) {
      if (payloadBytes < 0) {
        throw new IllegalArgumentException("payload must be at least 0 bytes: " + payloadBytes);
      }
      return payloadBytes;
    }
  }
  // end
}
