package dev.heddle.transport.roce;

import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.CongestionControl.Acknowledgement;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.transport.roce.RoceTransportProvider.Timely;

/**
 * Patched TIMELY [Zhu et al. 2016, §4.3]: between the thresholds the rate follows the round-trip time itself, weighted
 * by the gradient, so that flows converge to equal rates. Constants are those of eRPC's implementation.
 */
final class PatchedTimelyControl implements CongestionControl {
  private static final double GRADIENT_WEIGHT = 0.46;
  private static final double DECREASE = 0.26;

  private final double lineRate;
  private final double least;
  private final double additive;
  private final double low;
  private final double high;
  private final double leastTrip;
  private final long window;

  private double rate;
  private double difference;
  private double last = -1;
  private long roundEnd;

  PatchedTimelyControl(ConnectionPath path, Timely parameters, long window) {
    lineRate = path.rateBitsPerSecond();
    least = Math.min(lineRate, parameters.least().bitsPerSecond());
    additive = parameters.additive().bitsPerSecond();
    low = parameters.low().ps();
    high = parameters.high().ps();
    leastTrip = parameters.leastRoundTrip().ps();
    this.window = window;
    rate = lineRate;
  }

  @Override
  public long windowBytes() {
    return window;
  }

  @Override
  public long rateBitsPerSecond() {
    return (long) rate;
  }

  @Override
  public void onAcknowledgement(Acknowledgement acknowledgement) {
    double trip = acknowledgement.roundTripPs();
    if (trip < 0 || acknowledgement.packet() < roundEnd) {
      return;
    }
    roundEnd = acknowledgement.nextPacket();
    if (last >= 0) {
      difference = (1 - GRADIENT_WEIGHT) * difference + GRADIENT_WEIGHT * (trip - last);
      adjust(trip, difference / leastTrip);
    }
    last = trip;
  }

  private void adjust(double trip, double gradient) {
    double next;
    if (trip < low) {
      next = rate + additive;
    } else if (trip > high) {
      next = rate * (1 - DECREASE * (1 - high / trip));
    } else {
      double weight = Math.max(0, Math.min(1, 2 * gradient + 0.5));
      next = additive * (1 - weight) + rate * (1 - DECREASE * weight * (trip - low) / low);
    }
    rate = Math.max(least, Math.min(lineRate, Math.max(rate / 2, next)));
  }
}
