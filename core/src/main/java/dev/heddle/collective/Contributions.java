package dev.heddle.collective;

import java.util.Arrays;

/**
 * Multisets of contributions. A value is one contribution, or the sum of two values. Sums are kept unexpanded, so that
 * an addition costs constant time; they are expanded only where a result is checked. The value of a single contribution
 * is its number, below 0, so that it takes no memory.
 */
final class Contributions {
  /** Nothing was written. */
  static final int UNWRITTEN = 0;

  private int size = 1;
  // The two values of a sum.
  private int[] left = new int[1024];
  private int[] right = new int[1024];
  // Number of contributions of each value, saturating.
  private long[] weight = new long[1024];

  /** One contribution, by the number of its rank and chunk. */
  static int leaf(int number) {
    return -1 - number;
  }

  /** The sum of two values. */
  int sum(int a, int b) {
    long total = weight(a) + weight(b);
    return add(a, b, total < 0 ? Long.MAX_VALUE : total);
  }

  private int add(int a, int b, long total) {
    if (size == left.length) {
      left = Arrays.copyOf(left, size * 2);
      right = Arrays.copyOf(right, size * 2);
      weight = Arrays.copyOf(weight, size * 2);
    }
    left[size] = a;
    right[size] = b;
    weight[size] = total;
    return size++;
  }

  /** The end of the numbers of sums. */
  int size() {
    return size;
  }

  /** The number of contributions, at most {@code Long.MAX_VALUE}. */
  long weight(int value) {
    return value < 0 ? 1 : weight[value];
  }

  /** The contributions of a value, in no order; for values of few. */
  int[] leaves(int value) {
    int[] found = new int[Math.toIntExact(weight(value))];
    int[] open = new int[found.length + 1];
    int depth = 0;
    int count = 0;
    open[depth++] = value;
    while (depth > 0) {
      int next = open[--depth];
      if (next < 0) {
        found[count++] = -1 - next;
      } else {
        open[depth++] = left[next];
        open[depth++] = right[next];
      }
    }
    return found;
  }
}
