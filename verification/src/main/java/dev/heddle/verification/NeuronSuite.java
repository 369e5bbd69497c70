package dev.heddle.verification;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.LinkMap;
import dev.heddle.results.ValidationReport.Plot;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Fidelity;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.ValidationSuite;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Comparison of Ring, Mesh, KangaRing and RDH on 64 ranks of a trn2.48xlarge with the statements of the document (the
 * best sizes of each, memory accesses, the time of a hop [Neuron]) and with nccom-test's sample tables.
 */
public final class NeuronSuite implements ValidationSuite {
  private static final String DOCUMENT = "AWS Neuron documentation, Intra-node collective communications";
  private static final double MESH_TO_RDH = 1e6;
  private static final double RDH_TO_KANGARING = 56e6;
  private static final double FACTOR = 1.5;
  private static final double PERCENT = 100;
  private static final int MIB = 1 << 20;
  private static final long KIB = 1L << 10;
  private static final int RANKS = 64;
  private static final long MAP_BYTES = 256L * MIB;
  // Sizes around the crossing of RDH's and KangaRing's curves, in addition to powers of two.
  private static final List<Long> BETWEEN =
      LongStream.of(24, 40, 48, 56, 72, 80, 96).map(size -> size * MIB).boxed().toList();

  @Override
  public String id() {
    return "neuron";
  }

  @Override
  public String description() {
    return "Trainium2's collectives against the ranges, counts and latencies that AWS Neuron's documentation states";
  }

  @Override
  public ValidationReport run(Optional<Path> data) {
    if (data.isPresent()) {
      throw new InvalidSettingException("", "the suite neuron compares with a document; it takes no --data");
    }
    return run(TrainiumRuns.sizes(3, 30), MAP_BYTES, true);
  }

  /**
   * The comparison over given sizes.
   *
   * @param sizes ascending
   * @param mapBytes of the all_gather whose links are drawn
   * @param whole whether more sizes are run where curves cross, and nccom-test's tables are compared too
   */
  static ValidationReport run(List<Long> sizes, long mapBytes, boolean whole) {
    try (Registry registry = Registry.discover(NeuronSuite.class.getClassLoader(), List.of())) {
      TrainiumRuns runs = TrainiumRuns.of(new ScenarioReader(registry), sizes, whole ? BETWEEN : List.of(), mapBytes);
      List<Table> tables = new ArrayList<>();
      tables.addAll(crossovers(runs, "mesh", "rdh", MESH_TO_RDH));
      tables.addAll(crossovers(runs, "rdh", "kangaring", RDH_TO_KANGARING));
      tables.add(new Table(
          "Size from which kangaring is ahead of rdh with its stages one after the other", DOCUMENT, "MB",
          crossings(runs, TrainiumRuns.RDH_IN_TURN, "kangaring", RDH_TO_KANGARING), Double.NaN));
      tables.add(best(runs));
      tables.add(nearBorders(runs));
      tables.add(ahead(runs));
      tables.add(touches(runs));
      tables.add(hops(runs));
      tables.add(utilisation(runs));
      DataFolder folder = DataFolder.bundled("neuron");
      for (String file : whole ? folder.names(".csv") : List.<String>of()) {
        tables.addAll(NeuronSamples.compare(runs, file, folder.text(file)));
      }
      List<String> notes = folder.text("notes.txt").lines().filter(line -> !line.isBlank()).toList();
      ValidationReport report =
          new ValidationReport("neuron", tables, notes, plots(runs), maps(runs), Optional.empty());
      return whole ? report.with(SuiteBasis.of(folder, report)) : report;
    }
  }

  /**
   * The final crossing of two curves, and the crossing of a line through them; the largest deviation is a separate
   * table, which has the bound.
   */
  private static List<Table> crossovers(TrainiumRuns runs, String small, String large, double stated) {
    List<Row> forGood = crossings(runs, small, large, stated);
    List<Row> fitted = rows(stated, (op, fidelity) -> runs.fitted(small, large, op, fidelity));
    double most = Stream.concat(forGood.stream(), fitted.stream())
        .mapToDouble(row -> Math.max(row.model() / row.reference(), row.reference() / row.model())).max().orElseThrow();
    String name = "Size from which " + large + " is ahead of " + small;
    return List.of(
        new Table(name, DOCUMENT, "MB", forGood, Double.NaN),
        new Table(name + " by a line through its lead", DOCUMENT, "MB", fitted, Double.NaN),
        new Table(
            name + ": largest factor between ours and the document's, 100 % being equal", DOCUMENT, "%",
            List.of(
                new Row("all operations, both fidelities, both ways", OptionalLong.empty(), PERCENT, PERCENT * most)),
            PERCENT * (FACTOR - 1)));
  }

