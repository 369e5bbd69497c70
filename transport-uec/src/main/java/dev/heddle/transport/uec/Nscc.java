package dev.heddle.transport.uec;

import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.CongestionControl.Acknowledgement;
import dev.heddle.spi.ConnectionPath;

/**
 * Network-signal congestion control: a window that follows marks and queueing delay in four quadrants, and drops to the
 * bytes that were achieved when little gets through (quick adapt) [uet-htsim uec.cpp].
 */
final class Nscc implements CongestionControl {
  // Constants are scaled from a reference network of 100 Gb/s and 12 us.
  private static final double REFERENCE_BYTES = 150_000;
  private static final double REFERENCE_PS = 12_000_000;

  private static final double PROPORTIONAL = 4;
  private static final double FAIR = 5;
  private static final double PERIODIC = 0.15;
  private static final double FAST = 0.25;
  private static final double DECREASE = 0.8;
  private static final double MOST_DECREASE = 0.5;
  private static final double DELAY_WEIGHT = 0.0125;
  private static final double LOW_DELAY_PS = 1_000_000;
  private static final int ADJUST_PACKETS = 8;
  private static final double QUICK_GATE = 1.0 / 8;
  private static final double QUICK_DELAYS = 4;

  private final double packetBytes;
  private final double targetPs;
  private final boolean receiverPaces;
  private final double mostBytes;
  private final double alpha;
  private final double fair;
  private final double periodic;
  private final double fast;
  private double basePs;

  private double window;
  private double averagePs;
  private double increase;
  private double adjustedBytes;
  private long adjustedAt;
  private long decreasedAt;
  private double fastBytes;
  private boolean isFast;

  private long inFlight;

  // Quick adapt.
  private double achieved;
  private long intervalEnd;
  private boolean lost;
  private double ignored;
  private double ignoring;

  Nscc(ConnectionPath network, double targetPs, long firstWindow, boolean receiverPaces) {
    packetBytes = network.packetBytes();
    this.targetPs = targetPs;
    this.receiverPaces = receiverPaces;
    basePs = network.baseRttPs();
    mostBytes = UecTransport.MAX_WINDOW * network.bandwidthDelayBytes();
    window = Math.max(packetBytes, Math.min(mostBytes, firstWindow));
    double a = network.bandwidthDelayBytes() / REFERENCE_BYTES;
    double b = targetPs / REFERENCE_PS;
    alpha = PROPORTIONAL * packetBytes * a * b / targetPs;
    fair = FAIR * packetBytes * a;
    periodic = PERIODIC * packetBytes * a;
    fast = FAST * a;
  }

  @Override
  public long windowBytes() {
    return (long) window;
  }

  @Override
  public void onSent(long nowPs, int bytes) {
    inFlight += bytes;
  }

  @Override
  public void onAcknowledgement(Acknowledgement acknowledgement) {
    long now = acknowledgement.nowPs();
    double bytes = acknowledgement.newBytes();
    boolean marked = acknowledgement.marked();
    achieved += bytes;
    adjustedBytes += bytes;
    ignored += bytes;
    inFlight = acknowledgement.inFlightBytes();
    double delay = averagePs;
    if (acknowledgement.roundTripPs() >= 0) {
      basePs = Math.min(basePs, acknowledgement.roundTripPs());
      delay = acknowledgement.roundTripPs() - basePs;
      double sample = !marked && delay > targetPs ? basePs / 4 : delay;
      averagePs += DELAY_WEIGHT * (sample - averagePs);
    }
    if (quickAdapt(now, marked, delay)) {
      return;
    }
    if (!marked && delay < targetPs) {
      increase(bytes, delay);
    } else if (!marked) {
      increase += fair * bytes;
    } else if (delay >= targetPs) {
      decrease(now);
    }
    boolean due = adjustedBytes > ADJUST_PACKETS * packetBytes || now - adjustedAt > basePs;
    if (due) {
      fulfil(now);
    }
    clamp();
  }

  private void increase(double bytes, double delay) {
    if (delay < LOW_DELAY_PS) {
      fastBytes += bytes;
      if (fastBytes > window || isFast) {
        isFast = true;
        window += fast * bytes;
        return;
      }
    } else {
      fastBytes = 0;
      isFast = false;
    }
    increase += alpha * bytes * (targetPs - delay);
  }

  private void decrease(long now) {
    isFast = false;
    fastBytes = 0;
    if (averagePs > targetPs && now - decreasedAt >= basePs) {
      window *= Math.max(1 - DECREASE * (averagePs - targetPs) / averagePs, MOST_DECREASE);
      decreasedAt = now;
    }
  }

  private void fulfil(long now) {
    window += increase / window;
    if (now - adjustedAt >= basePs) {
      window += periodic;
      adjustedAt = now;
    }
    increase = 0;
    adjustedBytes = 0;
  }

  private void clamp() {
    window = Math.max(packetBytes, Math.min(mostBytes, window));
  }

  // Whether the window drops to the throughput of the last interval, or the signal is of a packet sent before it did.
  private boolean quickAdapt(long now, boolean congestion, double delay) {
    if (congestion && ignored < ignoring) {
      increase = 0;
      adjustedBytes = 0;
      return true;
    }
    if (now <= intervalEnd) {
      return false;
    }
    boolean congested = lost || delay > QUICK_DELAYS * targetPs;
    boolean acts = intervalEnd > 0 && congested && achieved < QUICK_GATE * mostBytes;
    if (acts) {
      window = Math.max(achieved, packetBytes);
      ignoring = inFlight;
      ignored = 0;
      lost = false;
      increase = 0;
      adjustedBytes = 0;
    }
    achieved = 0;
    intervalEnd = now + Math.round(basePs + targetPs);
    return acts;
  }

  @Override
  public void onTrimmed(long nowPs, int bytes, boolean lastHop) {
    averagePs += DELAY_WEIGHT * (basePs - averagePs);
    lost = true;
    ignored += bytes;
    boolean acts = quickAdapt(nowPs, true, 0);
    inFlight -= bytes;
    if (!acts && (!receiverPaces || !lastHop)) {
      window -= bytes;
      clamp();
    }
  }

  @Override
  public void onTimeout(long nowPs, long bytes) {
    inFlight -= bytes;
    window -= bytes;
    clamp();
  }
}
