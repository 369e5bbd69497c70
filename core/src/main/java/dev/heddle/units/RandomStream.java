package dev.heddle.units;

/**
 * A stream of random numbers for one component and one purpose: the same seed and names give the same numbers,
 * independently of other streams.
 */
public final class RandomStream {
  // SplitMix64 [Steele, Lea, Flood 2014]: a counter in steps of the golden ratio through a mixing function.
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private long state;

  private RandomStream(long state) {
    this.state = state;
  }

  /**
   * Derives a stream.
   *
   * @param seed the run's seed
   * @param component path of the component that owns the stream
   * @param purpose of the numbers
   */
  public static RandomStream of(long seed, String component, String purpose) {
    long hash = mix(seed + GOLDEN);
    hash = mix(hash ^ hash(component));
    return new RandomStream(mix(hash ^ hash(purpose) * GOLDEN));
  }

  /** The next 64 random bits. */
  public long nextLong() {
    state += GOLDEN;
    return mix(state);
  }

  /**
   * A uniform integer of 0 to {@code bound - 1}, without bias beyond 2^-32 (multiply-shift).
   *
   * @param bound above 0
   */
  public int nextInt(int bound) {
    if (bound <= 0) {
      throw new IllegalArgumentException("bound must be above 0: " + bound);
    }
    return (int) (((nextLong() >>> 32) * bound) >>> 32);
  }

  /** A uniform number of [0, 1). */
  public double nextDouble() {
    return (nextLong() >>> 11) * 0x1.0p-53;
  }

  /** An exponentially distributed number of mean 1. */
  public double nextExponential() {
    return -StrictMath.log(1.0 - nextDouble());
  }

  /** Mixes 64 bits so that every input bit affects every output bit. */
  public static long mix(long value) {
    long z = value;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  private static long hash(String text) {
    long hash = text.length();
    for (int i = 0; i < text.length(); i++) {
      hash = mix(hash ^ text.charAt(i)) + GOLDEN;
    }
    return hash;
  }
}
