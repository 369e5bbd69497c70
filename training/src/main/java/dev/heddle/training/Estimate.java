package dev.heddle.training;

import dev.heddle.workload.megatron.program.Activity;
import dev.heddle.workload.megatron.program.Iteration;
import java.util.OptionalDouble;

/**
 * The estimated time of an iteration.
 *
 * @param iteration that was run
 * @param ps its time
 * @param spentPs time of the compute stream of each stage's ranks, by activity
 */
public record Estimate(Iteration iteration, long ps, long[][] spentPs) {
  /** Copies the arrays. */
  public Estimate {
    spentPs = spentPs.clone();
    for (int i = 0; i < spentPs.length; i++) {
      spentPs[i] = spentPs[i].clone();
    }
  }

  /** The caller's own copy. */
  @Override
  public long[][] spentPs() {
    long[][] copy = spentPs.clone();
    for (int i = 0; i < copy.length; i++) {
      copy[i] = copy[i].clone();
    }
    return copy;
  }

  /** The time of the iteration in seconds. */
  public double seconds() {
    return ps / 1e12;
  }

  /** The time of an activity, the mean over the stages, in seconds. */
  public double seconds(Activity activity) {
    double sum = 0;
    for (long[] stage : spentPs) {
      sum += stage[activity.ordinal()];
    }
    return sum / spentPs.length / 1e12;
  }

  /**
   * Energy of all accelerators in J, without hosts and network; empty where the accelerator's power is not known.
   * Collectives count as waiting.
   */
  public OptionalDouble joules() {
    double computing = seconds(Activity.COMPUTE) + seconds(Activity.RECOMPUTE);
    return iteration.kernelPower()
        .map(power -> OptionalDouble.of(iteration.grid().ranks() * power.joules(computing, seconds())))
        .orElse(OptionalDouble.empty());
  }

  /** Tokens a second of the whole job. */
  public double tokensPerSecond() {
    return iteration.tokensPerSecond(seconds());
  }

  /** Operations of the model a second and accelerator, recomputation not counted. */
  public double flopsPerSecond() {
    return iteration.flopsPerSecond(seconds());
  }

  /** The share of the accelerator's peak rate of 16 bits. */
  public double utilization() {
    return iteration.utilization(seconds());
  }
}
