package dev.heddle.cli.nccl;

import dev.heddle.spi.Cluster;

/** Oversubscription of the network above the NICs. */
final class Oversubscription {
  private Oversubscription() {}

  /**
   * The largest ratio of the rates of the NICs at a switch to the rates of its links to other switches, at least 1; 1
   * where no switch of NICs has links to others.
   */
  static double ratio(Cluster cluster) {
    double[] down = new double[cluster.devices()];
    double[] up = new double[cluster.devices()];
    for (int link = 0; link < cluster.links(); link++) {
      int source = cluster.linkSource(link);
      int target = cluster.linkTarget(link);
      if (cluster.node(source) >= 0 && cluster.node(target) < 0) {
        down[target] += cluster.linkModel(link).rate().bytesPerNano();
      } else if (cluster.node(source) < 0 && cluster.node(target) < 0 && source >= cluster.terminals()
          && target >= cluster.terminals()) {
        up[source] += cluster.linkModel(link).rate().bytesPerNano();
      }
    }
    double most = 1;
    for (int device = 0; device < down.length; device++) {
      if (down[device] > 0 && up[device] > 0) {
        most = Math.max(most, down[device] / up[device]);
      }
    }
    return most;
  }
}
