package dev.heddle.collectives.tpu;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import java.util.List;

/**
 * A part of a collective's data that moves along the axes in one order. A gather has a stage for each axis, first to
 * last, in which every rank sends all data that it has got so far both ways along that axis: half a ring each way, or a
 * line to its ends; a reduction is the reverse. On a ring of even length one way is a step longer, in one colour up the
 * axis, in another down, so that both ways carry the same.
 *
 * @param next of each stage the rank that follows each rank; -1 at the end of a line
 * @param previous of each stage the rank before each rank
 * @param lengths of each stage the number of steps along the axis, both ways and none, that lead to ranks not
 * reached by
 *     the axes before
 * @param lines of each stage whether it has lines instead of rings
 */
record Colour(
    ImmutableList<ImmutableIntArray> next, ImmutableList<ImmutableIntArray> previous, ImmutableIntArray lengths,
    ImmutableList<Boolean> lines) {
  private static final int NONE = Grid.NONE;

  /** A colour whose longer way is the one of {@code next}. */
  static Colour of(List<ImmutableIntArray> next, List<ImmutableIntArray> previous) {
    ImmutableIntArray.Builder lengths = ImmutableIntArray.builder();
    ImmutableList.Builder<Boolean> lines = ImmutableList.builder();
    ImmutableIntArray reached = ImmutableIntArray.of(0);
    for (int stage = 0; stage < next.size(); stage++) {
      boolean line = next.get(stage).contains(NONE);
      int length = 1 + steps(next.get(stage), reached) + (line ? steps(previous.get(stage), reached) : 0);
      lengths.add(length);
      lines.add(line);
      reached = spread(
          reached, next.get(stage), previous.get(stage), reach(length, line, true), reach(length, line, false));
    }
    return new Colour(
        ImmutableList.copyOf(next), ImmutableList.copyOf(previous), lengths.build(), lines.build());
  }

  // Steps from rank 0 to the end of a line, or to the last rank that is not yet reached.
  private static int steps(ImmutableIntArray axis, ImmutableIntArray reached) {
    int steps = 0;
    for (int rank = axis.get(0); rank != NONE && !reached.contains(rank); rank = axis.get(rank)) {
      steps++;
    }
    return steps;
  }

  private static int reach(int length, boolean line, boolean forward) {
    return line ? length - 1 : (length - (forward ? 0 : 1)) / 2;
  }

  // Some ranks, then those beyond them, nearest first: one way, then the other.
  private static ImmutableIntArray spread(
      ImmutableIntArray ranks, ImmutableIntArray one, ImmutableIntArray other, int farOne, int farOther) {
    ImmutableIntArray.Builder all = ImmutableIntArray.builder();
    all.addAll(ranks);
    ImmutableIntArray moved = ranks;
    for (int step = 1; step <= farOne; step++) {
      moved = moved(moved, one);
      all.addAll(moved);
    }
    moved = ranks;
    for (int step = 1; step <= farOther; step++) {
      moved = moved(moved, other);
      all.addAll(moved);
    }
    return all.build();
  }

  /** The ranks that follow given ones, all of which or none are at the end of a line; none beyond the end. */
  static ImmutableIntArray moved(ImmutableIntArray ranks, ImmutableIntArray axis) {
    ImmutableIntArray.Builder moved = ImmutableIntArray.builder();
    ranks.stream().map(axis::get).filter(rank -> rank != NONE).forEach(moved::add);
    return moved.build();
  }

  /** The number of stages. */
  int stages() {
    return lengths.length();
  }

  /** The steps of a stage one way. */
  int reach(int stage, boolean forward) {
    return reach(lengths.get(stage), lines.get(stage), forward);
  }

  /**
   * The chunks that a rank sends one way in a stage for each that it has at its start: in a gather those of the ranks
   * behind it and its own, in a reduction those for the ranks ahead.
   */
  int rounds(int rank, int stage, boolean forward, boolean reduces) {
    if (onward(stage, forward).get(rank) == NONE) {
      return 0;
    }
    int rounds = reduces ? 0 : 1;
    ImmutableIntArray way = onward(stage, forward == reduces);
    for (int at = way.get(rank); at != NONE && rounds < reach(stage, forward); at = way.get(at)) {
      rounds++;
    }
    return rounds;
  }

  /** The rank that follows each rank one way. */
  ImmutableIntArray onward(int stage, boolean forward) {
    return (forward ? next : previous).get(stage);
  }

  /** The ranks to which a rank's data goes in the stages before a given one, the rank itself first. */
  ImmutableIntArray ahead(int rank, int stage) {
    ImmutableIntArray ranks = ImmutableIntArray.of(rank);
    for (int before = 0; before < stage; before++) {
      ranks = spread(
          ranks, next.get(before), previous.get(before), reach(before, true), reach(before, false));
    }
    return ranks;
  }

  /** The ranks whose data a rank gets in the stages before a given one, the rank itself first. */
  ImmutableIntArray behind(int rank, int stage) {
    ImmutableIntArray ranks = ImmutableIntArray.of(rank);
    for (int before = 0; before < stage; before++) {
      ranks = spread(
          ranks, previous.get(before), next.get(before), reach(before, true), reach(before, false));
    }
    return ranks;
  }

  /** The chunks that a rank has at the start of a stage. */
  long held(int stage) {
    long held = 1;
    for (int before = 0; before < stage; before++) {
      held *= lengths.get(before);
    }
    return held;
  }
}
