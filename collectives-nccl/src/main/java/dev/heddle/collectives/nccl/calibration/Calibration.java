package dev.heddle.collectives.nccl.calibration;

import com.google.common.collect.ImmutableList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The fit of constants to measured tables: in turn the launches and NIC efficiencies of machines, the constants of GPU
 * generations and those of networks, each within its bounds. The error of a table is the mean absolute logarithm of
 * modelled over measured time in three bands of size, weighted 1, 0.4 and 0.3 from large to small. The weight of a
 * table is one over the root of the number of its machine's tables.
 */
public final class Calibration {
  /** The least size of the band of large calls, bytes. */
  public static final long LARGE = 8L << 20;
  /** The least size of the band of middle calls, bytes. */
  public static final long MIDDLE = 64L << 10;

  /** Rounds of a fit that begins at the priors. */
  public static final int ROUNDS = 4;

  private static final double[] BAND_WEIGHTS = {0.3, 0.4, 1};
  private static final double MOST_LOGARITHM = 0.7;
  private static final double DRIFT = 0.005;
  private static final List<Constant> LAUNCH = List.of(new Constant(
      "launch", "us", "host and driver, from a call to the kernel's first step", 1, 30,
      "an empty kernel takes 2 to 3 us"));

  private final ImmutableList<MeasuredTable> tables;
  private final Map<String, Long> tablesOfMachine;

  /** A calibration on tables. */
  public Calibration(List<MeasuredTable> tables) {
    this.tables = ImmutableList.copyOf(tables);
    tablesOfMachine =
        tables.stream()
            .collect(Collectors.groupingBy(MeasuredTable::machine, LinkedHashMap::new, Collectors.counting()));
  }

  /** The band of a size: 0 small, 1 middle, 2 large. */
  public static int band(long bytes) {
    return bytes >= LARGE ? 2 : bytes >= MIDDLE ? 1 : 0;
  }

  /** The constants of least error, fitted for all generations and networks of the tables. */
  public ConstantSet fit(ConstantSet start, int rounds) {
    Set<String> generations =
        tables.stream().map(MeasuredTable::generation).collect(Collectors.toCollection(TreeSet::new));
    Set<String> networks = tables.stream().map(MeasuredTable::network).filter(id -> !id.isEmpty())
        .collect(Collectors.toCollection(TreeSet::new));
    return fit(start, rounds, generations, networks);
  }

  /** The constants of least error, fitted for some generations and networks only. */
  public ConstantSet fit(ConstantSet start, int rounds, Set<String> generations, Set<String> networks) {
    ConstantSet best = start;
    for (int round = 0; round < rounds; round++) {
      for (String machine : tablesOfMachine.keySet()) {
        best = fitEfficiency(fitLaunch(best, machine), machine);
      }
      for (String generation : generations) {
        best = medianLaunch(best, generation);
      }
      for (String generation : generations) {
        List<MeasuredTable> of = tables.stream().filter(table -> table.generation().equals(generation)).toList();
        ConstantSet base = best;
        double[] before = GpuConstants.values(base.gpu(generation));
        double[] values = PatternSearch.minimize(GpuConstants.of(generation), before,
            trial -> error(base.withGpu(generation, trial), of) + drift(before, trial, of));
        best = base.withGpu(generation, values);
      }
      for (String network : networks) {
        List<MeasuredTable> of = tables.stream().filter(table -> table.network().equals(network)).toList();
        ConstantSet base = best;
        double[] before = NetworkConstants.values(base.network(network));
        double[] values = PatternSearch.minimize(NetworkConstants.of(base.network(network)), before,
            trial -> error(base.withNetwork(network, trial), of) + drift(before, trial, of));
        best = base.withNetwork(network, values);
      }
    }
    return best;
  }

  private ConstantSet fitLaunch(ConstantSet base, String machine) {
    List<MeasuredTable> of = tables.stream().filter(table -> table.machine().equals(machine))
        .filter(table -> table.rows().stream().anyMatch(row -> row.bytes() < MIDDLE)).toList();
    if (of.isEmpty()) {
      return base;
    }
    double[] values = PatternSearch.minimize(
        LAUNCH, new double[] {base.launchMicros().getOrDefault(
            machine, GpuConstants.micros(base.gpu(of.get(0).generation()).launch()))},
        trial -> error(base.withLaunch(machine, trial[0]), of));
    return base.withLaunch(machine, values[0]);
  }

  private ConstantSet fitEfficiency(ConstantSet base, String machine) {
    List<MeasuredTable> of = tables.stream().filter(table -> table.machine().equals(machine))
        .filter(table -> !table.network().isEmpty())
        .filter(table -> table.rows().stream().anyMatch(row -> row.bytes() >= LARGE)).toList();
    if (of.isEmpty()) {
      return base;
    }
    double start = base.efficiencies().getOrDefault(machine, base.network(of.get(0).network()).efficiency());
    double[] values = PatternSearch.minimize(List.of(NetworkConstants.EFFICIENCY), new double[] {start},
        trial -> error(base.withEfficiency(machine, trial[0]), of));
    return base.withEfficiency(machine, values[0]);
  }

  private ConstantSet medianLaunch(ConstantSet base, String generation) {
    double[] sorted = tables.stream().filter(table -> table.generation().equals(generation))
        .map(MeasuredTable::machine).distinct().filter(base.launchMicros()::containsKey)
        .mapToDouble(base.launchMicros()::get).sorted().toArray();
    return sorted.length == 0 ? base
        : base.withGenerationLaunch(generation, (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2);
  }

  // A penalty on changes, which keeps constants that no table identifies at their old values.
  private double drift(double[] before, double[] trial, List<MeasuredTable> of) {
    double sum = 0;
    for (int i = 0; i < trial.length; i++) {
      double logarithm = Math.log(trial[i] / before[i]);
      sum += logarithm * logarithm;
    }
    double weight = of.stream().mapToDouble(table -> 1 / Math.sqrt(tablesOfMachine(table))).sum();
    return DRIFT * weight * sum;
  }

  // The number of tables of a table's machine.
  private long tablesOfMachine(MeasuredTable table) {
    return Objects.requireNonNull(tablesOfMachine.get(table.machine()));
  }

  private double error(ConstantSet constants, List<MeasuredTable> of) {
    double sum = 0;
    for (MeasuredTable table : of) {
      sum += error(table, table.modelMicros(constants.timing(table))) / Math.sqrt(tablesOfMachine(table));
    }
    return sum;
  }

  static double error(MeasuredTable table, double[] model) {
    double[] sums = new double[BAND_WEIGHTS.length];
    int[] counts = new int[BAND_WEIGHTS.length];
    for (int i = 0; i < model.length; i++) {
      MeasuredTable.Row row = table.rows().get(i);
      int band = band(row.bytes());
      sums[band] += Math.min(MOST_LOGARITHM, Math.abs(Math.log(model[i] / row.micros())));
      counts[band]++;
    }
    double error = 0;
    for (int band = 0; band < sums.length; band++) {
      error += counts[band] > 0 ? BAND_WEIGHTS[band] * sums[band] / counts[band] : 0;
    }
    return error;
  }
}
