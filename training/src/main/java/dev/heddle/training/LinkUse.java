package dev.heddle.training;

import dev.heddle.network.LinkCounters;
import dev.heddle.network.Measurements;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The use of links by a collective that has them alone: of each place of {@link NodeLinks} the share of its time for
 * which the busiest link there carries bytes.
 */
public final class LinkUse {
  private final int[] places;
  private final double[] shares;
  private final double flowRate;

  private LinkUse(int[] places, double[] shares, double flowRate) {
    this.places = places;
    this.shares = shares;
    this.flowRate = flowRate;
  }

  /**
   * The use in a run of a collective.
   *
   * @param run its counters
   * @param links places of the fabric's links
   */
  static LinkUse of(Measurements run, NodeLinks links) {
    LinkCounters counters = run.counters();
    double ps = Math.max(1, run.endPs());
    double[] most = new double[links.count()];
    double bytes = 0;
    double crossings = 0;
    for (int link = 0; link < run.links(); link++) {
      int place = links.place(link);
      most[place] = Math.max(most[place], Math.min(1, counters.busyPs(link) / ps));
      bytes += counters.payloadBytes(link);
      crossings += counters.units(link);
    }
    return of(most, Math.max(1, bytes) / Math.max(1, crossings) / ps);
  }

  /**
   * A use of links.
   *
   * @param shares of time for which the busiest link of each place carries bytes, from 0 to 1
   * @param flowRate mean rate of a flow, in bytes per picosecond
   */
  static LinkUse of(double[] shares, double flowRate) {
    int[] places = IntStream.range(0, shares.length).filter(place -> shares[place] > 0).toArray();
    return new LinkUse(places, Arrays.stream(places).mapToDouble(place -> shares[place]).toArray(), flowRate);
  }

  /** Places from 0 on among which its links have theirs. */
  int places() {
    return places.length == 0 ? 0 : 1 + places[places.length - 1];
  }

  /** The number of links. */
  int links() {
    return places.length;
  }

  /** The place of a link. */
  int place(int link) {
    return places[link];
  }

  /** The share of time for which a link carries bytes. */
  double share(int link) {
    return shares[link];
  }

  /** The mean rate of a flow, in bytes per picosecond. */
  double flowRate() {
    return flowRate;
  }
}
