package dev.heddle.network.flow;

import java.util.Arrays;

/** The devices that the parts of one sprayed message have reached, and how large the part at each is. */
final class Parts {
  private int[] device = new int[16];
  private double[] part = new double[16];
  private int count;

  // Per device: its place among those reached, valid where the place names the device.
  private final int[] place;

  /** No parts, on a fabric of a number of devices; 0 where nothing is sprayed. */
  Parts(int devices) {
    place = new int[devices];
  }

  /** Whether parts can be held at all. */
  boolean holdsDevices() {
    return place.length > 0;
  }

  void clear() {
    count = 0;
  }

  int count() {
    return count;
  }

  int device(int number) {
    return device[number];
  }

  double part(int number) {
    return part[number];
  }

  /** Whether all parts have met at a device. */
  boolean isOnly(int at) {
    return count == 1 && device[0] == at;
  }

  /** Adds a part at a device to those that are there. */
  void add(int at, double size) {
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
  void take(Parts other) {
    count = 0;
    for (int i = 0; i < other.count; i++) {
      add(other.device[i], other.part[i]);
    }
  }
}
