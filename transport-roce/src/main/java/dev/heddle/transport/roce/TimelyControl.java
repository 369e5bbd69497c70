package dev.heddle.transport.roce;

import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.CongestionControl.Acknowledgement;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.transport.roce.RoceTransportProvider.Timely;

/**
 * TIMELY [Mittal et al. 2015, algorithm 1]: the rate follows the gradient of the round-trip time between two
 * thresholds, once a round trip. Any division of a link among its flows is a fixed point [Zhu et al. 2016, §4.2].
 */
final class TimelyControl implements CongestionControl {
  private static final double GRADIENT_WEIGHT = 0.875;
  private static final double DECREASE = 0.8;
  private static final int HYPER_AFTER = 5;
  private static final double HYPER = 5;

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
  private int rises;
  private long roundEnd;

  TimelyControl(ConnectionPath path, Timely parameters, long window) {
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
    boolean rise = trip < low || trip <= high && gradient <= 0;
    if (rise) {
      rises++;
      rate += rises > HYPER_AFTER ? HYPER * additive : additive;
    } else {
      rises = 0;
      rate *= trip > high ? 1 - DECREASE * (1 - high / trip) : Math.max(0, 1 - DECREASE * gradient);
    }
    rate = Math.max(least, Math.min(lineRate, rate));
  }
}
