package dev.heddle.transport.roce;

import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.CongestionControl.Acknowledgement;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.transport.roce.RoceTransportProvider.Hpcc;

/**
 * HPCC [Li et al. 2019, algorithm 1]: telemetry of every link gives its rate and queue, of which the busiest sets the
 * window. Every acknowledgement adjusts the window; the reference that it adjusts changes once a round trip.
 */
class HpccControl implements CongestionControl {
  static final int MAX_HOPS = 8;

  private final double lineRate;
  private final double least;
  private final double additive;
  private final double utilisation;
  final double tripPs;
  private final double bandwidthDelay;
  private final int stages;

  private final long[] timePs = new long[MAX_HOPS];
  private final long[] sentBytes = new long[MAX_HOPS];
  private final long[] queueBytes = new long[MAX_HOPS];
  private int hops;

  private double rate;
  private double reference;
  // The utilisation that the window follows.
  double smoothed = 1;
  private int stage;
  private long roundEnd;

  HpccControl(ConnectionPath path, Hpcc parameters) {
    lineRate = path.rateBitsPerSecond();
    least = Math.min(lineRate, parameters.least().bitsPerSecond());
    additive = parameters.additive().bitsPerSecond();
    utilisation = parameters.utilisation() / 100.0;
    stages = parameters.stages();
    tripPs = path.baseRttPs();
    bandwidthDelay = Math.max(path.packetBytes(), path.bandwidthDelayBytes());
    rate = lineRate;
    reference = lineRate;
  }

  @Override
  public final long windowBytes() {
    return Math.max(1, (long) (bandwidthDelay * rate / lineRate));
  }

  @Override
  public final long rateBitsPerSecond() {
    return (long) rate;
  }

  @Override
  public final void onAcknowledgement(Acknowledgement acknowledgement) {
    int count = Math.min(MAX_HOPS, acknowledgement.hops());
    if (count == 0) {
      return;
    }
    boolean measured = hops == count && measure(acknowledgement, count);
    store(acknowledgement, count);
    if (!measured) {
      return;
    }
    boolean round = acknowledgement.packet() >= roundEnd;
    adjust(round);
    if (round) {
      roundEnd = acknowledgement.nextPacket();
    }
  }

  /** Notes the utilisation of the busiest link, smoothed over a round trip; whether it is known. */
  boolean measure(Acknowledgement acknowledgement, int count) {
    double busiest = 0;
    double since = 0;
    for (int hop = 0; hop < count; hop++) {
      double time = sincePs(acknowledgement, hop);
      if (time <= 0) {
        return false;
      }
      double use = use(acknowledgement, hop, Math.min(acknowledgement.hopQueueBytes(hop), queueBytes[hop]));
      if (use > busiest) {
        busiest = use;
        since = time;
      }
    }
    double part = Math.min(since, tripPs) / tripPs;
    smoothed = (1 - part) * smoothed + part * busiest;
    return true;
  }

  /** Time between the last two packets that left a link, in picoseconds. */
  final double sincePs(Acknowledgement acknowledgement, int hop) {
    return acknowledgement.hopTimePs(hop) - timePs[hop];
  }

  /** Utilisation of a link in that time: bytes that it sent, and a queue by its part of a round trip. */
  final double use(Acknowledgement acknowledgement, int hop, double queue) {
    double capacity = acknowledgement.hopRate(hop) / 8e12;
    double sent = (acknowledgement.hopSentBytes(hop) - sentBytes[hop]) / sincePs(acknowledgement, hop);
    return sent / capacity + queue / (capacity * tripPs);
  }

  private void store(Acknowledgement acknowledgement, int count) {
    hops = count;
    for (int hop = 0; hop < count; hop++) {
      timePs[hop] = acknowledgement.hopTimePs(hop);
      sentBytes[hop] = acknowledgement.hopSentBytes(hop);
      queueBytes[hop] = acknowledgement.hopQueueBytes(hop);
    }
  }

  private void adjust(boolean round) {
    boolean multiplies = smoothed >= utilisation || stage >= stages;
    double next = multiplies ? reference / (smoothed / utilisation) + additive : reference + additive;
    rate = Math.max(least, Math.min(lineRate, next));
    if (round) {
      reference = rate;
      stage = multiplies ? 0 : stage + 1;
    }
  }
}
