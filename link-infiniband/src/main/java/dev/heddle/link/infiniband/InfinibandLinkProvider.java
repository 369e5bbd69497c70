package dev.heddle.link.infiniband;

import com.google.common.collect.ImmutableList;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Link.Gid;
import dev.heddle.spi.LinkProvider;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Optional;

/**
 * Provider of InfiniBand links: packets with their headers and checksums, credits per virtual lane, and the
 * acknowledgements of reliable connections. A virtual channel is a virtual lane; traffic class c uses lane c modulo the
 * number of lanes.
 */
@Plugin(id = "infiniband", description = "An InfiniBand link, SDR to XDR, with credits per virtual lane")
public final class InfinibandLinkProvider implements LinkProvider<InfinibandLinkProvider.Settings> {
  private static final List<Integer> WIDTHS = List.of(1, 2, 4, 8, 12);

  /**
   * Settings of an InfiniBand link.
   *
   * @param generation signalling rate and coding of a lane
   * @param lanes 1, 2, 4, 8 or 12
   * @param rate data rate after line coding; absent: by generation and lanes
   * @param mtu largest payload, a power of two from 256 B to 4 KiB
   * @param payloadLimit largest payload if it differs from the MTU
   * @param globalRoute whether packets carry a global route header
   * @param firstHeader additional bytes of the first packet of a burst
   * @param overhead bytes added to each packet, in place of those of the protocol
   * @param ackFactor packets per acknowledgement; 0: none
   * @param cableLength in metres
   * @param delayPerMetre propagation delay of the cable
   * @param phyLatency latency of SerDes and error correction at both ends
   * @param virtualLanes number of virtual lanes, each with a buffer
   * @param buffer of a virtual lane
   * @param creditReturn time until the sender knows of a freed buffer
   * @param loss share of packets that are lost
   * @param gids addresses with which NICs on converged Ethernet may send
   */
  public record Settings(
      @Setting(value = "generation; gives a lane's signalling rate and coding", def = "edr") Generation generation,
      @Setting(value = "lanes: 1, 2, 4, 8 or 12", def = "4", min = "1", max = "12") int lanes,
      @Setting("data rate after line coding; without it, as generation and lanes say") Optional<DataRate> rate,
      @Setting(value = "largest payload of a packet, a power of two", def = "4 KiB", min = "256 B",
          max = "4 KiB") DataSize mtu,
      @Setting("largest payload of a packet where it is not the MTU;"
          + " 4032 B in [SAURON §3.1]") Optional<DataSize> payloadLimit,
      @Setting(value = "whether packets carry a global route header of 40 B", def = "false") boolean globalRoute,
      @Setting(value = "bytes that the first packet of a unit carries besides, such as the 16 B of an RDMA header; "
          + "set it to 0 B where every packet is a unit",
          def = "16 B", max = "64 B",
          source = "InfiniBand Architecture Specification vol. 1 §9.3") DataSize firstHeader,
      @Setting("bytes that each packet adds, in place of those that follow from the protocol;"
          + " 64 B in [SAURON §3.1]") Optional<DataSize> overhead,
      @Setting(value = "packets per acknowledgement, which occupies the opposite direction; 0: none", def = "1",
          min = "0", max = "1024") int ackFactor,
      @Setting(value = "length of the cable in metres", def = "2", min = "0", max = "100000") int cableLength,
      @Setting(value = "propagation delay of a metre", def = "5 ns",
          source = "NVIDIA DGX SuperPOD cabling guide: roughly 5 ns per metre") SimTime delayPerMetre,
      @Setting(value = "latency of both ends' SerDes and error correction, beyond what the switch's own latency holds; "
          + "RS-FEC adds up to 120 ns [NVIDIA DGX SuperPOD cabling guide]",
          def = "0 s") SimTime phyLatency,
      @Setting(value = "virtual lanes, each with a buffer of its own", def = "1", min = "1",
          max = "8") int virtualLanes,
      @Setting(value = "receiver's buffer of a virtual lane", def = "64 KiB", min = "64 B",
          max = "128 KiB") DataSize buffer,
      @Setting("time until a freed buffer is known to the sender; without it,"
          + " the latency and a flow-control packet") Optional<SimTime> creditReturn,
      @Setting(value = "share of packets that do not arrive, and are sent again; packet fidelity only", def = "0",
          max = "100 %") Fraction loss,
      @Setting("addresses by which a NIC on converged Ethernet may send, by index;"
          + " its overhead is that of v2-ipv4") List<Gid> gids) {
    /** Copies the list. */
    public Settings {
      gids = ImmutableList.copyOf(gids);
    }

    /** A link of a generation and a number of lanes, with the other defaults. */
    public static Settings of(Generation generation, int lanes) {
      return new Settings(
          generation, lanes, Optional.empty(), DataSize.ofKiB(4), Optional.empty(), false, DataSize.ofBytes(16),
          Optional.empty(), 1, 2, SimTime.parse("5 ns"), SimTime.ZERO, 1, DataSize.ofKiB(64), Optional.empty(),
          Fraction.of(0), List.of());
    }
  }

  /** Generations, by the signalling rate of a lane. */
  public enum Generation {
    /** 2.5 Gb/s, 8b/10b. */
    SDR,
    /** 5 Gb/s, 8b/10b. */
    DDR,
    /** 10 Gb/s, 8b/10b; 4x carry 32 Gb/s. */
    QDR,
    /** 10.3125 Gb/s, 64b/66b; 4x carry 40 Gb/s. */
    FDR10,
    /** 14.0625 Gb/s, 64b/66b; 4x carry 54.5 Gb/s. */
    FDR,
    /** 25.78125 Gb/s, 64b/66b; 4x carry 100 Gb/s. */
    EDR,
    /** 53.125 Gb/s PAM4, 256b/257b and RS(544, 514); 4x carry 200 Gb/s. */
    HDR,
    /** 106.25 Gb/s PAM4; 4x carry 400 Gb/s. */
    NDR,
    /** 212.5 Gb/s PAM4; 4x carry 800 Gb/s. */
    XDR
  }

  @Override
  public Link create(Settings settings) {
    if (!WIDTHS.contains(settings.lanes())) {
      throw new InvalidSettingException("lanes", settings.lanes() + " lanes; an InfiniBand link has one of " + WIDTHS);
    }
    if (Long.bitCount(settings.mtu().bytes()) != 1) {
      throw new InvalidSettingException("mtu", settings.mtu() + "; one of 256, 512, 1024, 2048 and 4096 B is needed");
    }
    long limit = settings.payloadLimit().orElse(settings.mtu()).bytes();
    if (limit < 1 || limit > settings.mtu().bytes()) {
      throw new InvalidSettingException(
          "payloadLimit", limit + " B; it must be 1 B to the MTU of " + settings.mtu());
    }
    if (settings.overhead().map(DataSize::bytes).orElse(0L) > 1 << 16) {
      throw new InvalidSettingException("overhead", settings.overhead().get() + "; at most 64 KiB");
    }
    InfinibandLink link = new InfinibandLink(settings);
    long packet = link.wireBytes((int) limit, 0);
    if (settings.buffer().bytes() < packet) {
      throw new InvalidSettingException(
          "buffer", settings.buffer() + "; a packet of " + packet + " B with its headers must fit");
    }
    return link;
  }
}
