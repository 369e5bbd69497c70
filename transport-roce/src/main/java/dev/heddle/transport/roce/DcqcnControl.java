package dev.heddle.transport.roce;

import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.transport.roce.RoceTransportProvider.Dcqcn;

/**
 * DCQCN's reaction point [Zhu et al. 2015, §3.1]: each notification cuts the rate by half of the estimate of
 * congestion; periods of time and of bytes without one raise it, first half way back to the rate before the cut, then
 * beyond.
 */
final class DcqcnControl implements CongestionControl {
  private final double lineRate;
  private final double least;
  private final double gain;
  private final double additive;
  private final double hyper;
  private final long alphaPeriodPs;
  private final long increasePeriodPs;
  private final long increaseBytes;
  private final int stages;
  private final long window;

  private double rate;
  private double target;
  private double alpha = 1;
  private long alphaAt = Long.MAX_VALUE;
  private long increaseAt = Long.MAX_VALUE;
  private long sentBytes;
  private int timeStage;
  private int byteStage;

  DcqcnControl(ConnectionPath path, Dcqcn parameters, long window) {
    lineRate = path.rateBitsPerSecond();
    least = Math.min(lineRate, parameters.least().bitsPerSecond());
    gain = 1.0 / (1 << parameters.gain());
    additive = parameters.additive().bitsPerSecond();
    hyper = parameters.hyper().bitsPerSecond();
    alphaPeriodPs = parameters.alphaPeriod().ps();
    increasePeriodPs = parameters.increasePeriod().ps();
    increaseBytes = parameters.increaseBytes().bytes();
    stages = parameters.stages();
    this.window = window;
    rate = lineRate;
    target = lineRate;
  }

  @Override
  public long windowBytes() {
    return window;
  }

  @Override
  public long rateBitsPerSecond() {
    return (long) rate;
  }

  /** The estimate of congestion, 0 to 1. */
  double alpha() {
    return alpha;
  }

  @Override
  public void onNotification(long nowPs) {
    decay(nowPs);
    target = rate;
    rate = Math.max(least, rate * (1 - alpha / 2));
    alpha = (1 - gain) * alpha + gain;
    alphaAt = nowPs + alphaPeriodPs;
    increaseAt = nowPs + increasePeriodPs;
    timeStage = 0;
    byteStage = 0;
    sentBytes = 0;
  }

  // The estimate falls with every period without a notification.
  private void decay(long nowPs) {
    while (alphaAt <= nowPs) {
      alpha *= 1 - gain;
      alphaAt += alphaPeriodPs;
    }
  }

  @Override
  public void onSent(long nowPs, int bytes) {
    if (rate >= lineRate) {
      return;
    }
    sentBytes += bytes;
    if (sentBytes >= increaseBytes) {
      sentBytes -= increaseBytes;
      byteStage++;
      increase();
    }
  }

  @Override
  public long timerPs() {
    return rate < lineRate ? increaseAt : Long.MAX_VALUE;
  }

  @Override
  public void onTimer(long nowPs) {
    while (increaseAt <= nowPs) {
      increaseAt += increasePeriodPs;
      timeStage++;
      increase();
    }
  }

  private void increase() {
    if (Math.min(timeStage, byteStage) > stages) {
      target += (Math.min(timeStage, byteStage) - stages) * hyper;
    } else if (Math.max(timeStage, byteStage) > stages) {
      target += additive;
    }
    target = Math.min(lineRate, target);
    rate = Math.min(lineRate, (rate + target) / 2);
    if (lineRate - rate < 1) {
      rate = lineRate;
    }
  }
}
