package dev.heddle.network.analytic;

import dev.heddle.network.LinkCounters;
import dev.heddle.network.Meter;
import dev.heddle.network.flow.IdleFabric;

/** Traffic of links within the measurement window. */
final class LinkTotals implements LinkCounters {
  private final Meter window;
  private final double[] busyPs;
  private final double[] payloadBytes;
  private final long[] messages;
  private final long[] queuedBytes;
  private final long[] maxQueuedBytes;

  LinkTotals(int links, Meter window) {
    this.window = window;
    busyPs = new double[links];
    payloadBytes = new double[links];
    messages = new long[links];
    queuedBytes = new long[links];
    maxQueuedBytes = new long[links];
  }

  /** Adds the traffic of a message between its departure and its end. */
  void carry(IdleFabric path, long bytes, long start, long end) {
    double share = share(start, end);
    for (int i = 0; i < path.loadedLinks(); i++) {
      int link = path.link(i);
      busyPs[link] += share * bytes * path.psPerByte(i);
      if (i < path.hops()) {
        messages[link] += window.within(start) ? 1 : 0;
        payloadBytes[link] += share * bytes * path.crossings(i);
      }
    }
  }

  /** Adds the traffic of a collective between the last arrival and its end. */
  void carry(IdleFabric.Evaluation collective, long start, long end) {
    double share = share(start, end);
    for (int i = 0; i < collective.links().length; i++) {
      int link = collective.links()[i];
      busyPs[link] += share * collective.busyPs()[i];
      payloadBytes[link] += share * collective.payloadBytes()[i];
      messages[link] += window.within(start) ? collective.messages()[i] : 0;
    }
  }

  private double share(long start, long end) {
    return end > start ? (double) window.clip(start, end) / (end - start) : window.within(start) ? 1 : 0;
  }

  /** Counts messages that wait for a link, or, with a negative sign, have left. */
  void queue(int link, long bytes) {
    queuedBytes[link] += bytes;
    maxQueuedBytes[link] = Math.max(maxQueuedBytes[link], queuedBytes[link]);
  }

  @Override
  public long busyPs(int link) {
    return Math.round(busyPs[link]);
  }

  @Override
  public long stallPs(int link) {
    return 0;
  }

  @Override
  public long payloadBytes(int link) {
    return Math.round(payloadBytes[link]);
  }

  @Override
  public long units(int link) {
    return messages[link];
  }

  @Override
  public long maxQueuedBytes(int link) {
    return maxQueuedBytes[link];
  }
}
