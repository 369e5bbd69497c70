package dev.heddle.transport.roce;

import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.PathSelector;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.spi.TransportProtocolProvider;
import dev.heddle.transport.roce.RoceTransportProvider.Swift;
import dev.heddle.units.RandomStream;
import dev.heddle.units.SimTime;

/**
 * Provides a transport in the manner of EFA's Scalable Reliable Datagram, as far as AWS has described it: packets spray
 * over up to 64 paths, arrive in any order, and are repeated selectively within a millisecond; the rate of a connection
 * follows its round-trip time [Shalev et al., IEEE Micro 40(6), 2020; AWS HPC blog]. The rule of the rate is not
 * public: Swift's target delay stands for it.
 */
@Plugin(id = "srd",
    description = "In the manner of EFA's SRD: unordered packets sprayed over paths, delay-based window")
public final class SrdTransportProvider implements TransportProtocolProvider<SrdTransportProvider.Settings> {
  private static final String AWS = "Shalev et al., A Cloud-Optimized Transport Protocol, IEEE Micro 40(6), 2020";

  /**
   * Settings of the transport.
   *
   * @param paths entropy values per connection
   * @param timeout time after which a packet is taken for lost
   * @param delay parameters of the window, which aims at a delay
   */
  public record Settings(
      @Setting(value = "entropy values per connection, where switches route by hash", def = "64", min = "1",
          max = "65536", source = AWS) int paths,
      @Setting(value = "time after which a packet is taken for lost", def = "500 us", min = "1 us", max = "10 s",
          source = "AWS: repeats in less than a millisecond; half of it taken") SimTime timeout,
      @Setting(value = "parameters of the window, which aims at a delay", def = "{}",
          source = "not public; those of Swift") Swift delay) {
    /** The defaults. */
    public static Settings defaults() {
      return new Settings(64, SimTime.parse("500 us"), Swift.defaults());
    }
  }

  private record SrdTransport(Settings settings) implements TransportProtocol {
    @Override
    public LossRecovery lossRecovery() {
      return LossRecovery.SELECTIVE_REPEAT;
    }

    @Override
    public CongestionControl connect(ConnectionPath path) {
      return new SwiftControl(path, settings.delay());
    }

    @Override
    public PathSelector paths(ConnectionPath path, RandomStream random) {
      return new SprayedPaths(settings.paths(), random);
    }

    @Override
    public int pathCount() {
      return settings.paths();
    }

    @Override
    public long timeoutPs(ConnectionPath path) {
      return Math.max(settings.timeout().ps(), 2 * path.baseRttPs());
    }
  }

  @Override
  public TransportProtocol create(Settings settings) {
    return new SrdTransport(settings);
  }
}
