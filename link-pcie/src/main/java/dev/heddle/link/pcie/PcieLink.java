package dev.heddle.link.pcie;

import com.google.common.collect.ImmutableList;
import dev.heddle.link.pcie.PcieLinkProvider.Acknowledgements;
import dev.heddle.link.pcie.PcieLinkProvider.Buffer;
import dev.heddle.link.pcie.PcieLinkProvider.Completion;
import dev.heddle.link.pcie.PcieLinkProvider.Encoding;
import dev.heddle.link.pcie.PcieLinkProvider.Settings;
import dev.heddle.spi.Credits;
import dev.heddle.spi.Link;
import dev.heddle.spi.Medium;
import dev.heddle.units.DataRate;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;

/**
 * The product.
 *
 * <p>A TLP puts on the wire: framing, sequence number and LCRC (8 bytes in all generations without flits; none with
 * them), its header (12 or 16 bytes; completions 12), an ECRC of 4 bytes if any, and its payload in words of 4 bytes. A
 * burst's DLLPs are counted as the exact fraction that falls to its TLPs, so that a burst takes as long as its TLPs one
 * by one, but for rounding. With flits, DLLPs have reserved bytes and cost nothing more.
 */
final class PcieLink implements Link {
  private static final int COMPLETION_CLASS = 2;
  private static final int FRAMING_BYTES = 8;
  private static final int WORD_BYTES = 4;
  private static final int COMPLETION_HEADER_WORDS = 3;
  private static final int CREDIT_BYTES = 16;
  private static final int FLIT_BYTES = 256;

  private final DataRate rate;
  private final long latencyPs;
  private final int maxPayload;
  private final int completionPayload;
  private final int requestOverhead;
  private final int completionOverhead;
  private final Acknowledgements acks;
  private final long dllpBytesNumerator;
  private final long dllpBytesDenominator;
  private final DataRate scaledRate;
  private final ImmutableList<Credits> credits;

  PcieLink(Settings settings) {
    PcieGeneration generation = PcieGeneration.of(settings.generation());
    Encoding encoding = settings.encoding().orElse(generation.encoding());
    DataRate laneRate = settings.laneRate().orElse(DataRate.ofBitsPerSecond(generation.laneBitsPerSecond()));
    boolean flit = encoding == Encoding.FLIT;
    this.rate = rate(laneRate, settings.lanes(), encoding, settings.skip());
    this.latencyPs = settings.latency().ps() + (flit ? flitPs(laneRate, settings.lanes()) : 0);
    this.maxPayload = (int) settings.maxPayload().bytes();
    this.completionPayload = settings.completion() == Completion.MPS
        ? maxPayload
        : Math.min(maxPayload, (int) settings.readCompletionBoundary().bytes());
    this.requestOverhead = overhead(settings, flit, settings.headerWords());
    this.completionOverhead = overhead(settings, flit, COMPLETION_HEADER_WORDS);
    this.acks = settings.acks();
    long perAck = settings.ackFactor();
    long perUpdate = settings.flowControlFactor();
    long dllp = flit ? 0 : settings.dllp().bytes();
    this.dllpBytesNumerator = perUpdate == 0 ? dllp : dllp * (perAck + perUpdate);
    this.dllpBytesDenominator = perUpdate == 0 ? perAck : perAck * perUpdate;
    this.scaledRate = DataRate.ofBitsPerSecond(Math.multiplyExact(rate.bitsPerSecond(), dllpBytesDenominator));
    long returnPs = settings.creditReturn().isPresent()
        ? settings.creditReturn().get().ps()
        : generation.internalDelayPs() + rate.wirePs(dllp) + latencyPs;
    this.credits = ImmutableList.of(
        credits(settings.postedBuffer(), returnPs),
        credits(settings.nonPosted(), returnPs),
        credits(settings.completions(), returnPs));
  }

