package dev.heddle.collectives.neuron;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.Group;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveRequest;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Where the ranks of a group lie: on which chips, and the chips on which grid. */
final class Placement {
  private static final int NONE = -1;

  private final Cluster cluster;
  private final Group group;
  private final int[] chipOf;
  private final int[] indexOf;
  private final List<int[]> ranksOf = new ArrayList<>();
  private final boolean wholeChips;
  private final Optional<ChipGrid> grid;
  // Chips of the group among all of its node's, in ascending order.
  private final int[] places;

  private Placement(CollectiveRequest request) {
    cluster = request.cluster();
    group = request.group();
    Map<Integer, List<Integer>> attached = new LinkedHashMap<>();
    int[] chipOfTerminal = chips(attached);
    int[] nodeChips = attached.keySet().stream().mapToInt(Integer::intValue).sorted().toArray();
    Map<Integer, List<Integer>> members = new TreeMap<>();
    for (int rank = 0; rank < group.size(); rank++) {
      members.computeIfAbsent(chipOfTerminal[group.member(rank)], chip -> new ArrayList<>()).add(rank);
    }
    chipOf = new int[group.size()];
    indexOf = new int[group.size()];
    boolean whole = true;
    for (Map.Entry<Integer, List<Integer>> chip : members.entrySet()) {
      List<Integer> ranks = chip.getValue();
      ranks.sort((a, b) -> Integer.compare(group.member(a), group.member(b)));
      for (int index = 0; index < ranks.size(); index++) {
        chipOf[ranks.get(index)] = ranksOf.size();
        indexOf[ranks.get(index)] = index;
      }
      ranksOf.add(ranks.stream().mapToInt(Integer::intValue).toArray());
      whole &= attached.getOrDefault(chip.getKey(), List.of()).size() == ranks.size();
    }
    wholeChips = whole;
    places = members.keySet().stream().mapToInt(chip -> Arrays.binarySearch(nodeChips, chip)).toArray();
    grid = ChipGrid.of(joined(nodeChips));
  }

  /**
   * Finds where a request's ranks lie.
   *
   * @throws InvalidSettingException when they lie in several nodes, or on no chip
   */
  static Placement of(CollectiveRequest request) {
    int node = request.cluster().node(request.group().member(0));
    for (int member : request.group().members()) {
      if (request.cluster().node(member) != node) {
        throw new InvalidSettingException("", "neuron does " + request.collective().op().key()
            + " within one node; the group's ranks lie in several");
      }
    }
    return new Placement(request);
  }

  // The chip of each accelerator of the group's node: the switch at its memory, or at itself.
  private int[] chips(Map<Integer, List<Integer>> attached) {
    int node = cluster.node(group.member(0));
    int[] memoryChip = new int[cluster.devices()];
    Arrays.fill(memoryChip, NONE);
    for (int link = 0; link < cluster.links(); link++) {
      if (cluster.kind(cluster.linkSource(link)) == DeviceKind.MEMORY
          && cluster.kind(cluster.linkTarget(link)) == DeviceKind.SWITCH) {
        memoryChip[cluster.linkSource(link)] = cluster.linkTarget(link);
      }
    }
    int[] chips = new int[cluster.terminals()];
    Arrays.fill(chips, NONE);
    for (int link = 0; link < cluster.links(); link++) {
      int terminal = cluster.linkSource(link);
      int next = cluster.linkTarget(link);
      boolean here = terminal < chips.length && cluster.node(terminal) == node
          && cluster.kind(terminal) == DeviceKind.ACCELERATOR;
      int chip = here && cluster.kind(next) == DeviceKind.MEMORY ? memoryChip[next]
          : here && cluster.kind(next) == DeviceKind.SWITCH ? next : NONE;
      if (chip != NONE && chips[terminal] == NONE) {
        chips[terminal] = chip;
        attached.computeIfAbsent(chip, any -> new ArrayList<>()).add(terminal);
      }
    }
    for (int member : group.members()) {
      if (chips[member] == NONE) {
        throw new InvalidSettingException(
            "", "neuron needs chips; " + cluster.name(member) + " has neither a memory nor a switch next to it");
      }
    }
    return chips;
  }

  private boolean[][] joined(int[] nodeChips) {
    boolean[][] joined = new boolean[nodeChips.length][nodeChips.length];
    for (int link = 0; link < cluster.links(); link++) {
      int from = Arrays.binarySearch(nodeChips, cluster.linkSource(link));
      int to = Arrays.binarySearch(nodeChips, cluster.linkTarget(link));
      if (from >= 0 && to >= 0) {
        joined[from][to] = true;
      }
    }
    return joined;
  }

  /** The number of ranks. */
  int ranks() {
    return chipOf.length;
  }

  /** The number of chips that have ranks. */
  int chips() {
    return ranksOf.size();
  }

  /** The chip of a rank, from 0 among those that have ranks. */
  int chip(int rank) {
    return chipOf[rank];
  }

  /** The place of a rank among those of its chip. */
  int index(int rank) {
    return indexOf[rank];
  }

  /** The rank at a place of a chip. */
  int rank(int chip, int index) {
    return ranksOf.get(chip)[index];
  }

  /** The ranks of a chip. */
  int ranks(int chip) {
    return ranksOf.get(chip).length;
  }

  /** The ranks of every chip, where all have equally many; otherwise 0. */
  int ranksPerChip() {
    int first = ranks(0);
    return ranksOf.stream().allMatch(ranks -> ranks.length == first) ? first : 0;
  }

  /** Whether all cores of every chip that has ranks are ranks. */
  boolean hasWholeChips() {
    return wholeChips;
  }

  /** The grid, where the group's chips are all of it. */
  Optional<ChipGrid> grid() {
    return grid.filter(found -> found.chips() == chips());
  }

  /** The terminal of a rank. */
  int terminal(int rank) {
    return group.member(rank);
  }

  /**
   * The directed ways round the chips: those of the Hamiltonian cycles both ways, which share no link; or, where the group
   * has not all chips of the grid, or the grid no such cycle, one way and its reverse in which some chips are passed by.
   */
  List<ImmutableIntArray> cycles() {
    List<int[]> found = grid.map(HamiltonianCycles::of).orElse(List.of());
    List<int[]> ways = new ArrayList<>();
    if (grid().isPresent() && !found.isEmpty()) {
      ways.addAll(found);
    } else if (!found.isEmpty()) {
      ways.add(Arrays.stream(found.get(0)).map(chip -> Arrays.binarySearch(places, chip)).filter(chip -> chip >= 0)
          .toArray());
    } else {
      int[] ascending = new int[chips()];
      Arrays.setAll(ascending, chip -> chip);
      ways.add(ascending);
    }
    List<ImmutableIntArray> directed = new ArrayList<>();
    for (int[] way : ways) {
      directed.add(ImmutableIntArray.copyOf(way));
      int[] back = way.clone();
      for (int i = 0; i < back.length; i++) {
        back[i] = way[way.length - 1 - i];
      }
      directed.add(ImmutableIntArray.copyOf(back));
    }
    return directed;
  }
}
