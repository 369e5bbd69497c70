package dev.heddle.network.analytic;

import dev.heddle.network.Meter;
import dev.heddle.network.flow.IdleFabric;
import dev.heddle.network.flow.LinkTraffic;

/** Traffic of links by messages that take their uncontended time. */
final class LinkTotals extends LinkTraffic {
  LinkTotals(int links, Meter window) {
    super(links, window);
  }

  /** Adds the traffic of a message on the planned path between its departure and its end. */
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
}
