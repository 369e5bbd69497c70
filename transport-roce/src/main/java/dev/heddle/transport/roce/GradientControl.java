package dev.heddle.transport.roce;

import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.CongestionControl.Acknowledgement;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.transport.roce.RoceTransportProvider.Timely;

/**
 * Control of a rate by the gradient of the round-trip time, once a round trip [Mittal et al. 2015, algorithm 1]. The
 * gradient is the moving average of differences between round trips, relative to the least one.
 */
abstract class GradientControl implements CongestionControl {
  final double additive;
  final double low;
  final double high;

  private final double lineRate;
  private final double least;
  private final double leastTrip;
  private final long window;
  private final double weight;

  private double rate;
  private double difference;
  private double last = -1;
  private long roundEnd;

  /**
   * Begins at the path's rate.
   *
   * @param weight of the newest difference in the average, above 0 and at most 1
   */
  GradientControl(ConnectionPath path, Timely parameters, long window, double weight) {
    lineRate = path.rateBitsPerSecond();
    least = Math.min(lineRate, parameters.least().bitsPerSecond());
    additive = parameters.additive().bitsPerSecond();
    low = parameters.low().ps();
    high = parameters.high().ps();
    leastTrip = parameters.leastRoundTrip().ps();
    this.window = window;
    this.weight = weight;
    rate = lineRate;
  }

  /**
   * The next rate, in bits per second, before it is kept between the least one and the path's.
   *
   * @param present rate in bits per second
   * @param trip round-trip time in picoseconds
   * @param gradient of the round-trip time, without a unit
   */
  abstract double nextRate(double present, double trip, double gradient);

  @Override
  public final long windowBytes() {
    return window;
  }

  @Override
  public final long rateBitsPerSecond() {
    return (long) rate;
  }

  @Override
  public final void onAcknowledgement(Acknowledgement acknowledgement) {
    double trip = acknowledgement.roundTripPs();
    if (trip < 0 || acknowledgement.packet() < roundEnd) {
      return;
    }
    roundEnd = acknowledgement.nextPacket();
    if (last >= 0) {
      difference = (1 - weight) * difference + weight * (trip - last);
      rate = Math.max(least, Math.min(lineRate, nextRate(rate, trip, difference / leastTrip)));
    }
    last = trip;
  }
}
