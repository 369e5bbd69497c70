package dev.heddle.verification;

import com.google.common.collect.Lists;
import com.google.common.math.PairedStatsAccumulator;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.results.Results;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.training.SideBySide;
import dev.heddle.units.DataSize;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Runs of Neuron's algorithms on a trn2.48xlarge: all algorithms, operations, sizes, at packet and flow fidelity. */
final class TrainiumRuns {
  static final List<String> ALGORITHMS = List.of("ring", "mesh", "rdh", "kangaring");
  /** RDH with its stages one after the other; run only around the crossing with KangaRing's curve. */
  static final String RDH_IN_TURN = "rdh, stages: in-turn";

  private static final List<String> BETWEEN = List.of("rdh", "kangaring");

  static final List<CollectiveOp> OPS =
      List.of(CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER, CollectiveOp.ALL_REDUCE);
  static final List<Fidelity> FIDELITIES = List.of(Fidelity.PACKET, Fidelity.FLOW);

  private static final int RANKS = 64;
  private static final double WINDOW = 2;
  private static final long LEAST_IN_TURN = 4L << 20;
  private static final long MOST_IN_TURN = 64L << 20;
  // Around crossings of curves, packets are simulated one by one, as descriptors of DMA; elsewhere in bursts that fit
  // the links' buffers.
  private static final int PACKET = 4 << 10;
  private static final int BURST = 16 << 10;
  private static final long MOST_IN_PACKETS = 96L << 20;

  private final ScenarioReader reader;
  private final List<Long> sizes;
  private final List<Long> between;
  private final long mapBytes;
  private final Map<String, Double> us = new LinkedHashMap<>();
  private final Map<String, Results> maps = new LinkedHashMap<>();

  private TrainiumRuns(ScenarioReader reader, List<Long> sizes, List<Long> between, long mapBytes) {
    this.reader = reader;
    this.mapBytes = mapBytes;
    this.sizes = List.copyOf(sizes);
    this.between = List.copyOf(between);
  }

  /** Powers of two. */
  static List<Long> sizes(int first, int last) {
    List<Long> sizes = new ArrayList<>();
    for (int power = first; power <= last; power++) {
      sizes.add(1L << power);
    }
    return sizes;
  }

  /** Runs all, on as many threads as there are processors; runs are independent, so that their order has no effect. */
  static TrainiumRuns of(ScenarioReader reader, List<Long> sizes, List<Long> between, long mapBytes) {
    TrainiumRuns runs = new TrainiumRuns(reader, sizes, between, mapBytes);
    Map<String, Supplier<Double>> work = new LinkedHashMap<>();
    for (long size : Lists.reverse(runs.all())) {
      for (String algorithm : between.contains(size) ? BETWEEN : algorithms(size)) {
        for (CollectiveOp op : OPS) {
          for (Fidelity fidelity : FIDELITIES) {
            work.put(key(algorithm, op, size, fidelity), () -> time(runs.run(algorithm, op, size, fidelity), op));
          }
        }
      }
    }
    runs.us.putAll(SideBySide.results(work));
    return runs;
  }

  private List<Long> all() {
    return Stream.concat(sizes.stream(), between.stream()).sorted().toList();
  }

  private static List<String> algorithms(long size) {
    List<String> algorithms = new ArrayList<>(ALGORITHMS);
    if (size >= LEAST_IN_TURN && size <= MOST_IN_TURN) {
      algorithms.add(RDH_IN_TURN);
    }
    return algorithms;
  }

  private static String key(String algorithm, CollectiveOp op, long size, Fidelity fidelity) {
    return algorithm + ' ' + op.key() + ' ' + size + ' ' + fidelity;
  }

  /** The time of a collective in microseconds. */
  static double time(Results results, CollectiveOp op) {
    return results.metric("collective." + op.key() + ".time").orElseThrow().value();
  }

  /** One run on 64 ranks of a trn2.48xlarge. */
  Results run(String algorithm, CollectiveOp op, long bytes, Fidelity fidelity) {
    return run("trn2-48xlarge", RANKS, "{type: neuron, algorithm: " + algorithm + "}", op, bytes, fidelity);
  }

