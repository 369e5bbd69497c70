package dev.heddle.collectives.neuron;

import com.google.common.primitives.ImmutableIntArray;
import java.util.ArrayList;
import java.util.List;

/**
 * The cycles of KangaRing: of every two ranks of a chip one is primary and on the cycle, the other secondary; the roles
 * alternate over the cycles [Neuron, KangaRing]. From one Hamiltonian cycle to the next, a rank is paired with its
 * other neighbour and chips are crossed in the opposite direction, so that messages of two cycles never wait in the
 * same queue of a rank.
 *
 * @param primaries of each channel, in order
 * @param secondaries of each channel, each that of the primary at the same position
 */
record KangaRing(List<ImmutableIntArray> primaries, List<ImmutableIntArray> secondaries) {
  /** Makes cycles of pairs, a channel for each. */
  static KangaRing of(Placement placement) {
    List<ImmutableIntArray> primaries = new ArrayList<>();
    List<ImmutableIntArray> secondaries = new ArrayList<>();
    List<ImmutableIntArray> cycles = placement.cycles();
    int perChip = placement.ranksPerChip();
    for (int cycle = 0; cycle < cycles.size(); cycle++) {
      ImmutableIntArray.Builder active = ImmutableIntArray.builder();
      ImmutableIntArray.Builder idle = ImmutableIntArray.builder();
      boolean otherWay = cycle / 2 % 2 == 1;
      int toSecondary = cycle % 2 == 0 ^ otherWay ? 1 : perChip - 1;
      for (int chip : cycles.get(cycle).asList()) {
        for (int pair = 0; pair < perChip; pair += 2) {
          int index = (otherWay ? perChip - 2 - pair : pair) + cycle % 2;
          active.add(placement.rank(chip, index));
          idle.add(placement.rank(chip, (index + toSecondary) % perChip));
        }
      }
      primaries.add(active.build());
      secondaries.add(idle.build());
    }
    return new KangaRing(primaries, secondaries);
  }

  /** The channels. */
  int channels() {
    return primaries.size();
  }

  /** The pairs on a cycle. */
  int pairs() {
    return primaries.get(0).length();
  }

  /** The primary at a position, counted around the cycle. */
  int primary(int channel, int position) {
    return primaries.get(channel).get(Math.floorMod(position, pairs()));
  }

  /** The secondary at a position. */
  int secondary(int channel, int position) {
    return secondaries.get(channel).get(Math.floorMod(position, pairs()));
  }

  /** The owners of the two chunks that come from a position: its primary and its secondary. */
  int[] owners(int channel, int position) {
    return new int[] {primary(channel, position), secondary(channel, position)};
  }
}
