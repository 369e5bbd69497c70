package dev.heddle.spi;

import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A generic link as a value: a rate, a latency, a payload limit, an overhead per packet, credits per virtual channel.
 * Topologies use it for wires that have no provider of their own.
 *
 * @param rate data rate after line encoding
 * @param latency time from the first bit's departure to its arrival
 * @param maxPayload largest payload of one packet, at most 1 GiB
 * @param overhead bytes that each packet adds on the wire
 * @param buffer receiver's buffer per virtual channel, in bytes on the wire; absent: unlimited
 * @param creditReturn time until a freed buffer is known to the sender; absent: the latency
 * @param virtualChannels number of virtual channels, each with a separate buffer
 * @param medium kind of wire
 * @param packetLoss share of packets that do not arrive, 0 to 1
 * @param network name of the network that it belongs to; empty where it is not said
 */
public record LinkModel(
    DataRate rate, SimTime latency, DataSize maxPayload, DataSize overhead, Optional<DataSize> buffer,
    Optional<SimTime> creditReturn, int virtualChannels, Medium medium, Fraction packetLoss,
    String network) implements Link {
  /** Lossless link with unlimited buffers and one virtual channel. */
  public LinkModel(DataRate rate, SimTime latency, DataSize maxPayload, DataSize overhead, Medium medium) {
    this(rate, latency, maxPayload, overhead, Optional.empty(), Optional.empty(), 1, medium, Fraction.of(0), "");
  }

  @Override
  public long latencyPs() {
    return latency.ps();
  }

  @Override
  public int maxPayloadBytes() {
    return (int) maxPayload.bytes();
  }

  @Override
  public long wirePs(int payloadBytes, int trafficClass) {
    requirePayload(payloadBytes);
    int full = payloadBytes / maxPayloadBytes();
    int rest = payloadBytes - full * maxPayloadBytes();
    long time = full == 0 ? 0 : Math.multiplyExact(packetPs(maxPayloadBytes()), full);
    return rest > 0 || full == 0 ? Math.addExact(time, packetPs(rest)) : time;
  }

  @Override
  public long wireBytes(int payloadBytes, int trafficClass) {
    return payloadBytes + packets(payloadBytes) * overhead.bytes();
  }

  @Override
  public long headPs(int payloadBytes, int trafficClass) {
    requirePayload(payloadBytes);
    return packetPs(Math.min(payloadBytes, maxPayloadBytes()));
  }

  @Override
  public long ackPs(int payloadBytes, int trafficClass) {
    requirePayload(payloadBytes);
    return 0;
  }

  @Override
  public double loss() {
    return packetLoss.value();
  }

  @Override
  public List<Credits> credits() {
    if (buffer.isEmpty()) {
      return Collections.nCopies(virtualChannels, Credits.unlimited());
    }
    int bytes = (int) Math.min(buffer.get().bytes(), Credits.UNLIMITED);
    long returnPs = creditReturn.orElse(latency).ps();
    return Collections.nCopies(virtualChannels, new Credits(Math.max(1, bytes), Credits.UNLIMITED, 1, true, returnPs));
  }

  private static void requirePayload(int payloadBytes) {
    if (payloadBytes < 0) {
      throw new IllegalArgumentException("payload must be at least 0 bytes: " + payloadBytes);
    }
  }

  private long packetPs(int payloadBytes) {
    return Math.max(1, rate.wirePs(payloadBytes + overhead.bytes()));
  }
}