  /** One run on the first ranks of a cluster. */
  Results run(
      String cluster, int ranks, String collectives, CollectiveOp op, long bytes, Fidelity fidelity) {
    String scenario = String.format(
        Locale.ROOT, """
            name: neuron
            fidelity: %s
            run: {burst: %d B}
            cluster: {preset: %s}
            workload: {type: collective, op: %s, size: %d B, ranks: %d}
            collectives: %s
            """,
        fidelity.name().toLowerCase(Locale.ROOT),
        bytes <= MOST_IN_PACKETS ? PACKET : BURST, cluster, op.key(), bytes, ranks, collectives);
    Simulation simulation =
        reader.parse("neuron", scenario, Map.of()).points().get(0).scenario().simulation();
    return simulation.run();
  }

  /** The sizes, ascending. */
  List<Long> sizes() {
    return sizes;
  }

  /** The time of a run, microseconds. */
  double us(String algorithm, CollectiveOp op, long size, Fidelity fidelity) {
    Double found = us.get(key(algorithm, op, size, fidelity));
    if (found == null) {
      throw new IllegalArgumentException("nothing was run with " + key(algorithm, op, size, fidelity));
    }
    return found;
  }

  /** The algorithm that takes the least time. */
  String best(CollectiveOp op, long size, Fidelity fidelity) {
    String best = ALGORITHMS.get(0);
    for (String algorithm : ALGORITHMS) {
      if (us(algorithm, op, size, fidelity) < us(best, op, size, fidelity)) {
        best = algorithm;
      }
    }
    return best;
  }

  /** The size from which one algorithm stays ahead of another, on straight lines between sizes; NaN if never. */
  double crossing(String small, String large, CollectiveOp op, Fidelity fidelity) {
    List<Long> both = common(small, large, op, fidelity);
    for (int i = both.size() - 1; i >= 0; i--) {
      double lead = us(large, op, both.get(i), fidelity) - us(small, op, both.get(i), fidelity);
      if (lead >= 0) {
        if (i == both.size() - 1) {
          return Double.NaN;
        }
        double next = us(large, op, both.get(i + 1), fidelity) - us(small, op, both.get(i + 1), fidelity);
        return both.get(i) + (both.get(i + 1) - both.get(i)) * lead / (lead - next);
      }
    }
    return both.get(0);
  }

  /**
   * The size from which one algorithm stays ahead of another by a line through its lead, as a share of the other's time
   * over the logarithm of sizes up to a factor of two from their crossing: the error of a single size has little
   * influence. NaN if never.
   */
  double fitted(String small, String large, CollectiveOp op, Fidelity fidelity) {
    double crossing = crossing(small, large, op, fidelity);
    PairedStatsAccumulator lead = new PairedStatsAccumulator();
    for (long size : common(small, large, op, fidelity)) {
      if (size >= crossing / WINDOW && size <= crossing * WINDOW) {
        lead.add(Math.log(size), 1 - us(large, op, size, fidelity) / us(small, op, size, fidelity));
      }
    }
    return lead.count() < 2 ? Double.NaN : Math.exp(lead.leastSquaresFit().inverse().transform(0));
  }

  private List<Long> common(String one, String other, CollectiveOp op, Fidelity fidelity) {
    return all().stream()
        .filter(size -> us.containsKey(key(one, op, size, fidelity)) && us.containsKey(key(other, op, size, fidelity)))
        .toList();
  }

  /** The label of the run whose links are drawn. */
  String mapLabel() {
    return label(mapBytes);
  }

  /** The run whose links are drawn. */
  Results map(String algorithm) {
    return maps.computeIfAbsent(
        algorithm, wanted -> run(wanted, CollectiveOp.ALL_GATHER, mapBytes, Fidelity.PACKET));
  }

  /** The links between chips. */
  static List<LinkUsage> betweenChips(Results results) {
    return results.links().stream()
        .filter(
            link -> link.name().indexOf("chip") >= 0 && link.name().indexOf("chip") != link.name().lastIndexOf("chip"))
        .toList();
  }

  /** The bytes that all links between chips carried. */
  static double carriedBytes(Results results) {
    return betweenChips(results).stream().mapToDouble(LinkUsage::payloadGBps).sum() * 1e3 * endUs(results);
  }

  /** The bytes that all memories read and wrote. */
  static double touchedBytes(Results results) {
    return results.links().stream()
        .filter(link -> link.name().contains("hbm") && link.name().contains("accelerator"))
        .mapToDouble(LinkUsage::payloadGBps).sum() * 1e3 * endUs(results);
  }

  private static double endUs(Results results) {
    return results.metric("time").orElseThrow().value();
  }

  /** A size in the usual notation. */
  static String label(long bytes) {
    return DataSize.ofBytes(bytes).toString();
  }
}
