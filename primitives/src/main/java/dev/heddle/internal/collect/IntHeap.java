package dev.heddle.internal.collect;

import java.util.Arrays;

/** Heap of numbers by their keys, the lowest first; of equal keys the lower number. */
public final class IntHeap {
  private double[] keys = new double[64];
  private int[] numbers = new int[64];
  private int size;

  /** Removes all numbers. */
  public void clear() {
    size = 0;
  }

  /** The number with the lowest key. */
  public int first() {
    return numbers[0];
  }

  /** The key of the first number. */
  public double key() {
    return keys[0];
  }

  /** Adds a number at the end; {@link #order} then makes a heap of all. */
  public void append(int number, double key) {
    if (size == numbers.length) {
      keys = Arrays.copyOf(keys, 2 * size);
      numbers = Arrays.copyOf(numbers, 2 * size);
    }
    keys[size] = key;
    numbers[size++] = number;
  }

  /** Makes a heap of the numbers that were appended. */
  public void order() {
    for (int at = (size >> 1) - 1; at >= 0; at--) {
      sink(at, keys[at], numbers[at]);
    }
  }

  /** Gives the first number a higher key. */
  public void raise(double key) {
    sink(0, key, numbers[0]);
  }

  /** Removes the first number. */
  public void remove() {
    size--;
    sink(0, keys[size], numbers[size]);
  }

  // Puts a number at a place, or below it where numbers with lower keys are.
  private void sink(int place, double key, int number) {
    int at = place;
    while (true) {
      int child = 2 * at + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && before(keys[child + 1], numbers[child + 1], keys[child], numbers[child])) {
        child++;
      }
      if (!before(keys[child], numbers[child], key, number)) {
        break;
      }
      keys[at] = keys[child];
      numbers[at] = numbers[child];
      at = child;
    }
    keys[at] = key;
    numbers[at] = number;
  }

  private static boolean before(double key, int number, double otherKey, int otherNumber) {
    return key < otherKey || (key == otherKey && number < otherNumber);
  }
}