  // Skip ordered sets: 4 symbols after 1538 with 8b/10b, one block after 375 else [PCI Express Base Spec. 3.0 §4.2.7].
  private static DataRate rate(DataRate laneRate, int lanes, Encoding encoding, boolean skip) {
    BigDecimal bits = BigDecimal.valueOf(laneRate.bitsPerSecond()).multiply(BigDecimal.valueOf(lanes));
    bits = switch (encoding) {
      case B8B10 -> share(bits, 8, 10);
      case B128B130 -> share(bits, 128, 130);
      case FLIT -> share(bits, 236, 256);
    };
    if (skip) {
      bits = encoding == Encoding.B8B10 ? share(bits, 1538, 1542) : share(bits, 375, 376);
    }
    return DataRate.ofBitsPerSecond(bits.setScale(0, RoundingMode.DOWN).longValueExact());
  }

  private static BigDecimal share(BigDecimal bits, int part, int whole) {
    return bits.multiply(BigDecimal.valueOf(part)).divide(BigDecimal.valueOf(whole), 6, RoundingMode.DOWN);
  }

  // A flit is handed on when its last byte has been checked.
  private static long flitPs(DataRate laneRate, int lanes) {
    return DataRate.ofBitsPerSecond(Math.multiplyExact(laneRate.bitsPerSecond(), (long) lanes)).wirePs(FLIT_BYTES);
  }

  private static int overhead(Settings settings, boolean flit, int headerWords) {
    if (settings.tlpOverhead().isPresent()) {
      return Math.toIntExact(settings.tlpOverhead().get().bytes());
    }
    int checksum = settings.ecrc() ? WORD_BYTES : 0;
    return (flit ? 0 : FRAMING_BYTES) + headerWords * WORD_BYTES + checksum;
  }

  private static Credits credits(Buffer buffer, long returnPs) {
    return new Credits(
        buffer.data() == 0 ? Credits.UNLIMITED : Math.multiplyExact(buffer.data(), CREDIT_BYTES),
        buffer.headers() == 0 ? Credits.UNLIMITED : buffer.headers(),
        CREDIT_BYTES, false, returnPs);
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
    return maxPayload;
  }

  @Override
  public long wirePs(int payloadBytes, int trafficClass) {
    long tlps = tlps(payloadBytes, trafficClass);
    return wirePs(tlpBytes(payloadBytes, tlps, trafficClass), tlps);
  }

  @Override
  public long wireBytes(int payloadBytes, int trafficClass) {
    long tlps = tlps(payloadBytes, trafficClass);
    long dllps = acks == Acknowledgements.FORWARD ? tlps * dllpBytesNumerator / dllpBytesDenominator : 0;
    return tlpBytes(payloadBytes, tlps, trafficClass) + dllps;
  }

  @Override
  public long headPs(int payloadBytes, int trafficClass) {
    requirePayload(payloadBytes);
    return wirePs(tlpBytes(Math.min(payloadBytes, limit(trafficClass)), 1, trafficClass), 1);
  }

  @Override
  public long ackPs(int payloadBytes, int trafficClass) {
    long tlps = tlps(payloadBytes, trafficClass);
    return acks == Acknowledgements.REVERSE ? scaledRate.wirePs(tlps * dllpBytesNumerator) : 0;
  }

  @Override
  public Medium medium() {
    return Medium.BUS;
  }

  @Override
  public List<Credits> credits() {
    return credits;
  }

  private int limit(int trafficClass) {
    return trafficClass == COMPLETION_CLASS ? completionPayload : maxPayload;
  }

  private long tlps(int payloadBytes, int trafficClass) {
    requirePayload(payloadBytes);
    int limit = limit(trafficClass);
    return Math.max(1, ((long) payloadBytes + limit - 1) / limit);
  }

  private long tlpBytes(int payloadBytes, long tlps, int trafficClass) {
    long words = ((long) payloadBytes + WORD_BYTES - 1) / WORD_BYTES;
    return words * WORD_BYTES + tlps * (trafficClass == COMPLETION_CLASS ? completionOverhead : requestOverhead);
  }

  // Time in multiples of 1 / denominator bytes: exact but for one rounding up.
  private long wirePs(long tlpBytes, long tlps) {
    long dllps = acks == Acknowledgements.FORWARD ? tlps * dllpBytesNumerator : 0;
    return scaledRate.wirePs(tlpBytes * dllpBytesDenominator + dllps);
  }

  private static void requirePayload(int payloadBytes) {
    if (payloadBytes < 0) {
      throw new IllegalArgumentException("payload must be at least 0 bytes: " + payloadBytes);
    }
  }
}
