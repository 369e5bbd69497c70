package dev.heddle.transport.roce;

import dev.heddle.spi.ConnectionPath;
import dev.heddle.transport.roce.RoceTransportProvider.Timely;

/**
 * Patched TIMELY [Zhu et al. 2016, §4.3]: between the thresholds the rate follows the round-trip time itself, weighted
 * by the gradient, so that flows converge to equal rates. Constants are those of eRPC's implementation.
 */
final class PatchedTimelyControl extends GradientControl {
  private static final double GRADIENT_WEIGHT = 0.46;
  private static final double DECREASE = 0.26;

  PatchedTimelyControl(ConnectionPath path, Timely parameters, long window) {
    super(path, parameters, window, GRADIENT_WEIGHT);
  }

  @Override
  double nextRate(double present, double trip, double gradient) {
    double next;
    if (trip < low) {
      next = present + additive;
    } else if (trip > high) {
      next = present * (1 - DECREASE * (1 - high / trip));
    } else {
      double weight = Math.max(0, Math.min(1, 2 * gradient + 0.5));
      next = additive * (1 - weight) + present * (1 - DECREASE * weight * (trip - low) / low);
    }
    return Math.max(present / 2, next);
  }
}
