package dev.heddle.collectives.nccl.tuner;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.ConstantTable;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.Protocol;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The constants of the tuning model for one version, read once: a job on thousands of ranks has thousands of
 * communicators, each with a tuner.
 */
final class TuningConstants {
  private static final ConstantTable LATENCY = ConstantTable.read("tuning-latency.csv");
  private static final ConstantTable BANDWIDTH = ConstantTable.read("tuning-bandwidth.csv");
  private static final ConstantTable FACTORS = ConstantTable.read("tuning-factors.csv");
  private static final ConstantTable TREE_SIZES = ConstantTable.read("tuning-tree-sizes.csv");

  private static final ConcurrentMap<NcclVersion, TuningConstants> KNOWN = new ConcurrentHashMap<>();

  private final NcclVersion version;
  // By place, algorithm and protocol; NaN where the version has none.
  private final double[][][] latenciesUs;
  private final ImmutableList<Bound> bounds;
  private final ImmutableMap<String, Double> factors;
  private final double[][] treeShares;

  /** Bounds on one node, two and more from a compute capability on, GB/s. */
  private record Bound(String table, int capability, double one, double two, double more) {
    static Bound of(Map<String, String> row) {
      return new Bound(BANDWIDTH.cell(row, "table"), Integer.parseInt(BANDWIDTH.cell(row, "capability")),
          number(row, "one"), number(row, "two"), number(row, "more"));
    }

    private static double number(Map<String, String> row, String column) {
      return Double.parseDouble(BANDWIDTH.cell(row, column));
    }

    double on(int nodes) {
      return nodes == 1 ? one : nodes == 2 ? two : more;
    }
  }

  private TuningConstants(NcclVersion version) {
    this.version = version;
    latenciesUs = new double[Place.values().length][Algorithm.values().length][Protocol.values().length];
    readLatencies();
    bounds = BANDWIDTH.rows(version).stream().map(Bound::of).collect(ImmutableList.toImmutableList());
    Map<String, Double> read = new LinkedHashMap<>();
    FACTORS.rows(version).forEach(row -> read.putIfAbsent(
        FACTORS.cell(row, "factor"), Double.parseDouble(FACTORS.cell(row, "value"))));
    factors = ImmutableMap.copyOf(read);
    treeShares = Arrays.stream(Protocol.values()).map(this::readTreeShares).toArray(double[][]::new);
  }

  /** The constants of a version. */
  static TuningConstants of(NcclVersion version) {
    return KNOWN.computeIfAbsent(version, TuningConstants::new);
  }

  // The first row of a place and an algorithm holds.
  private void readLatencies() {
    List<Map<String, String>> rows = LATENCY.rows(version);
    for (Place place : Place.values()) {
      for (Algorithm algorithm : Algorithm.values()) {
        Optional<Map<String, String>> found = rows.stream().filter(
            row -> LATENCY.cell(row, "kind").equals(place.key())
                && LATENCY.cell(row, "algorithm").equals(algorithm.title()))
            .findFirst();
        for (Protocol protocol : Protocol.values()) {
          latenciesUs[place.ordinal()][algorithm.ordinal()][protocol.ordinal()] =
              found.map(row -> Double.parseDouble(LATENCY.cell(row, protocol.title().toLowerCase(Locale.ROOT))))
                  .orElse(Double.NaN);
        }
      }
    }
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
    double latencyUs = latenciesUs[place.ordinal()][algorithm.ordinal()][protocol.ordinal()];
    if (Double.isNaN(latencyUs)) {
      throw new IllegalStateException("no latency " + place + " of " + algorithm + " in NCCL " + version);
    }
    return latencyUs;
  }

  /** A bound, GB/s; infinite if the version has none. */
  double bound(String table, int capability, int nodes) {
    double found = Double.POSITIVE_INFINITY;
    for (Bound bound : bounds) {
      if (bound.capability() <= capability && bound.table().equals(table)) {
        found = bound.on(nodes);
      }
    }
    return found;
  }

  double factor(String name) {
    Double factor = factors.get(name);
    if (factor == null) {
      throw new IllegalStateException("no factor " + name + " in NCCL " + version);
    }
    return factor;
  }

  /** The share of its bandwidth that a tree reaches at a size. */
  double treeShare(Protocol protocol, long bytes) {
    int power = 63 - Long.numberOfLeadingZeros(Math.max(1, bytes >> 6));
    double[] shares = treeShares[protocol.ordinal()];
    return power < shares.length ? shares[power] : 1;
  }
}
