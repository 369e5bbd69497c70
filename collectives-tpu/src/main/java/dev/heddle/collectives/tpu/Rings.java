package dev.heddle.collectives.tpu;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.Group;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * The rings and lines of a group along each axis of its torus: of each axis the rank that follows each rank, -1 at the
 * end of a line. Steps along two axes lead to the same rank in either order.
 *
 * @param ranks of the group
 * @param axes the rank that follows each rank along an axis, for every axis of at least two
 */
record Rings(int ranks, ImmutableList<ImmutableIntArray> axes) {
  /**
   * Finds the rings of a group. A group that fills a box of the chips of one node has those of the box: along an axis
   * that closes, its ring; otherwise a line. All of a twisted torus has the twisted rings. Any other group has
   * one ring in the order of terminals.
   */
  static Rings of(Cluster cluster, Group group) {
    int[] chips = Arrays.stream(cluster.terminals(DeviceKind.ACCELERATOR))
        .filter(terminal -> cluster.node(terminal) == cluster.node(group.member(0))).toArray();
    int[] rankOf = new int[chips.length];
    Arrays.fill(rankOf, Grid.NONE);
    int found = 0;
    for (int rank = 0; rank < group.size(); rank++) {
      int chip = Arrays.binarySearch(chips, group.member(rank));
      if (chip >= 0) {
        rankOf[chip] = rank;
        found++;
      }
    }
    if (found < group.size() || group.size() < 2) {
      return inOrder(group);
    }
    return Grid.of(neighbours(cluster, chips)).map(grid -> of(grid, rankOf, group)).orElseGet(() -> inOrder(group));
  }

  private static int[][] neighbours(Cluster cluster, int[] chips) {
    List<TreeSet<Integer>> found = new ArrayList<>();
    for (int chip = 0; chip < chips.length; chip++) {
      found.add(new TreeSet<>());
    }
    for (int link = 0; link < cluster.links(); link++) {
      int from = Arrays.binarySearch(chips, cluster.linkSource(link));
      int to = Arrays.binarySearch(chips, cluster.linkTarget(link));
      if (from >= 0 && to >= 0) {
        found.get(from).add(to);
      }
    }
    return found.stream().map(set -> set.stream().mapToInt(Integer::intValue).toArray()).toArray(int[][]::new);
  }

  private static Rings of(Grid grid, int[] rankOf, Group group) {
    boolean whole = group.size() == rankOf.length;
    int boxed = 1;
    int[][] lines = new int[Grid.AXES][];
    for (int axis = 0; axis < Grid.AXES; axis++) {
      int along = axis;
      lines[axis] = IntStream.range(0, rankOf.length).filter(chip -> rankOf[chip] >= 0)
          .map(chip -> grid.coordinate(chip, along)).distinct().sorted().toArray();
      boxed *= lines[axis].length;
    }
    if (boxed != group.size()) {
      return inOrder(group);
    }
    ImmutableList.Builder<ImmutableIntArray> axes = ImmutableList.builder();
    for (int axis = 0; axis < Grid.AXES; axis++) {
      if (lines[axis].length > 1) {
        boolean ring = grid.isRing(axis) && lines[axis].length == grid.size().get(axis);
        int[] next = new int[group.size()];
        for (int chip = 0; chip < rankOf.length; chip++) {
          if (rankOf[chip] >= 0) {
            int to = whole && grid.twisted() ? grid.next(chip, axis)
                : following(grid, chip, axis, lines[axis], ring);
            next[rankOf[chip]] = to == Grid.NONE ? Grid.NONE : rankOf[to];
          }
        }
        axes.add(ImmutableIntArray.copyOf(next));
      }
    }
    return new Rings(group.size(), axes.build());
  }

  private static int following(Grid grid, int chip, int axis, int[] line, boolean ring) {
    int at = Arrays.binarySearch(line, grid.coordinate(chip, axis));
    return at < line.length - 1 ? grid.at(chip, axis, line[at + 1]) : ring ? grid.at(chip, axis, line[0]) : Grid.NONE;
  }

  private static Rings inOrder(Group group) {
    if (group.size() < 2) {
      return new Rings(group.size(), ImmutableList.of());
    }
    int[] order = IntStream.range(0, group.size()).boxed()
        .sorted((a, b) -> Integer.compare(group.member(a), group.member(b))).mapToInt(Integer::intValue).toArray();
    int[] next = new int[order.length];
    for (int place = 0; place < order.length; place++) {
      next[order[place]] = order[(place + 1) % order.length];
    }
    return new Rings(group.size(), ImmutableList.of(ImmutableIntArray.copyOf(next)));
  }

  /** The concurrent parts of a collective: the axes in every rotated order, each in both directions. */
  List<Colour> colours() {
    List<ImmutableIntArray> backwards = axes.stream().map(Rings::inverse).toList();
    List<Colour> colours = new ArrayList<>();
    for (int first = 0; first < axes.size(); first++) {
      for (boolean forward : new boolean[] {true, false}) {
        List<ImmutableIntArray> next = new ArrayList<>();
        List<ImmutableIntArray> previous = new ArrayList<>();
        for (int turn = 0; turn < axes.size(); turn++) {
          int axis = (first + turn) % axes.size();
          next.add((forward ? axes : backwards).get(axis));
          previous.add((forward ? backwards : axes).get(axis));
        }
        colours.add(Colour.of(next, previous));
      }
    }
    return colours;
  }

  private static ImmutableIntArray inverse(ImmutableIntArray next) {
    int[] previous = new int[next.length()];
    Arrays.fill(previous, Grid.NONE);
    for (int rank = 0; rank < previous.length; rank++) {
      if (next.get(rank) != Grid.NONE) {
        previous[next.get(rank)] = rank;
      }
    }
    return ImmutableIntArray.copyOf(previous);
  }
}
