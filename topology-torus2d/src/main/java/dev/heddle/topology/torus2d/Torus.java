package dev.heddle.topology.torus2d;

import com.google.common.primitives.ImmutableIntArray;

/**
 * A grid of chips, numbered row by row, each joined to the next one in every dimension; in a torus the last of a line
 * is joined to the first too.
 *
 * @param size chips along each dimension, each at least 2
 * @param wrap whether lines close to rings
 * @param doubled whether two chips that are neighbours in both directions have two links, not one
 */
record Torus(ImmutableIntArray size, boolean wrap, boolean doubled) {
  /** The number of dimensions. */
  int dimensions() {
    return size.length();
  }

  /** The number of chips. */
  int chips() {
    int chips = 1;
    for (int dimension = 0; dimension < size.length(); dimension++) {
      chips = Math.multiplyExact(chips, size.get(dimension));
    }
    return chips;
  }

  /** A chip's place along a dimension. */
  int coordinate(int chip, int dimension) {
    return chip / stride(dimension) % size.get(dimension);
  }

  /** The difference between the numbers of neighbours along a dimension. */
  int stride(int dimension) {
    int stride = 1;
    for (int inner = dimension + 1; inner < size.length(); inner++) {
      stride *= size.get(inner);
    }
    return stride;
  }

  /** The chip at a distance along a dimension, around the ring. */
  int moved(int chip, int dimension, int places) {
    int at = coordinate(chip, dimension);
    int to = Math.floorMod(at + places, size.get(dimension));
    return chip + (to - at) * stride(dimension);
  }

  /** Whether a chip has a separate upward link in a dimension; in a pair the downward link may be the same one. */
  boolean hasLinkUp(int chip, int dimension) {
    int length = size.get(dimension);
    boolean last = coordinate(chip, dimension) == length - 1;
    return !last || wrap && (length > 2 || doubled);
  }

  /** Places to go up a dimension to reach a chip; negative where down is shorter, and half the ring counts as up. */
  int distance(int from, int to, int dimension) {
    int length = size.get(dimension);
    int way = coordinate(to, dimension) - coordinate(from, dimension);
    if (!wrap || length == 2) {
      return way;
    }
    int up = Math.floorMod(way, length);
    return 2 * up <= length ? up : up - length;
  }

  /** Whether both directions are equally long: half a ring, with links in both directions. */
  boolean isHalfway(int from, int to, int dimension) {
    int length = size.get(dimension);
    return wrap && (length > 2 || doubled) && 2 * Math.abs(distance(from, to, dimension)) == length;
  }

  /** The links between two chips on a shortest path. */
  int hops(int from, int to) {
    int hops = 0;
    for (int dimension = 0; dimension < size.length(); dimension++) {
      hops += Math.abs(distance(from, to, dimension));
    }
    return hops;
  }

  /** The most links of a shortest path. */
  int diameter() {
    int diameter = 0;
    for (int dimension = 0; dimension < size.length(); dimension++) {
      int length = size.get(dimension);
      diameter += wrap ? length / 2 : length - 1;
    }
    return diameter;
  }

  /** The name of a chip, by its coordinates, such as {@code chip0x3}. */
  String name(int chip) {
    StringBuilder name = new StringBuilder("chip");
    for (int dimension = 0; dimension < size.length(); dimension++) {
      name.append(dimension == 0 ? "" : "x").append(coordinate(chip, dimension));
    }
    return name.toString();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int dimension = 0; dimension < size.length(); dimension++) {
      text.append(dimension == 0 ? "" : " x ").append(size.get(dimension));
    }
    return text.append(wrap ? " torus" : " mesh").toString();
  }
}
