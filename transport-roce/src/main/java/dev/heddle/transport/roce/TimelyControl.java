package dev.heddle.transport.roce;

import dev.heddle.spi.ConnectionPath;
import dev.heddle.transport.roce.RoceTransportProvider.Timely;

/**
 * TIMELY [Mittal et al. 2015, algorithm 1]: the rate follows the gradient of the round-trip time between two
 * thresholds, once a round trip. Any division of a link among its flows is a fixed point [Zhu et al. 2016, §4.2].
 */
final class TimelyControl extends GradientControl {
  private static final double GRADIENT_WEIGHT = 0.875;
  private static final double DECREASE = 0.8;
  private static final int HYPER_AFTER = 5;
  private static final double HYPER = 5;

  private int rises;

  TimelyControl(ConnectionPath path, Timely parameters, long window) {
    super(path, parameters, window, GRADIENT_WEIGHT);
  }

  @Override
  double nextRate(double present, double trip, double gradient) {
    if (trip < low || trip <= high && gradient <= 0) {
      rises++;
      return present + (rises > HYPER_AFTER ? HYPER * additive : additive);
    }
    rises = 0;
    return present * (trip > high ? 1 - DECREASE * (1 - high / trip) : Math.max(0, 1 - DECREASE * gradient));
  }
}
