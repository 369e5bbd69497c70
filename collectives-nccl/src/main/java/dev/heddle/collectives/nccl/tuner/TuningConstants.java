package dev.heddle.collectives.nccl.tuner;

import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.ConstantTable;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.Protocol;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The constants of the tuning model for one version. */
final class TuningConstants {
  private static final ConstantTable LATENCY = ConstantTable.read("tuning-latency.csv");
  private static final ConstantTable BANDWIDTH = ConstantTable.read("tuning-bandwidth.csv");
  private static final ConstantTable FACTORS = ConstantTable.read("tuning-factors.csv");
  private static final ConstantTable TREE_SIZES = ConstantTable.read("tuning-tree-sizes.csv");

  private final NcclVersion version;
  private final double[][] treeShares;

  TuningConstants(NcclVersion version) {
    this.version = version;
    treeShares = Arrays.stream(Protocol.values()).map(this::readTreeShares).toArray(double[][]::new);
  }

  private double[] readTreeShares(Protocol protocol) {
    Map<String, String> row = TREE_SIZES.rows(version).stream()
        .filter(each -> TREE_SIZES.cell(each, "protocol").equals(protocol.title())).findFirst().orElseThrow();
    return Arrays.stream(TREE_SIZES.cell(row, "shares").split(" ")).mapToDouble(Double::parseDouble).toArray();
  }

  /** The kind of connection that a latency belongs to. */
  enum Place {
    BASE,
    NVLINK,
    PCI,
    NET;

    private String key() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A latency, microseconds. */
  double latencyUs(Place place, Algorithm algorithm, Protocol protocol) {
    for (Map<String, String> row : LATENCY.rows(version)) {
      if (LATENCY.cell(row, "kind").equals(place.key())
          && LATENCY.cell(row, "algorithm").equals(algorithm.title())) {
        return Double.parseDouble(LATENCY.cell(row, protocol.title().toLowerCase(Locale.ROOT)));
      }
    }
    throw new IllegalStateException("no latency " + place + " of " + algorithm + " in NCCL " + version);
  }

  /** A bound, GB/s; empty if the version has none. */
  Optional<Double> bound(String table, int capability, int nodes) {
    String column = nodes == 1 ? "one" : nodes == 2 ? "two" : "more";
    return BANDWIDTH.rows(version).stream()
        .filter(row -> BANDWIDTH.cell(row, "table").equals(table)
            && Integer.parseInt(BANDWIDTH.cell(row, "capability")) <= capability)
        .reduce((first, second) -> second)
        .map(row -> Double.parseDouble(BANDWIDTH.cell(row, column)));
  }

  double factor(String name) {
    return FACTORS.number(version, name, "value");
  }

  /** The share of its bandwidth that a tree reaches at a size. */
  double treeShare(Protocol protocol, long bytes) {
    int power = 63 - Long.numberOfLeadingZeros(Math.max(1, bytes >> 6));
    double[] shares = treeShares[protocol.ordinal()];
    return power < shares.length ? shares[power] : 1;
  }
}
