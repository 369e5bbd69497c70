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
 * @param down m1 … mh, children of a device of level 1 … h
 * @param up w1 … wh, parents of a device of level 0 … h - 1
 * @param parallel p1 … ph, cables between a child and a parent
 */
record Shape(ImmutableList<Integer> down, ImmutableList<Integer> up, ImmutableList<Integer> parallel) {
  Shape {
    Preconditions.checkArgument(
        !down.isEmpty() && down.size() == up.size() && down.size() == parallel.size(), "%s, %s, %s", down, up,
        parallel);
  }

  static Shape of(List<Integer> down, List<Integer> up, List<Integer> parallel) {
    return new Shape(ImmutableList.copyOf(down), ImmutableList.copyOf(up), ImmutableList.copyOf(parallel));
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

  /** The number of devices of a level above one terminal, W_l: w1 · … · wl. */
  long copies(int level) {
    return product(up.subList(0, level));
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
    return m(level) * p(level) + (level == levels() ? 0 : w(level + 1) * p(level + 1));
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
    return "PGFT(" + levels() + "; " + join(down) + "; " + join(up) + "; " + join(parallel) + ")";
  }

  private static String join(List<Integer> numbers) {
    return String.join(",", numbers.stream().map(String::valueOf).toList());
  }
}
