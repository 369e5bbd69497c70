package dev.heddle.transport.uec;

import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.units.RandomStream;

/**
 * The rate at which a receiver grants credit in an oversubscribed fabric, where its own line is not the bottleneck: it
 * falls with packets that switches before the last one trim, and with a share of marks beyond a target, and rises in
 * steps that double while there are neither [uet-htsim oversubscribed_cc.cpp].
 */
final class CreditRate implements CongestionControl {
  private static final double PERIOD_TRIPS = 1.5;
  // Receivers adjust at times of their own: a period of 0.75 to 1.25 times the nominal one.
  private static final double SHORTEST = 0.75;
  private static final double SPREAD = 0.5;
  private static final double TARGET_MARKED = 0.3;
  private static final double WEIGHT = 0.5;
  private static final double DECREASE = 0.5;
  private static final double STEP = 0.01;
  private static final int MOST_DOUBLINGS = 10;
  private static final double LEAST_OF_FAIR = 0.9;

  private final double lineRate;
  private final double periodPs;
  private final double least;
  private final RandomStream random;
  private double share = 1;
  private double marked;
  private int arrived;
  private int marks;
  private int trims;
  private int coreTrims;
  private int clean;
  private long timer;

  /**
   * The rate of a receiver that has granted nothing yet.
   *
   * @param oversubscription ratio of the fabric: the share never falls below 0.9 of an equal part
   */
  CreditRate(ConnectionPath network, double oversubscription, RandomStream random) {
    lineRate = network.rateBitsPerSecond();
    periodPs = PERIOD_TRIPS * network.baseRttPs();
    least = LEAST_OF_FAIR / oversubscription;
    this.random = random;
    timer = period();
  }

  private long period() {
    return Math.round(periodPs * (SHORTEST + SPREAD * random.nextDouble()));
  }

  @Override
  public long rateBitsPerSecond() {
    return Math.max(1, Math.round(share * lineRate));
  }

  @Override
  public void onSent(long nowPs, int bytes) {
    arrived++;
  }

  @Override
  public void onNotification(long nowPs) {
    marks++;
  }

  @Override
  public void onTrimmed(long nowPs, int bytes, boolean lastHop) {
    arrived++;
    trims++;
    coreTrims += lastHop ? 0 : 1;
  }

  @Override
  public long timerPs() {
    return timer;
  }

  @Override
  public void onTimer(long nowPs) {
    double whole = arrived - trims;
    marked += WEIGHT * ((whole > 0 ? marks / whole : 0) - marked);
    share -= arrived > 0 ? (double) coreTrims / arrived : 0;
    if (marked > TARGET_MARKED) {
      share *= 1 - DECREASE * (marked - TARGET_MARKED);
      clean = 0;
    } else if (marks > 0 || coreTrims > 0) {
      share += STEP;
      clean = 0;
    } else {
      share += STEP * (1 << Math.min(clean, MOST_DOUBLINGS));
      clean++;
    }
    share = Math.max(least, Math.min(1, share));
    arrived = 0;
    marks = 0;
    trims = 0;
    coreTrims = 0;
    timer = nowPs + period();
  }
}
