package dev.heddle.network;

import dev.heddle.units.RandomStream;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Counters of offered and received payload, over the whole run and within the measured window. Each part of a network
 * with a separate clock has a meter.
 */
public final class Meter {
  /** Messages within a node. */
  public static final int INTRA = 0;

  /** Messages between nodes. */
  public static final int INTER = 1;

  private static final long HIGHEST = 1L << 52;
  private static final int DIGITS = 3;

  private final long windowStart;
  private final long windowEnd;
  private final long[] offeredBytes = new long[2];
  private final long[] deliveredBytes = new long[2];
  private final long[] deliveredMessages = new long[2];
  private final Histogram[] latency = {new Histogram(HIGHEST, DIGITS), new Histogram(HIGHEST, DIGITS)};
  private final long[] latencySum = new long[2];
  // Messages that were added and whose times the histograms lack.
  private final List<Batch> added = new ArrayList<>();
  private long refused;
  private long totalSubmittedBytes;
  private long totalDeliveredBytes;
  private long totalDeliveredMessages;
  private long lastDelivery;
  private long fingerprint;

  /** The kind of messages whose ends are of one node, or of two. */
  public static int kind(boolean ofOneNode) {
    return ofOneNode ? INTRA : INTER;
  }

  /**
   * A meter at zero.
   *
   * @param windowStartPs begin of the measured window
   * @param windowEndPs end of the measured window
   */
  public Meter(long windowStartPs, long windowEndPs) {
    windowStart = windowStartPs;
    windowEnd = windowEndPs;
  }

  /** Whether a time lies within the window. */
  public boolean within(long time) {
    return time >= windowStart && time < windowEnd;
  }

  /** An injection queue has taken a message. */
  public void submitted(int kind, long bytes, long now) {
    totalSubmittedBytes += bytes;
    if (within(now)) {
      offeredBytes[kind] += bytes;
    }
  }

  /** An injection queue had no room for a message. */
  public void refused(int kind, long bytes, long now) {
    if (within(now)) {
      refused++;
      offeredBytes[kind] += bytes;
    }
  }

  /** Payload has reached its destination. */
  public void received(int kind, long bytes, long now) {
    totalDeliveredBytes += bytes;
    if (within(now)) {
      deliveredBytes[kind] += bytes;
    }
  }

  /** A message has reached its destination whole. */
  public void completed(int kind, long message, long bytes, long generated, long now) {
    completed(kind, message, bytes, generated, now, 1);
  }

  /** A message has reached its destination whole, and so have others that are its equals. */
  public void completed(int kind, long message, long bytes, long generated, long now, int equals) {
    totalDeliveredMessages += equals;
    lastDelivery = Math.max(lastDelivery, now);
    fingerprint += RandomStream.mix(message ^ RandomStream.mix(now ^ RandomStream.mix(bytes)));
    if (within(now)) {
      deliveredMessages[kind] += equals;
      latencySum[kind] += equals * (now - generated);
      latency[kind].recordValueWithCount(Math.min(HIGHEST, now - generated), equals);
    }
  }

  /** A collective has ended that moved no messages of its own. */
  public void marked(long collective, long now) {
    lastDelivery = Math.max(lastDelivery, now);
    fingerprint += RandomStream.mix(collective ^ RandomStream.mix(now));
  }

  /** Messages of a collective call that is replayed, by kind. */
  public static final class Batch {
    private final long[] messages;
    private final long[] bytes;
    private final long[] latencySum;
    private final long[][] latencies;
    private final long[][] counts;
    // Number of additions since the histograms have them.
    private long times;

    /**
     * Messages.
     *
     * @param messages number
     * @param bytes payload
     * @param latencySum sum of times from generation to delivery
     * @param latencies those times, each once
     * @param counts the number of messages that took each of them
     */
    public Batch(long[] messages, long[] bytes, long[] latencySum, long[][] latencies, long[][] counts) {
      this.messages = messages;
      this.bytes = bytes;
      this.latencySum = latencySum;
      this.latencies = latencies;
      this.counts = counts;
    }
  }

  /**
   * Adds messages that lie within the window.
   *
   * @param last time of the last delivery
   * @param deliveries their share of the fingerprint
   */
  public void add(Batch batch, long last, long deliveries) {
    for (int kind = 0; kind < batch.messages.length; kind++) {
      totalSubmittedBytes += batch.bytes[kind];
      totalDeliveredBytes += batch.bytes[kind];
      totalDeliveredMessages += batch.messages[kind];
      offeredBytes[kind] += batch.bytes[kind];
      deliveredBytes[kind] += batch.bytes[kind];
      deliveredMessages[kind] += batch.messages[kind];
      latencySum[kind] += batch.latencySum[kind];
    }
    if (batch.times++ == 0) {
      added.add(batch);
    }
    lastDelivery = Math.max(lastDelivery, last);
    fingerprint += deliveries;
  }

  /** The part of [start, end) that lies within the window. */
  public long clip(long start, long end) {
    return Math.max(0, Math.min(end, windowEnd) - Math.max(start, windowStart));
  }

  /** Payload offered within the window, refused messages included. */
  public long offeredBytes(int kind) {
    return offeredBytes[kind];
  }

  /** Payload delivered within the window. */
  public long deliveredBytes(int kind) {
    return deliveredBytes[kind];
  }

  /** Messages delivered whole within the window. */
  public long deliveredMessages(int kind) {
    return deliveredMessages[kind];
  }

  /** Times from generation to delivery within the window in picoseconds; live, not a copy. */
  public Histogram latency(int kind) {
    added.forEach(this::record);
    added.clear();
    return latency[kind];
  }

  private void record(Batch batch) {
    for (int kind = 0; kind < batch.latencies.length; kind++) {
      for (int i = 0; i < batch.latencies[kind].length; i++) {
        latency[kind].recordValueWithCount(
            Math.min(HIGHEST, batch.latencies[kind][i]), batch.times * batch.counts[kind][i]);
      }
    }
    batch.times = 0;
  }

  /** The sum of those times. */
  public long latencySum(int kind) {
    return latencySum[kind];
  }

  /** Messages refused within the window. */
  public long refused() {
    return refused;
  }

  /** Payload submitted over the whole run. */
  public long totalSubmittedBytes() {
    return totalSubmittedBytes;
  }

  /** Payload delivered over the whole run. */
  public long totalDeliveredBytes() {
    return totalDeliveredBytes;
  }

  /** Messages delivered whole over the whole run. */
  public long totalDeliveredMessages() {
    return totalDeliveredMessages;
  }

  /** The time of the last whole message. */
  public long lastDelivery() {
    return lastDelivery;
  }

  /** Hash over all deliveries, whatever their order. */
  public long fingerprint() {
    return fingerprint;
  }
}
