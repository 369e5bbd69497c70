package dev.heddle.link.nvlink;

import dev.heddle.spi.Credits;
import dev.heddle.spi.Link;
import dev.heddle.spi.Medium;
import dev.heddle.units.DataRate;
import java.util.List;

/**
 * A bundle of NVLinks between two devices. Packets, of one burst and of the next, are spread over all links, so that
 * bursts follow each other at the rate of all. A packet crosses one link: the excess over the time of all links
 * together is part of the latency, as for a full packet.
 *
 * @param settings of the bundle
 * @param linkRate of one link and direction
 */
record NvlinkLink(NvlinkLinkProvider.Settings settings, DataRate linkRate) implements Link {
  static final int FLIT_BYTES = 16;

  // Traffic classes 0 and 1 are writes and read requests, which carry an address; 2 are read completions.
  private static final int READ_REQUEST = 1;

  @Override
  public DataRate rate() {
    return DataRate.ofBitsPerSecond(Math.multiplyExact(linkRate.bitsPerSecond(), (long) settings.links()));
  }

  @Override
  public long latencyPs() {
    long packet = packetBytes(maxPayloadBytes(), 0);
    return settings.latency().ps() + linkRate.wirePs(packet) - rate().wirePs(packet);
  }

  @Override
  public int maxPayloadBytes() {
    return (int) settings.maxPayload().bytes();
  }

  @Override
  public long wirePs(int payloadBytes, int trafficClass) {
    return rate().wirePs(wireBytes(payloadBytes, trafficClass));
  }

  @Override
  public long wireBytes(int payloadBytes, int trafficClass) {
    requirePayload(payloadBytes);
    int full = payloadBytes / maxPayloadBytes();
    int rest = payloadBytes - full * maxPayloadBytes();
    long bytes = full * packetBytes(maxPayloadBytes(), trafficClass);
    return rest > 0 || full == 0 ? bytes + packetBytes(rest, trafficClass) : bytes;
  }

  @Override
  public long headPs(int payloadBytes, int trafficClass) {
    requirePayload(payloadBytes);
    return rate().wirePs(packetBytes(Math.min(payloadBytes, maxPayloadBytes()), trafficClass));
  }

  @Override
  public long ackPs(int payloadBytes, int trafficClass) {
    requirePayload(payloadBytes);
    // Acknowledgements use the 20-bit data-link field of the header flits in the opposite direction [Foley, Danskin].
    return 0;
  }

  @Override
  public Medium medium() {
    return Medium.PEER;
  }

  @Override
  public List<Credits> credits() {
    return List.of(
        new Credits(
            (int) settings.receiverBuffer().bytes(), Credits.UNLIMITED, FLIT_BYTES, true,
            settings.creditReturn().orElse(settings.latency()).ps()));
  }

  // A header flit, an address-extension flit for requests, data rounded up to flits: partial writes are padded rather
  // than sent with a byte-enable flit, which would make them longer than the whole flit.
  private long packetBytes(int payload, int trafficClass) {
    int flits = 1 + (payload + FLIT_BYTES - 1) / FLIT_BYTES;
    if (settings.addressExtension() && trafficClass <= READ_REQUEST) {
      flits++;
    }
    return (long) flits * FLIT_BYTES;
  }

  private static void requirePayload(int payloadBytes) {
    if (payloadBytes < 0) {
      throw new IllegalArgumentException("payload must be at least 0 bytes: " + payloadBytes);
    }
  }
}
