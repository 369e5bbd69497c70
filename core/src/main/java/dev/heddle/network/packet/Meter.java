package dev.heddle.network.packet;

import dev.heddle.units.RandomStream;
import org.HdrHistogram.Histogram;

/** Counts what one partition's terminals offer and receive, in all and within the measured window. */
final class Meter {
  /** Messages within a node. */
  static final int INTRA = 0;

  /** Messages between nodes. */
  static final int INTER = 1;

  private static final long HIGHEST = 1L << 52;
  private static final int DIGITS = 3;

  final long windowStart;
  final long windowEnd;
  final long[] offeredBytes = new long[2];
  final long[] refusedBytes = new long[2];
  final long[] acceptedBytes = new long[2];
  final long[] deliveredBytes = new long[2];
  final long[] deliveredMessages = new long[2];
  final Histogram[] latency = {new Histogram(HIGHEST, DIGITS), new Histogram(HIGHEST, DIGITS)};
  final long[] latencySum = new long[2];
  long submitted;
  long refused;
  long totalSubmittedBytes;
  long totalDeliveredBytes;
  long totalDeliveredMessages;
  long lastDelivery;
  long fingerprint;

  Meter(long windowStart, long windowEnd) {
    this.windowStart = windowStart;
    this.windowEnd = windowEnd;
  }

  boolean within(long time) {
    return time >= windowStart && time < windowEnd;
  }

  void submitted(int kind, long bytes, long now) {
    submitted++;
    totalSubmittedBytes += bytes;
    if (within(now)) {
      offeredBytes[kind] += bytes;
      acceptedBytes[kind] += bytes;
    }
  }

  void refused(int kind, long bytes, long now) {
    if (within(now)) {
      refused++;
      offeredBytes[kind] += bytes;
      refusedBytes[kind] += bytes;
    }
  }

  void received(int kind, long bytes, long now) {
    totalDeliveredBytes += bytes;
    if (within(now)) {
      deliveredBytes[kind] += bytes;
    }
  }

  void completed(int kind, long message, long bytes, long generated, long now) {
    totalDeliveredMessages++;
    lastDelivery = now;
    fingerprint += RandomStream.mix(message ^ RandomStream.mix(now ^ RandomStream.mix(bytes)));
    if (within(now)) {
      deliveredMessages[kind]++;
      latencySum[kind] += now - generated;
      latency[kind].recordValue(Math.min(HIGHEST, now - generated));
    }
  }

  /** The part of [start, end) that lies within the window. */
  long clip(long start, long end) {
    return Math.max(0, Math.min(end, windowEnd) - Math.max(start, windowStart));
  }
}
