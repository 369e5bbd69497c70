package dev.heddle.verification;

import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.program.Iteration;
import java.util.Locale;

/** A generation of accelerators with the precision and the kind of model for which bounds are stated. */
enum TrainingStack {
  AMPERE_VOLTA("A100 and V100", 6),
  HOPPER_8_BITS("Hopper, 8 bits, dense", 6),
  HOPPER_16_BITS("Hopper, 16 bits, dense", 8),
  BLACKWELL("Blackwell, dense", 8),
  EXPERTS("Experts", 12),
  FINE_TUNING("Fine-tuning, sequences packed, 8 bits, dense", 6),
  OTHER("Other accelerators", Double.NaN),
  LAYERS("Single layers", 8),
  CHECKS("Checks that set nothing, looked up after the model", Double.NaN),
  COMPOSED("Compositions of another predictor, no measurements", Double.NaN);

  private final String title;
  private final double boundPct;

  TrainingStack(String title, double boundPct) {
    this.title = title;
    this.boundPct = boundPct;
  }

  /** The name for readers. */
  String title() {
    return title;
  }

  /** The bound of the mean absolute error; NaN if none is claimed. */
  double boundPct() {
    return boundPct;
  }

  /** Whether rows are measured iterations that contribute to the mean over all; checks are measured, but apart. */
  boolean measured() {
    return this != LAYERS && this != CHECKS && this != COMPOSED;
  }

  /** The stack of a job that was measured as a whole. */
  static TrainingStack of(Iteration iteration) {
    Training training = iteration.training();
    String name = iteration.accelerator().name().toUpperCase(Locale.ROOT);
    if (training.model().experts().isPresent()) {
      return EXPERTS;
    }
    if (training.packed().isPresent() || training.lora().isPresent()) {
      return FINE_TUNING;
    }
    if (name.matches(".*[HB][123]00.*")) {
      return name.matches(".*B[123]00.*") ? BLACKWELL
          : training.execution().precision().quantised() ? HOPPER_8_BITS : HOPPER_16_BITS;
    }
    return name.contains("A100") || name.contains("V100") ? AMPERE_VOLTA : OTHER;
  }
}
