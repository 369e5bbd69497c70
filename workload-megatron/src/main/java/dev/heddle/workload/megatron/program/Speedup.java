package dev.heddle.workload.megatron.program;

/**
 * A resource that is faster than the machine's.
 *
 * @param resource that is faster
 * @param factor by which its times are divided, above 0
 */
public record Speedup(Resource resource, double factor) {
  /** The machine as it is. */
  public static final Speedup NONE = new Speedup(Resource.ARITHMETIC, 1);

  /** The factor by which times of a resource are divided. */
  public double of(Resource other) {
    return other == resource ? factor : 1;
  }
}
