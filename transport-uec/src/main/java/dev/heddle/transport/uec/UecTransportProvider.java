package dev.heddle.transport.uec;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.spi.TransportProtocolProvider;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.Optional;

/**
 * Provides the Ultra Ethernet transport: selective repeat over unordered packets, congestion control by the sender
 * (NSCC), by
 * credits of the receiver (RCCC) or by both, and packet spraying.
 */
@Plugin(id = "uec", description = "Ultra Ethernet transport: NSCC, receiver credits, trimming, packet spraying")
public final class UecTransportProvider implements TransportProtocolProvider<UecTransportProvider.Settings> {
  /** The reference simulator of the Ultra Ethernet Consortium. */
  static final String HTSIM = "ultraethernet/uet-htsim 40ccb05, htsim/sim/uec.cpp";

  /** The end that controls congestion. */
  public enum Control {
    /** The sender, by a window (NSCC). */
    NSCC,
    /** The receiver, by credits (RCCC). */
    RCCC,
    /** Both. */
    BOTH
  }

  /** Spreading of packets over paths. */
  public enum LoadBalancing {
    /** All packets take one path. */
    SINGLE,
    /** All paths in turn, in an order that changes every round. */
    OBLIVIOUS,
    /** As oblivious, but paths that showed congestion are passed over for some rounds. */
    BITMAP,
    /** Paths of unmarked acknowledgements again, else one at random (REPS). */
    REPS,
    /** Paths of unmarked acknowledgements again, else as bitmap. */
    MIXED
  }

  /**
   * Settings of the transport.
   *
   * @param control the end that controls congestion
   * @param loadBalancing how packets spread over paths
   * @param paths entropy values per connection, a power of two
   * @param trimming whether trimmed packets are understood
   * @param acknowledgementBytes bytes on the wire that a receiver collects before it acknowledges them
   * @param initialWindow first window; absent: the largest
   * @param targetDelay queueing delay that NSCC aims at; absent: 0.75 base round-trip times with trimming, 1 without
   * @param timeout time after which a packet is taken for lost; absent: 15 us and six queues of the bandwidth-delay
   * product
   * @param networkRoundTrip base round-trip time of the network; absent: that of the connection's own path
   * @param oversubscription ratio of the fabric to which receivers adapt the rate of their credits; 1: they do not
   */
  public record Settings(
      @Setting(value = "end that controls congestion: the sender by a window (nscc), the receiver by credits (rccc), "
          + "or both",
          def = "nscc") Control control,
      @Setting(value = "how packets spread over paths, where switches route by hash", def = "mixed",
          source = HTSIM) LoadBalancing loadBalancing,
      @Setting(value = "entropy values per connection, a power of two", def = "64", min = "1", max = "65536",
          source = HTSIM) int paths,
      @Setting(value = "whether trimmed packets are understood", def = "true") boolean trimming,
      @Setting(value = "bytes on the wire that a receiver collects before it acknowledges them", def = "16 KiB",
          max = "1 MiB",
          source = HTSIM) DataSize acknowledgementBytes,
      @Setting("first window; without it, the largest") Optional<DataSize> initialWindow,
      @Setting("queueing delay that NSCC aims at; else 0.75 or 1 round trip") Optional<SimTime> targetDelay,
      @Setting("time until a packet is taken for lost; else 15 us and six round trips") Optional<SimTime> timeout,
      @Setting("base round-trip time; without it, that of the own path") Optional<SimTime> networkRoundTrip,
      @Setting(
          value = "oversubscription of the fabric to whose marks and trims receivers adapt the rate of their credits"
              + " (rccc); 1: they grant at the rate of their line",
          def = "1", min = "1", max = "1000", source = "ultraethernet/uet-htsim 40ccb05,"
              + " htsim/sim/oversubscribed_cc.cpp") double oversubscription) {
    /** The defaults, with one end or both in control. */
    public static Settings of(Control control) {
      return new Settings(
          control, LoadBalancing.MIXED, 64, true, DataSize.ofKiB(16), Optional.empty(), Optional.empty(),
          Optional.empty(), Optional.empty(), 1);
    }
  }

  @Override
  public TransportProtocol create(Settings settings) {
    if (Integer.bitCount(settings.paths()) != 1) {
      throw new InvalidSettingException("paths", settings.paths() + "; a power of two is needed");
    }
    if (settings.oversubscription() > 1 && settings.control() != Control.RCCC) {
      throw new InvalidSettingException("oversubscription", "receivers adapt the rate of their credits where they alone"
          + " control congestion; use control: rccc, or leave it out");
    }
    return new UecTransport(settings);
  }
}
