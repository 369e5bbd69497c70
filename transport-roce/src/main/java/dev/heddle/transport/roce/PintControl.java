package dev.heddle.transport.roce;

import dev.heddle.spi.CongestionControl.Acknowledgement;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.transport.roce.RoceTransportProvider.Hpcc;
import dev.heddle.units.RandomStream;

/**
 * HPCC by probabilistic telemetry [Ben Basat et al., PINT, SIGCOMM 2020, §4.3; HPCC simulator, pint.cc]: each switch
 * smooths the utilisation of its links over a round trip, a packet carries that of the busiest one on its way, and the
 * window follows it as in HPCC. Two bytes hold its logarithm to the base 1.05, rounded to either side at random such
 * that its mean is right; a share of the packets carries it.
 */
final class PintControl extends HpccControl {
  private static final double BASE = Math.log(1.05);
  private static final double LEAST = 1e-3;
  private static final double UNIT = 0x1p-53;

  private final double sampling;
  private final double[] switches = new double[MAX_HOPS];

  PintControl(ConnectionPath path, Hpcc parameters) {
    super(path, parameters);
    sampling = parameters.sampling().value();
  }

  @Override
  boolean measure(Acknowledgement acknowledgement, int count) {
    double busiest = 0;
    for (int hop = 0; hop < count; hop++) {
      double time = sincePs(acknowledgement, hop);
      if (time <= 0) {
        return false;
      }
      double part = Math.min(time, tripPs) / tripPs;
      double use = use(acknowledgement, hop, acknowledgement.hopQueueBytes(hop));
      switches[hop] += part * (use - switches[hop]);
      busiest = Math.max(busiest, switches[hop]);
    }
    long random = RandomStream.mix(acknowledgement.packet());
    if (uniform(random) >= sampling) {
      return false;
    }
    smoothed = rounded(busiest, uniform(RandomStream.mix(random)));
    return true;
  }

  private static double uniform(long bits) {
    return (bits >>> 11) * UNIT;
  }

  /** A utilisation as a packet carries it. */
  static double rounded(double utilisation, double uniform) {
    double value = Math.max(LEAST, utilisation);
    double power = Math.floor(StrictMath.log(value) / BASE);
    double lower = StrictMath.exp(power * BASE);
    double upper = StrictMath.exp((power + 1) * BASE);
    return uniform < (value - lower) / (upper - lower) ? upper : lower;
  }
}
