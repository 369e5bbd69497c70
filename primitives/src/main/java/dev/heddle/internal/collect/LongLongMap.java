package dev.heddle.internal.collect;

import dev.heddle.units.RandomStream;
import java.util.Arrays;

/** A hash map from {@code long} to {@code long}: open addressing, linear probing, removal without tombstones. */
public final class LongLongMap {
  private static final int INITIAL = 64;

  private final long missing;
  private long[] keys = new long[INITIAL];
  private long[] values = new long[INITIAL];
  private boolean[] used = new boolean[INITIAL];
  private int size;

  /**
   * An empty map.
   *
   * @param missing value of absent keys
   */
  public LongLongMap(long missing) {
    this.missing = missing;
  }

  /** The number of keys. */
  public int size() {
    return size;
  }

  /** The value of a key, or that of absent keys. */
  public long get(long key) {
    int slot = slotOf(key);
    return used[slot] ? values[slot] : missing;
  }

  /** Sets the value of a key. */
  public void put(long key, long value) {
    int slot = take(key);
    values[slot] = value;
  }

  /** Adds one to the value of a key, and returns the value before. */
  public long increment(long key) {
    int slot = take(key);
    return values[slot]++;
  }

  /** Adds to the value of a key, and returns the sum. */
  public long add(long key, long amount) {
    int slot = take(key);
    return values[slot] += amount;
  }

  private int take(long key) {
    int slot = slotOf(key);
    if (!used[slot]) {
      if (2 * (size + 1) > keys.length) {
        grow();
        slot = slotOf(key);
      }
      used[slot] = true;
      keys[slot] = key;
      values[slot] = missing;
      size++;
    }
    return slot;
  }

  /** Removes a key, if present. */
  public void remove(long key) {
    int hole = slotOf(key);
    if (!used[hole]) {
      return;
    }
    size--;
    int mask = keys.length - 1;
    int probe = hole;
    while (true) {
      probe = (probe + 1) & mask;
      if (!used[probe]) {
        break;
      }
      int home = home(keys[probe]);
      // An entry may fill the hole unless its home lies cyclically between the hole and itself.
      if (((probe - home) & mask) >= ((probe - hole) & mask)) {
        keys[hole] = keys[probe];
        values[hole] = values[probe];
        hole = probe;
      }
    }
    used[hole] = false;
  }

  /** All keys, ascending. */
  public long[] keys() {
    long[] all = new long[size];
    int count = 0;
    for (int slot = 0; slot < keys.length; slot++) {
      if (used[slot]) {
        all[count++] = keys[slot];
      }
    }
    Arrays.sort(all);
    return all;
  }

  /** The sum of all values. */
  public long sum() {
    long sum = 0;
    for (int slot = 0; slot < keys.length; slot++) {
      if (used[slot]) {
        sum += values[slot];
      }
    }
    return sum;
  }

  private int home(long key) {
    return (int) RandomStream.mix(key) & (keys.length - 1);
  }

  private int slotOf(long key) {
    int mask = keys.length - 1;
    int slot = home(key);
    while (used[slot] && keys[slot] != key) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    long[] oldKeys = keys;
    long[] oldValues = values;
    boolean[] oldUsed = used;
    keys = new long[2 * oldKeys.length];
    values = new long[keys.length];
    used = new boolean[keys.length];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldUsed[i]) {
        int slot = slotOf(oldKeys[i]);
        used[slot] = true;
        keys[slot] = oldKeys[i];
        values[slot] = oldValues[i];
      }
    }
  }
}
