package dev.heddle.collectives.nccl.env;

/**
 * How many of the NICs near it a GPU uses.
 *
 * @param all whether it uses all of them, whoever shares them
 * @param most at most so many; 0 where its fair share holds
 */
public record NetdevsPolicy(boolean all, int most) {
  /** The share of each GPU. */
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
   * How many NICs one GPU uses.
   *
   * @param near how many are nearest to it
   * @param sharing how many GPUs these are nearest to
   */
  public int count(int near, int sharing) {
    if (all) {
      return near;
    }
    return most > 0 ? Math.min(most, near) : (near + sharing - 1) / sharing;
  }
}
