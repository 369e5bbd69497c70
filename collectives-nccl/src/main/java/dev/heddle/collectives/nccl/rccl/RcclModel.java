package dev.heddle.collectives.nccl.rccl;

import com.google.common.collect.ImmutableMap;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.ConstantTable;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.Protocol;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/** One of RCCL's tuning models: latencies, shares of the rings' bandwidth, and factors by size. */
final class RcclModel {
  private static final ConstantTable LATENCY = ConstantTable.read("rccl-latency.csv");
  private static final ConstantTable BANDWIDTH = ConstantTable.read("rccl-bandwidth.csv");
  private static final ConstantTable SIZES = ConstantTable.read("rccl-sizes.csv");
  private static final int LEAST_SIZE_BITS = 6;
  // Since RCCL 2.22, with one step less of all_reduce between nodes in each direction.
  private static final int LATER = 22;
  private static final double LOCAL_LINES = 1.65;

  private final String number;
  private final NcclVersion version;
  private final RcclRings rings;

  RcclModel(RcclRings rings, NcclVersion version) {
    this.rings = rings;
    this.version = version;
    number = rings.gpu().model(version, rings.perNode(), rings.nics());
  }

  /** The latency of an operation, microseconds. */
  double latencyUs(CollectiveOp op, Algorithm algorithm, Protocol protocol) {
    int nodes = rings.nodes();
    double base = latency("any", "base", algorithm, protocol);
    double within = latency(number, "xgmi", algorithm, protocol);
    double between = latency(number, "net", version.since(LATER) && rings.perNode() == 1 ? Algorithm.TREE : algorithm,
        protocol);
    if (algorithm == Algorithm.TREE) {
      int levels = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(nodes);
      return base + 2 * ((rings.perNode() - 1) * within + levels * between);
    }
    if (op.rooted()) {
      return base + (nodes > 1 ? latency(number, "net", algorithm, protocol) : within);
    }
    double overhead = nodes == 1 ? 0 : (rings.amdHost() ? 2 : 1) * (protocol == Protocol.SIMPLE ? 3 : 1);
    int rounds = op == CollectiveOp.ALL_REDUCE ? 2 : 1;
    int crossings = nodes == 1 ? 0
        : rounds == 2 && !version.since(LATER) ? 2 * nodes : rounds * (nodes - 1);
    return base + (rounds * (rings.ranks() - 1) - crossings) * Math.max(within, overhead) + crossings * between;
  }

  /** The bandwidth of an operation, GB/s: bytes of the call per nanosecond; 0 if it is not used. */
  double bandwidth(CollectiveOp op, Algorithm algorithm, Protocol protocol) {
    boolean local = rings.nodes() == 1;
    if (algorithm == Algorithm.TREE && protocol == Protocol.SIMPLE && local && rings.gpu().favoursRings()) {
      return 0;
    }
    String nodes = rings.nodes() <= 2 ? "2" : "more";
    double bus =
        rings.bandwidth() * number(BANDWIDTH, ImmutableMap.of("model", number, "nodes", nodes), algorithm, protocol);
    if (algorithm == Algorithm.TREE) {
      return bus / 2;
    }
    boolean lines = op.rooted() && protocol == Protocol.LL && local && rings.gpu().favoursRings();
    int ranks = rings.ranks();
    int steps = op == CollectiveOp.ALL_REDUCE ? 2 * (ranks - 1) : op.rooted() ? ranks : ranks - 1;
    return bus * (lines ? LOCAL_LINES : 1) * ranks / steps;
  }

  /** The factor of the bandwidth at a size. */
  double share(Algorithm algorithm, Protocol protocol, long bytes) {
    if (algorithm == Algorithm.RING && rings.nodes() == 1) {
      return 1;
    }
    double[] shares = SIZES.rows(version).stream()
        .filter(row -> SIZES.cell(row, "model").equals(number)
            && SIZES.cell(row, "algorithm").equals(algorithm.title())
            && SIZES.cell(row, "protocol").equals(protocol.title()))
        .findFirst().map(row -> Arrays.stream(SIZES.cell(row, "shares").split(" ")).mapToDouble(Double::parseDouble)
            .toArray())
        .orElseThrow(() -> new IllegalStateException("no factors of RCCL's model " + number + " in " + version));
    int power = 63 - Long.numberOfLeadingZeros(Math.max(1, bytes >> LEAST_SIZE_BITS));
    return shares[Math.min(power, shares.length - 1)];
  }

  private double latency(String model, String place, Algorithm algorithm, Protocol protocol) {
    return number(LATENCY, ImmutableMap.of("model", model, "place", place), algorithm, protocol);
  }

  private double number(ConstantTable table, Map<String, String> keys, Algorithm algorithm, Protocol protocol) {
    for (Map<String, String> row : table.rows(version)) {
      if (table.cell(row, "algorithm").equals(algorithm.title())
          && keys.entrySet().stream().allMatch(key -> table.cell(row, key.getKey()).equals(key.getValue()))) {
        return Double.parseDouble(table.cell(row, protocol.title().toLowerCase(Locale.ROOT)));
      }
    }
    throw new IllegalStateException("RCCL " + version + " has no row " + keys + " of " + algorithm);
  }
}
