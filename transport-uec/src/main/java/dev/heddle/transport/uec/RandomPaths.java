package dev.heddle.transport.uec;

import dev.heddle.spi.PathSelector;
import dev.heddle.units.RandomStream;

/** A path at random for every packet. */
final class RandomPaths implements PathSelector {
  private final int count;
  private final RandomStream random;
  private final int upper;

  RandomPaths(int paths, RandomStream random) {
    count = paths;
    this.random = random;
    upper = random.nextInt(1 << 16) & -paths;
  }

  @Override
  public int next() {
    return upper | random.nextInt(count);
  }
}
