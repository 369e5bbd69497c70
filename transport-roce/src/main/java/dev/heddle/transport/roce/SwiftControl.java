package dev.heddle.transport.roce;

import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.CongestionControl.Acknowledgement;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.transport.roce.RoceTransportProvider.Swift;

/**
 * Swift's fabric window [Kumar et al. 2020, algorithm 1]: additive increase below a target delay, multiplicative
 * decrease above it, at most once a round trip. The target grows as windows shrink, by a range over the square root of
 * the window, so that many flows settle at equal rates. A window below a packet is paced.
 */
final class SwiftControl implements CongestionControl {
  private static final double INCREASE = 1;
  private static final double DECREASE = 0.8;
  private static final double MOST_DECREASE = 0.5;
  private static final double LEAST_SCALED = 0.1;
  private static final double MOST_SCALED = 100;
  private static final double LEAST_WINDOW = 0.01;

  private final double packetBytes;
  private final double most;
  private final double basePs;
  private final double range;
  private final double slope;
  private final double offset;

  // In packets.
  private double window;
  private double tripPs;
  private long decreasedAt = Long.MIN_VALUE / 2;

  SwiftControl(ConnectionPath path, Swift parameters) {
    packetBytes = path.packetBytes();
    basePs = path.baseRttPs() + parameters.queueing().ps();
    tripPs = path.baseRttPs();
    range = (double) parameters.scaling() * parameters.queueing().ps();
    slope = range / (1 / Math.sqrt(LEAST_SCALED) - 1 / Math.sqrt(MOST_SCALED));
    offset = -slope / Math.sqrt(MOST_SCALED);
    window = Math.max(1, path.bandwidthDelayBytes() / packetBytes);
    most = 8 * window;
  }

  /** Target delay of a window in packets, in picoseconds. */
  double targetPs(double packets) {
    return basePs + Math.max(0, Math.min(range, slope / Math.sqrt(packets) + offset));
  }

  @Override
  public long windowBytes() {
    return (long) Math.max(packetBytes, window * packetBytes);
  }

  @Override
  public long rateBitsPerSecond() {
    return window >= 1 ? Long.MAX_VALUE : Math.max(1, (long) (window * packetBytes * 8e12 / tripPs));
  }

  @Override
  public void onAcknowledgement(Acknowledgement acknowledgement) {
    if (acknowledgement.roundTripPs() < 0) {
      return;
    }
    tripPs = acknowledgement.roundTripPs();
    double target = targetPs(window);
    double packets = acknowledgement.newBytes() / packetBytes;
    if (tripPs < target) {
      window += window >= 1 ? INCREASE * packets / window : INCREASE * packets;
    } else if (acknowledgement.nowPs() - decreasedAt >= tripPs) {
      window *= Math.max(1 - DECREASE * (tripPs - target) / tripPs, 1 - MOST_DECREASE);
      decreasedAt = acknowledgement.nowPs();
    }
    clamp();
  }

  private void cut(long nowPs) {
    if (nowPs - decreasedAt >= tripPs) {
      window *= 1 - MOST_DECREASE;
      decreasedAt = nowPs;
      clamp();
    }
  }

  private void clamp() {
    window = Math.max(LEAST_WINDOW, Math.min(most, window));
  }

  @Override
  public void onLoss(long nowPs, long bytes) {
    cut(nowPs);
  }

  @Override
  public void onTimeout(long nowPs, long bytes) {
    cut(nowPs);
  }
}
