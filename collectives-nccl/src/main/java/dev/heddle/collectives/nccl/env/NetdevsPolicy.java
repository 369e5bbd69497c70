package dev.heddle.collectives.nccl.env;

/**
 * Policy for the number of NICs of a GPU.
 *
 * @param all whether a GPU uses all NICs near it, also those of other GPUs
 * @param most largest number of NICs; 0 for an equal share
 */
public record NetdevsPolicy(boolean all, int most) {
  /** An equal share for each GPU. */
  public static final NetdevsPolicy AUTO = new NetdevsPolicy(false, 0);

  /** Reads {@code AUTO}, {@code ALL} or {@code MAX:n}. */
  static NetdevsPolicy parse(String text) {
    if (text.equalsIgnoreCase("AUTO")) {
      return AUTO;
    }
    if (text.equalsIgnoreCase("ALL")) {
      return new NetdevsPolicy(true, 0);
    }
    if (text.regionMatches(true, 0, "MAX:", 0, 4)) {
      return new NetdevsPolicy(false, Variable.number(text.substring(4), 1, 64));
    }
    throw new IllegalArgumentException("is no policy");
  }

  /**
   * The number of NICs that one GPU uses.
   *
   * @param near number of NICs nearest to it
   * @param sharing number of GPUs that share these NICs
   */
  public int count(int near, int sharing) {
    if (all) {
      return near;
    }
    return most > 0 ? Math.min(most, near) : (near + sharing - 1) / sharing;
  }
}
