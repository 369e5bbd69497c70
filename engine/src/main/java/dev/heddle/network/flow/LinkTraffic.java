package dev.heddle.network.flow;

import dev.heddle.network.LinkCounters;
import dev.heddle.network.Meter;

/** Traffic of links within the measured window, counted as fluids: shares of bytes and of busy time. */
public class LinkTraffic implements LinkCounters {
  /** The measured window. */
  protected final Meter window;
  /** Busy time of each link, in picoseconds. */
  protected final double[] busyPs;
  /** Payload that crossed each link. */
  protected final double[] payloadBytes;
  /** Messages or flows that began to cross each link. */
  protected final double[] messages;

  private final long[] queuedBytes;
  private final long[] maxQueuedBytes;

  /** No traffic on some links. */
  public LinkTraffic(int links, Meter window) {
    this.window = window;
    busyPs = new double[links];
    payloadBytes = new double[links];
    messages = new double[links];
    queuedBytes = new long[links];
    maxQueuedBytes = new long[links];
  }

  /** Counts messages that wait for a link, or, with a negative sign, have left its queue. */
  public final void queue(int link, long bytes) {
    long queued = queuedBytes[link] + bytes;
    queuedBytes[link] = queued;
    if (queued > maxQueuedBytes[link]) {
      maxQueuedBytes[link] = queued;
    }
  }

  /** Counts the messages of a load that begins. */
  public final void begin(LinkLoad load, long now) {
    if (window.within(now)) {
      for (int i = 0; i < load.links(); i++) {
        messages[load.link(i)] += load.messages(i);
      }
    }
  }

  /** Adds a share of a load that was carried between two times. */
  public final void carried(LinkLoad load, double share, long start, long end) {
    double within = share * share(start, end);
    for (int i = 0; within > 0 && i < load.links(); i++) {
      busyPs[load.link(i)] += within * load.busyPs(i);
      payloadBytes[load.link(i)] += within * load.payloadBytes(i);
    }
  }

  /** The share of an interval that lies within the window; of an instant, 1 or 0. */
  protected final double share(long start, long end) {
    return end > start ? (double) window.clip(start, end) / (end - start) : window.within(start) ? 1 : 0;
  }

  @Override
  public final long busyPs(int link) {
    return Math.round(busyPs[link]);
  }

  @Override
  public final long stallPs(int link) {
    return 0;
  }

  @Override
  public final long payloadBytes(int link) {
    return Math.round(payloadBytes[link]);
  }

  @Override
  public final long units(int link) {
    return Math.round(messages[link]);
  }

  @Override
  public final long maxQueuedBytes(int link) {
    return maxQueuedBytes[link];
  }
}
