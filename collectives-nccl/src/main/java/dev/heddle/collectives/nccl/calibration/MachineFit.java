package dev.heddle.collectives.nccl.calibration;

import com.google.common.collect.ImmutableList;
import dev.heddle.collectives.nccl.timing.HostTiming;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.collectives.nccl.timing.NetworkTiming;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The fit of a machine's own constants to its logs: launch, efficiency of the NICs, latency of a network step.
 *
 * @param before timing before the fit
 * @param timing timing after the fit
 * @param values the fitted constants
 * @param rows number of rows used
 */
public record MachineFit(MachineTiming before, MachineTiming timing, List<Value> values, int rows) {
  private static final int EFFICIENCY = 1;
  /** Spread of the logarithm of launch, efficiency and latency over machines of one generation and network. */
  private static final double[] SPREADS = {0.4, 0.05, 0.5};
  private static final double PRIOR = 0.003;
  private static final ImmutableList<String> REMEDIES = ImmutableList.of(
      "measure all_reduce from 8 B to 32 KiB on one node",
      "measure all_reduce, sendrecv or alltoall from 64 MiB between nodes",
      "measure all_reduce from 8 B to 32 KiB between nodes, and on one node");

  /** Copies the values. */
  public MachineFit {
    values = ImmutableList.copyOf(values);
  }

  /** The measurements that determine a constant. */
  public enum Basis {
    /** Times of calls. */
    CALLS,
    /** Messages between two hosts, without NCCL. */
    MESSAGES,
    /** None: the constant keeps its value. */
    NONE
  }

  /**
   * A fitted constant.
   *
   * @param constant with its bounds
   * @param before value before the fit
   * @param fitted value after the fit
   * @param bounded whether messages narrowed its bounds
   * @param basis measurements that determine it
   * @param remedy measurements that would identify it
   */
  public record Value(
      Constant constant, double before, double fitted, boolean bounded, Basis basis, String remedy) {}

  /** Fits the constants of a machine to its tables. */
  public static MachineFit of(List<MeasuredTable> tables, MachineTiming start) {
    return of(tables, start, MessageEvidence.NONE);
  }

  /** Fits the constants of a machine to its tables, within the bounds that messages between its hosts set. */
  public static MachineFit of(List<MeasuredTable> tables, MachineTiming start, MessageEvidence messages) {
    List<Constant> constants = constants(start, messages);
    List<Constant> wide = constants(start, MessageEvidence.NONE);
    double[] before = values(start);
    double[] kept = before.clone();
    for (int i = 0; i < kept.length; i++) {
      kept[i] = i == EFFICIENCY && messages.efficiency().isPresent() ? constants.get(i).most()
          : Math.max(constants.get(i).least(), Math.min(constants.get(i).most(), before[i]));
    }
    IdentifiedFit fit = IdentifiedFit.of(
        constants, kept, trial -> error(tables, timing(start, trial)), trial -> PRIOR * distance(kept, trial));
    List<Value> values = new ArrayList<>();
    for (int i = 0; i < kept.length; i++) {
      Basis basis = fit.identified(i) ? Basis.CALLS
          : kept[i] != before[i] || i == EFFICIENCY && messages.efficiency().isPresent() ? Basis.MESSAGES
          : Basis.NONE;
      boolean bounded = !constants.get(i).equals(wide.get(i));
      values.add(new Value(constants.get(i), before[i], fit.values()[i], bounded, basis, REMEDIES.get(i)));
    }
    int rows = tables.stream().mapToInt(table -> table.rows().size()).sum();
    return new MachineFit(start, timing(start, fit.values()), values, rows);
  }

  // The constants with their bounds, in the order of values and remedies.
  private static List<Constant> constants(MachineTiming start, MessageEvidence messages) {
    Constant launch = new Constant("launch", "us", "host and driver, to the kernel's first step", 1, 30,
        "an empty kernel takes 2 to 3 us");
    return start.network().isPresent() ? List.of(launch, efficiency(messages), latency(messages)) : List.of(launch);
  }

  // The distance from the constants of the generation and of the network, in spreads of machines. It grows linearly, so
  // that measurements that tell a constant are not weakened, and those that do not leave it where it was.
  private static double distance(double[] from, double[] to) {
    double sum = 0;
    for (int i = 0; i < from.length; i++) {
      sum += Math.abs(Math.log(to[i] / from[i])) / SPREADS[i];
    }
    return sum;
  }

  private static Constant efficiency(MessageEvidence messages) {
    Constant all = NetworkConstants.EFFICIENCY;
    double most = Math.max(1.01 * all.least(), Math.min(all.most(), messages.efficiency().orElse(all.most())));
    return new Constant(all.name(), all.unit(), all.meaning(), all.least(), most, all.source());
  }

  private static Constant latency(MessageEvidence messages) {
    Constant all = NetworkConstants.latency();
    double least = Math.min(0.99 * all.most(), Math.max(all.least(), messages.latency().orElse(all.least())));
    return new Constant(all.name(), all.unit(), all.meaning(), least, all.most(), all.source());
  }

  private static double[] values(MachineTiming timing) {
    double launch = GpuConstants.micros(timing.host().launch().orElse(timing.gpu().launch()));
    return timing.network()
        .map(net -> new double[] {launch, net.efficiency(), GpuConstants.micros(net.latency())})
        .orElse(new double[] {launch});
  }

  private static MachineTiming timing(MachineTiming start, double[] values) {
    HostTiming host = new HostTiming(
        Optional.of(GpuConstants.time(values[0])), start.host().enqueue(), start.host().channel(),
        start.host().post());
    return new MachineTiming(start.gpu(), host, start.network().map(net -> {
      double[] changed = NetworkConstants.values(net);
      changed[0] = values[2];
      return NetworkConstants.timing(NetworkConstants.timing(net, changed), Math.min(1, values[1]));
    }));
  }

  private static double error(List<MeasuredTable> tables, MachineTiming timing) {
    return tables.stream().mapToDouble(table -> Calibration.error(table, table.modelMicros(timing))).average()
        .orElse(0);
  }

  /** The mean absolute error of a band of a table, percent; NaN where it has no rows. */
  public static double errorPct(MeasuredTable table, MachineTiming timing, int band) {
    double[] model = table.modelMicros(timing);
    double sum = 0;
    int count = 0;
    for (int i = 0; i < model.length; i++) {
      MeasuredTable.Row row = table.rows().get(i);
      if (Calibration.band(row.bytes()) == band) {
        sum += 100 * Math.abs(model[i] / row.micros() - 1);
        count++;
      }
    }
    return count > 0 ? sum / count : Double.NaN;
  }

  /** The fitted launch, microseconds. */
  public double launch() {
    return values.get(0).fitted();
  }

  /** The fitted network; absent within a node. */
  public Optional<NetworkTiming> network() {
    return timing.network();
  }
}
