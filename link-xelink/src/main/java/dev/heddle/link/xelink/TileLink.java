package dev.heddle.link.xelink;

import dev.heddle.spi.Credits;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Medium;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.Collections;
import java.util.List;

/**
 * A connection between two tiles, whose directions may have less bandwidth when both are busy than one of them alone:
 * each byte then also takes time of the opposite direction, as requests and acknowledgements do. Rates are those of
 * payload.
 *
 * @param rate of one direction while the other is idle
 * @param eachWay of each direction while both are busy; at least half of the rate, at most the rate
 * @param latency of the first bit, with the logic of both ends
 * @param maxPayload of a packet
 * @param buffer of a virtual channel
 * @param virtualChannels with a buffer each
 */
record TileLink(
    DataRate rate, DataRate eachWay, SimTime latency, DataSize maxPayload, DataSize buffer, int virtualChannels)
    implements Link {
  /**
   * Makes a connection.
   *
   * @param bothWays payload of both directions together while both are busy
   * @throws InvalidSettingException when that is less than the rate or more than twice the rate
   */
  static TileLink of(DataRate rate, DataRate bothWays, Limits limits) {
    if (bothWays.compareTo(rate) < 0 || bothWays.bitsPerSecond() / 2 > rate.bitsPerSecond()) {
      throw new InvalidSettingException(
          "bothWays", bothWays + "; both directions together carry at least what one does alone, " + rate
              + ", and at most twice as much");
    }
    return new TileLink(
        rate, DataRate.ofBitsPerSecond(bothWays.bitsPerSecond() / 2), limits.latency(), limits.maxPayload(),
        limits.buffer(), limits.virtualChannels());
  }

  /**
   * The properties of a link other than its rates.
   *
   * @param latency of the first bit
   * @param maxPayload of a packet
   * @param buffer of a virtual channel
   * @param virtualChannels with a buffer each
   */
  record Limits(SimTime latency, DataSize maxPayload, DataSize buffer, int virtualChannels) {}

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
    return Math.max(1, rate.wirePs(wireBytes(payloadBytes, trafficClass)));
  }

  @Override
  public long wireBytes(int payloadBytes, int trafficClass) {
    requirePayload(payloadBytes);
    return payloadBytes;
  }

  @Override
  public long headPs(int payloadBytes, int trafficClass) {
    return wirePs(Math.min(payloadBytes, maxPayloadBytes()), trafficClass);
  }

  @Override
  public long ackPs(int payloadBytes, int trafficClass) {
    requirePayload(payloadBytes);
    return Math.max(0, eachWay.wirePs(payloadBytes) - rate.wirePs(payloadBytes));
  }

  @Override
  public Medium medium() {
    return Medium.PEER;
  }

  @Override
  public List<Credits> credits() {
    Credits channel = new Credits((int) buffer.bytes(), Credits.UNLIMITED, 1, true, latency.ps());
    return Collections.nCopies(virtualChannels, channel);
  }

  private static void requirePayload(int payloadBytes) {
    if (payloadBytes < 0) {
      throw new IllegalArgumentException("payload must be at least 0 bytes: " + payloadBytes);
    }
  }
}