  private static List<Row> crossings(TrainiumRuns runs, String small, String large, double stated) {
    return rows(stated, (op, fidelity) -> runs.crossing(small, large, op, fidelity));
  }

  private static List<Row> rows(double stated, ToDoubleBiFunction<CollectiveOp, Fidelity> border) {
    List<Row> rows = new ArrayList<>();
    for (Fidelity fidelity : TrainiumRuns.FIDELITIES) {
      for (CollectiveOp op : TrainiumRuns.OPS) {
        double crossing = border.applyAsDouble(op, fidelity);
        rows.add(new Row(op.key() + ", " + key(fidelity), OptionalLong.empty(), stated / 1e6, crossing / 1e6));
      }
    }
    return rows;
  }

  private static String key(Fidelity fidelity) {
    return fidelity.name().toLowerCase(Locale.ROOT);
  }

  /**
   * The number of sizes of each range in which the algorithm that the document names is fastest, without sizes near a
   * limit of the range.
   */
  private static Table best(TrainiumRuns runs) {
    List<Row> rows = new ArrayList<>();
    for (Fidelity fidelity : TrainiumRuns.FIDELITIES) {
      rows.add(range(runs, fidelity, "mesh", 0, MESH_TO_RDH / FACTOR));
      rows.add(range(runs, fidelity, "rdh", MESH_TO_RDH * FACTOR, RDH_TO_KANGARING / FACTOR));
      rows.add(range(runs, fidelity, "kangaring", RDH_TO_KANGARING * FACTOR, Double.POSITIVE_INFINITY));
    }
    return new Table(
        "Sizes at which the algorithm is best that the document names for them", DOCUMENT + ", Algorithm Summary",
        "sizes and operations", rows, 0);
  }

  private static Row range(TrainiumRuns runs, Fidelity fidelity, String algorithm, double from, double to) {
    int all = 0;
    int best = 0;
    for (CollectiveOp op : TrainiumRuns.OPS) {
      for (long size : runs.sizes()) {
        if (size >= from && size <= to) {
          all++;
          best += runs.best(op, size, fidelity).equals(algorithm) ? 1 : 0;
        }
      }
    }
    return new Row(algorithm + ", " + key(fidelity), OptionalLong.empty(), all, best);
  }

  /**
   * The sizes that {@link #best} excludes: those within the factor of a border, compared with the range in which they
   * lie.
   */
  private static Table nearBorders(TrainiumRuns runs) {
    List<Row> rows = new ArrayList<>();
    for (Fidelity fidelity : TrainiumRuns.FIDELITIES) {
      for (long size : runs.sizes().stream().filter(NeuronSuite::nearBorder).toList()) {
        String named = size < MESH_TO_RDH ? "mesh" : size < RDH_TO_KANGARING ? "rdh" : "kangaring";
        long best = TrainiumRuns.OPS.stream().filter(op -> runs.best(op, size, fidelity).equals(named)).count();
        rows.add(new Row(size / KIB + " KiB, " + named + ", " + key(fidelity), OptionalLong.of(size),
            TrainiumRuns.OPS.size(), best));
      }
    }
    return new Table(
        "Sizes within a factor of 1.5 of a border: operations whose best algorithm is the one that the document names",
        DOCUMENT + ", Algorithm Summary", "operations", rows, Double.NaN);
  }

  private static boolean nearBorder(long size) {
    return Stream.of(MESH_TO_RDH, RDH_TO_KANGARING)
        .anyMatch(border -> size > border / FACTOR && size < border * FACTOR);
  }

  private static Table ahead(TrainiumRuns runs) {
    List<Row> rows = new ArrayList<>();
    for (Fidelity fidelity : TrainiumRuns.FIDELITIES) {
      for (CollectiveOp op : TrainiumRuns.OPS) {
        long ahead = runs.sizes().stream()
            .filter(size -> runs.us("kangaring", op, size, fidelity) < runs.us("ring", op, size, fidelity)).count();
        rows.add(new Row(op.key() + ", " + key(fidelity), OptionalLong.empty(), runs.sizes().size(), ahead));
      }
    }
    return new Table("Sizes at which KangaRing is ahead of Ring, of all", DOCUMENT + ", KangaRing", "sizes", rows, 0);
  }

  /** A count of the simulation; the document does not count the accesses at a chunk's first and last rank. */
  private static Table touches(TrainiumRuns runs) {
    List<Row> rows = new ArrayList<>();
    for (Fidelity fidelity : TrainiumRuns.FIDELITIES) {
      rows.add(touches(runs, "ring", CollectiveOp.ALL_GATHER, fidelity, 4));
      rows.add(touches(runs, "kangaring", CollectiveOp.ALL_GATHER, fidelity, 3));
      rows.add(touches(runs, "ring", CollectiveOp.REDUCE_SCATTER, fidelity, 6));
      rows.add(touches(runs, "kangaring", CollectiveOp.REDUCE_SCATTER, fidelity, 4));
    }
    return new Table(
        "Accesses of HBM for each chunk and two ranks that it passes", DOCUMENT + ", KangaRing", "accesses", rows, 4);
  }

