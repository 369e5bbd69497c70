package dev.heddle.cli.train;

import dev.heddle.training.Estimate;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.program.Activity;
import dev.heddle.workload.megatron.program.Iteration;
import java.util.Locale;
import java.util.Optional;

/** Figures as the reports of training jobs print them. */
final class Figures {
  private static final double JOULES_PER_KWH = 3.6e6;
  /** Passes of layers that an estimate follows in a second, by order of magnitude: 84,000 on a core of an AMD EPYC. */
  private static final long PASSES_PER_SECOND = 100_000;
  /** Seconds of an estimate from which it is announced. */
  private static final long LONG_SECONDS = 10;
  /** Share of an iteration's time from which waiting for the host is pointed out. */
  private static final double HOST_SHARE = 0.05;

  private Figures() {}

  /** A number in three to four digits, of small ones the first three behind the point. */
  static String number(double value) {
    return String.format(Locale.ROOT, value >= 1000 ? "%,.0f" : value >= 100 ? "%.1f" : "%.3f", value);
  }

  /** A number in three to four digits, however small. */
  static String significant(double value) {
    int zeros = value > 0 && value < 1 ? (int) -Math.floor(Math.log10(value)) - 1 : 0;
    return zeros == 0 ? number(value) : String.format(Locale.ROOT, "%." + (3 + Math.min(zeros, 6)) + "f", value);
  }

  /** A line on the differences between ranks that estimates leave out; empty where there are none. */
  static String leftOut(Training training) {
    return training.variation().present()
        ? "Estimates leave out the jitter and the stragglers of --variation, which runs count" + System.lineSeparator()
        : "";
  }

  /** The notice before an estimate that takes long, which follows all passes of all micro-batches; empty otherwise. */
  static Optional<String> longWait(Iteration iteration) {
    int layers = iteration.training().model().layers();
    long passes = 2L * iteration.micros() * layers;
    return passes < LONG_SECONDS * PASSES_PER_SECOND ? Optional.empty()
        : Optional.of(String.format(Locale.ROOT,
            "%,d micro-batches of %,d layers are %,d passes. An estimate takes about a second for %,d of them, a run"
                + " takes longer; --fidelity estimate leaves the run out, a smaller --global-batch or a larger"
                + " --micro-batch has fewer passes",
            iteration.micros(), layers, passes, PASSES_PER_SECOND));
  }

  /** A line on the share of an iteration that waits for its host; empty for a small one. */
  static String hostBound(Estimate estimate) {
    double share = estimate.seconds(Activity.HOST) / estimate.seconds();
    return share < HOST_SHARE ? ""
        : String.format(Locale.ROOT,
            "%nAccelerators wait for launches by the host for %.0f %% of the iteration: a CUDA graph (--execution"
                + " {graphs: [full-iteration]}) or larger micro-batches (--micro-batch) take fewer%n",
            100 * share);
  }

  /** Kilowatt hours of an energy in J. */
  static double kilowattHours(double joules) {
    return joules / JOULES_PER_KWH;
  }
}
