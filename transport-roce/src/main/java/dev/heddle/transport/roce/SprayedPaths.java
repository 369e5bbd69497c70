package dev.heddle.transport.roce;

import dev.heddle.spi.PathSelector;
import dev.heddle.units.RandomStream;

/** A path at random, of several that belong to the connection, for every packet. */
final class SprayedPaths implements PathSelector {
  private static final int VALUES = 1 << 16;

  private final RandomStream random;
  private final int count;
  private final int first;

  SprayedPaths(int paths, RandomStream random) {
    this.random = random;
    count = paths;
    first = random.nextInt(VALUES);
  }

  @Override
  public int next() {
    return first + random.nextInt(count) & VALUES - 1;
  }
}
