package dev.heddle.internal.collect;

import java.util.Arrays;

/** A sparse sum: the devices that parts of a whole have reached, and how large the part at each is. */
public final class Parts {
  private int[] device = new int[16];
  private double[] part = new double[16];
  private int count;

  // Per device: its place among those reached, valid where the place names the device.
  private final int[] place;

  /** No parts, of devices below a number; 0 where none are ever added. */
  public Parts(int devices) {
    place = new int[devices];
  }

  /** Whether parts can be held at all. */
  public boolean holdsDevices() {
    return place.length > 0;
  }

  /** Removes all parts. */
  public void clear() {
    count = 0;
  }

  /** The number of devices reached. */
  public int count() {
    return count;
  }

  /** A device that was reached, by its place in their order. */
  public int device(int number) {
    return device[number];
  }

  /** The part at such a device. */
  public double part(int number) {
    return part[number];
  }

  /** Whether all parts have met at a device. */
  public boolean isOnly(int at) {
    return count == 1 && device[0] == at;
  }

  /** Adds a part at a device to those that are there. */
  public void add(int at, double size) {
    int found = place[at];
    if (found < count && device[found] == at) {
      part[found] += size;
      return;
    }
    if (count == device.length) {
      device = Arrays.copyOf(device, 2 * count);
      part = Arrays.copyOf(part, 2 * count);
    }
    place[at] = count;
    device[count] = at;
    part[count++] = size;
  }

  /** Becomes a copy of other parts. */
  public void take(Parts other) {
    count = 0;
    for (int i = 0; i < other.count; i++) {
      add(other.device[i], other.part[i]);
    }
  }
}