  private static Row touches(
      TrainiumRuns runs, String algorithm, CollectiveOp op, Fidelity fidelity, int stated) {
    Results results = runs.run(algorithm, op, 4 * MIB, fidelity);
    double bytes = TrainiumRuns.touchedBytes(results);
    double perTwoRanks = bytes / (4.0 * MIB) / (RANKS / 2.0);
    return new Row(algorithm + ", " + op.key() + ", " + key(fidelity), OptionalLong.empty(), stated, perTwoRanks);
  }

  private static Table hops(TrainiumRuns runs) {
    List<Row> rows = new ArrayList<>();
    for (Fidelity fidelity : TrainiumRuns.FIDELITIES) {
      long least = runs.sizes().get(0);
      rows.add(new Row(
          "ring, all_gather, " + key(fidelity), OptionalLong.empty(), 1.5,
          runs.us("ring", CollectiveOp.ALL_GATHER, least, fidelity) / (RANKS - 1)));
      rows.add(new Row(
          "kangaring, all_gather, " + key(fidelity), OptionalLong.empty(), 1.5,
          runs.us("kangaring", CollectiveOp.ALL_GATHER, least, fidelity) / (RANKS / 2 - 1)));
    }
    return new Table("Time of a hop; the reference is the middle of 1 to 2 us", DOCUMENT, "us", rows, PERCENT / 3);
  }

  private static Table utilisation(TrainiumRuns runs) {
    List<Row> rows = new ArrayList<>();
    double least = TrainiumRuns.carriedBytes(runs.map("kangaring"));
    for (String algorithm : TrainiumRuns.ALGORITHMS) {
      rows.add(new Row(algorithm, OptionalLong.empty(), PERCENT,
          PERCENT * TrainiumRuns.carriedBytes(runs.map(algorithm)) / least));
    }
    return new Table(
        "What an all_gather of " + runs.mapLabel() + " puts on all links between chips, KangaRing's being 100 %",
        "this simulator at packet fidelity; the reference is KangaRing's", "%", rows, Double.NaN);
  }

  private static List<Plot> plots(TrainiumRuns runs) {
    List<Plot> plots = new ArrayList<>();
    for (CollectiveOp op : TrainiumRuns.OPS) {
      for (Fidelity fidelity : TrainiumRuns.FIDELITIES) {
        String what = op.key() + " on 64 ranks of Trainium2, " + key(fidelity) + " fidelity";
        plots.add(plot(runs, op, fidelity, "Time: " + what, false));
        plots.add(plot(runs, op, fidelity, "Bus bandwidth: " + what, true));
      }
    }
    return plots;
  }

  private static Plot plot(TrainiumRuns runs, CollectiveOp op, Fidelity fidelity, String title, boolean bandwidth) {
    List<Plot.Curve> curves = new ArrayList<>();
    for (String algorithm : TrainiumRuns.ALGORITHMS) {
      List<Double> x = new ArrayList<>();
      List<Double> y = new ArrayList<>();
      for (long size : runs.sizes()) {
        double us = runs.us(algorithm, op, size, fidelity);
        x.add((double) size);
        y.add(bandwidth ? size / us / 1e3 * op.busFactor(RANKS) : us);
      }
      curves.add(new Plot.Curve(algorithm, x, y));
    }
    return new Plot(title, "size [B]", bandwidth ? "bus bandwidth [GB/s]" : "time [us]", !bandwidth, curves);
  }

  private static List<LinkMap> maps(TrainiumRuns runs) {
    List<LinkMap> maps = new ArrayList<>();
    for (String algorithm : TrainiumRuns.ALGORITHMS) {
      List<LinkUsage> links = TrainiumRuns.betweenChips(runs.map(algorithm));
      String what = " by " + algorithm + ", packet fidelity: share of its time that ";
      maps.add(new LinkMap("all_gather of " + runs.mapLabel() + what + "each link between chips is in use", links));
      maps.add(new LinkMap(
          "all_gather of " + runs.mapLabel() + what + "each link waits for room behind it",
          links.stream().map(NeuronSuite::waiting).toList()));
    }
    return maps;
  }

  private static LinkUsage waiting(LinkUsage link) {
    return new LinkUsage(
        link.name(), link.tier(), link.rateGBps(), link.creditStall(), link.payloadGBps(), link.units(),
        link.creditStall(), link.maxQueueBytes());
  }
}
