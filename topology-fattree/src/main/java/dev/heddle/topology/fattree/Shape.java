package dev.heddle.topology.fattree;

import com.google.common.base.Preconditions;
import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * The shape of a parallel generalised fat tree PGFT(h; m1…mh; w1…wh; p1…ph) [Zahavi 2012, §3].
 *
 * <p>A device of level {@code l} (0: terminals) has the label {@code (a_h … a_(l+1), b_l … b_1)} with {@code a_i < m_i}
 * and {@code b_i < w_i}. It is connected to the devices of level {@code l + 1} whose label differs only in digit {@code
 * l + 1}, by {@code p_(l+1)} cables each. Its number within its level is {@code A * W_l + B}, where {@code A} is the
 * number formed by the digits a (a_(l+1) least), {@code B} the number formed by the digits b (b_1 least), and {@code
 * W_l} the product of w_1 … w_l.
 *
 * <p>The w_1 ports of a terminal lie in as many planes, which nothing above the terminals joins: digit b_1 never
 * changes. With a single plane (dual ToR without dual plane) the switches above the leaves lack this digit, and are
 * connected to the leaves of every b_1.
 *
 * @param down m1 … mh, children of a device of level 1 … h
 * @param up w1 … wh, parents of a device of level 0 … h - 1
 * @param parallel p1 … ph, cables between a child and a parent
 * @param planes w1, or 1
 */
record Shape(ImmutableList<Integer> down, ImmutableList<Integer> up, ImmutableList<Integer> parallel, int planes) {
  Shape {
    Preconditions.checkArgument(
        !down.isEmpty() && down.size() == up.size() && down.size() == parallel.size(), "%s, %s, %s", down, up,
        parallel);
    Preconditions.checkArgument(planes == up.get(0) || planes == 1 && down.size() > 1, "%s planes of %s", planes, up);
  }

  /** A parallel generalised fat tree, with a plane for each port of a terminal. */
  static Shape of(List<Integer> down, List<Integer> up, List<Integer> parallel) {
    return new Shape(
        ImmutableList.copyOf(down), ImmutableList.copyOf(up), ImmutableList.copyOf(parallel), up.get(0));
  }

  /** The same tree with a single plane; a tree of leaves alone has nothing that could join them. */
  Shape inOnePlane() {
    return levels() == 1 ? this : new Shape(down, up, parallel, 1);
  }

  /** The number of levels of switches, h. */
  int levels() {
    return down.size();
  }

  /** Parameter m of a level from 1. */
  int m(int level) {
    return down.get(level - 1);
  }

  /** Parameter w of a level from 1. */
  int w(int level) {
    return up.get(level - 1);
  }

  /** Parameter p of a level from 1. */
  int p(int level) {
    return parallel.get(level - 1);
  }

  /** The number of terminals below one device of a level: m1 · … · ml. */
  long terminalsBelow(int level) {
    return product(down.subList(0, level));
  }

  /** The number of devices of a level above one terminal, W_l: w1 · … · wl; above the leaves planes · w2 · … · wl. */
  long copies(int level) {
    return level < 2 ? product(up.subList(0, level)) : planes * product(up.subList(1, level));
  }

  /** The number of leaves of a leaf position that a switch above the leaves is connected to. */
  int leavesPerChild() {
    return up.get(0) / planes;
  }

  /**
   * The divisor by which a device of a level chooses among channels [Zahavi 2012, eq. 1]. In a single plane digit b_1
   * is the last: ports of consecutive destinations are equal, so that every leaf spreads them over all its parents.
   */
  int divisor(int level) {
    boolean joined = planes < up.get(0);
    if (level == 0) {
      return joined ? w(2) * p(2) : 1;
    }
    return (int) (joined ? copies(level) / (level == 1 ? up.get(0) : 1) : copies(level));
  }

  /** The number of terminals of the tree. */
  long terminals() {
    return terminalsBelow(levels());
  }

  /** The number of devices of a level. */
  long devices(int level) {
    return Math.multiplyExact(product(down.subList(level, levels())), copies(level));
  }

  /** The number of switches of all levels. */
  long switches() {
    long sum = 0;
    for (int level = 1; level <= levels(); level++) {
      sum = Math.addExact(sum, devices(level));
    }
    return sum;
  }

  /** The number of ports of a switch of a level from 1. */
  int radix(int level) {
    int below = level == 2 ? m(2) * leavesPerChild() : m(level);
    return below * p(level) + (level == levels() ? 0 : w(level + 1) * p(level + 1));
  }

  private static long product(List<Integer> factors) {
    long product = 1;
    for (int factor : factors) {
      product = Math.multiplyExact(product, (long) factor);
    }
    return product;
  }

  @Override
  public String toString() {
    return "PGFT(" + levels() + "; " + join(down) + "; " + join(up) + "; " + join(parallel) + ")"
        + (planes < up.get(0) ? " in one plane" : "");
  }

  private static String join(List<Integer> numbers) {
    return String.join(",", numbers.stream().map(String::valueOf).toList());
  }
}
