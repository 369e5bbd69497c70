package dev.heddle.link.infiniband;

import com.google.common.collect.ImmutableList;
import dev.heddle.link.infiniband.InfinibandLinkProvider.Settings;
import dev.heddle.spi.Credits;
import dev.heddle.spi.Link;
import dev.heddle.spi.Link.Gid;
import dev.heddle.units.DataRate;
import java.util.Collections;
import java.util.List;

/**
 * An InfiniBand link. A packet of a reliable connection has a local route header (8 bytes), a global route header if
 * enabled (40), a base transport header (12), the payload in words of 4 bytes, an invariant checksum (4) and a variant
 * checksum (2) [InfiniBand Architecture Specification vol. 1, §5.2]. An acknowledgement has a header of 4 more bytes
 * and no payload.
 */
final class InfinibandLink implements Link {
  private static final int LOCAL_ROUTE_HEADER = 8;
  private static final int GLOBAL_ROUTE_HEADER = 40;
  private static final int BASE_TRANSPORT_HEADER = 12;
  private static final int CHECKSUMS = 4 + 2;
  private static final int ACK_HEADER = 4;
  private static final int FLOW_CONTROL_PACKET = 8;
  private static final int WORD_BYTES = 4;
  private static final int CREDIT_BLOCK = 64;

  private final DataRate rate;
  private final long latencyPs;
  private final int payloadLimit;
  private final int overhead;
  private final int firstHeader;
  private final int ackFactor;
  private final int ackBytes;
  private final DataRate ackRate;
  private final ImmutableList<Credits> credits;
  private final double loss;
  private final ImmutableList<Gid> gids;

  InfinibandLink(Settings settings) {
    this.rate = settings.rate().orElseGet(() -> Speed.of(settings.generation()).dataRate(settings.lanes()));
    this.latencyPs = Math.addExact(
        Math.multiplyExact(settings.delayPerMetre().ps(), settings.cableLength()), settings.phyLatency().ps());
    this.payloadLimit = (int) settings.payloadLimit().orElse(settings.mtu()).bytes();
    int headers = LOCAL_ROUTE_HEADER + (settings.globalRoute() ? GLOBAL_ROUTE_HEADER : 0) + BASE_TRANSPORT_HEADER
        + CHECKSUMS;
    boolean fixed = settings.overhead().isPresent();
    this.overhead = fixed ? (int) settings.overhead().get().bytes() : headers;
    this.firstHeader = fixed ? 0 : (int) settings.firstHeader().bytes();
    this.ackFactor = settings.ackFactor();
    this.ackBytes = headers + ACK_HEADER;
    this.ackRate = DataRate.ofBitsPerSecond(Math.multiplyExact(rate.bitsPerSecond(), Math.max(1L, ackFactor)));
    this.loss = settings.loss().value();
    this.gids = ImmutableList.copyOf(settings.gids());
    long returnPs = settings.creditReturn().isPresent()
        ? settings.creditReturn().get().ps()
        : latencyPs + rate.wirePs(FLOW_CONTROL_PACKET);
    Credits lane =
        new Credits((int) settings.buffer().bytes(), Credits.UNLIMITED, CREDIT_BLOCK, true, returnPs);
    this.credits = ImmutableList.copyOf(Collections.nCopies(settings.virtualLanes(), lane));
  }

  @Override
  public DataRate rate() {
    return rate;
  }

  @Override
  public long latencyPs() {
    return latencyPs;
  }

  @Override
  public int maxPayloadBytes() {
    return payloadLimit;
  }

  @Override
  public long wirePs(int payloadBytes, int trafficClass) {
    return rate.wirePs(wireBytes(payloadBytes, trafficClass));
  }

  @Override
  public long wireBytes(int payloadBytes, int trafficClass) {
    long packets = packets(payloadBytes);
    long full = packets - 1;
    long last = payloadBytes - full * payloadLimit;
    return full * inWords(payloadLimit) + inWords(last) + packets * overhead + firstHeader;
  }

  @Override
  public long headPs(int payloadBytes, int trafficClass) {
    requirePayload(payloadBytes);
    return wirePs(Math.min(payloadBytes, payloadLimit), trafficClass);
  }

  @Override
  public long ackPs(int payloadBytes, int trafficClass) {
    long packets = packets(payloadBytes);
    return ackFactor == 0 ? 0 : ackRate.wirePs(packets * ackBytes);
  }

  @Override
  public double loss() {
    return loss;
  }

  @Override
  public List<Gid> gids() {
    return gids;
  }

  @Override
  public String network() {
    return gids.isEmpty() ? "infiniband" : "roce";
  }

  @Override
  public List<Credits> credits() {
    return credits;
  }

  private static long inWords(long payloadBytes) {
    return (payloadBytes + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
  }

  private static void requirePayload(int payloadBytes) {
    if (payloadBytes < 0) {
      throw new IllegalArgumentException("payload must be at least 0 bytes: " + payloadBytes);
    }
  }
}
