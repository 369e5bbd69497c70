package dev.heddle.link.infiniband;

import dev.heddle.link.infiniband.InfinibandTransportProvider.Settings;
import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.ConnectionPath;

/**
 * The reaction of a channel adapter to backward notifications [InfiniBand Architecture Specification vol. 1, annex
 * A10]: each raises an index into the congestion control table, whose entry is the delay between packets; a timer
 * lowers it step by step. Entry {@code i} holds the multiplier {@code i}: the delay is {@code i / 2^shift} packet
 * times.
 */
final class CctControl implements CongestionControl {
  private final double lineRate;
  private final int increase;
  private final int least;
  private final int limit;
  private final double parts;
  private final long timerPs;

  private int index;
  private long lowerAt = Long.MAX_VALUE;

  CctControl(ConnectionPath path, Settings settings) {
    lineRate = path.rateBitsPerSecond();
    increase = settings.cctiIncrease();
    least = settings.cctiMin();
    limit = settings.cctiLimit();
    parts = 1 << settings.shift();
    timerPs = settings.cctiTimer().ps();
    index = least;
  }

  /** The index into the table, CCTI. */
  int index() {
    return index;
  }

  @Override
  public long rateBitsPerSecond() {
    return Math.max(1, (long) (lineRate / (1 + index / parts)));
  }

  @Override
  public void onNotification(long nowPs) {
    index = Math.min(limit, index + increase);
    if (lowerAt == Long.MAX_VALUE && index > least) {
      lowerAt = nowPs + timerPs;
    }
  }

  @Override
  public long timerPs() {
    return lowerAt;
  }

  @Override
  public void onTimer(long nowPs) {
    while (lowerAt <= nowPs) {
      index--;
      lowerAt = index > least ? lowerAt + timerPs : Long.MAX_VALUE;
    }
  }
}
