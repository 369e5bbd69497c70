package dev.heddle.collectives.neuron;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.Group;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** The placement of a group's ranks: their chips, and the grid of these chips. */
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
  private final int[] nodes;

  private Placement(Cluster cluster, Group group) {
    this.cluster = cluster;
    this.group = group;
    Map<Integer, List<Integer>> attached = new LinkedHashMap<>();
    int[] chipOfTerminal = chips(attached);
    nodes = Arrays.stream(group.members()).map(cluster::node).distinct().sorted().toArray();
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
    grid = nodes.length == 1 ? ChipGrid.of(joined(nodeChips)) : Optional.empty();
  }

  /**
   * Finds the placement of a group's ranks.
   *
   * @throws InvalidSettingException when a rank is on no chip
   */
  static Placement of(Cluster cluster, Group group) {
    return new Placement(cluster, group);
  }

  Cluster cluster() {
    return cluster;
  }

  Group group() {
    return group;
  }

  // The chip of each accelerator of the group's nodes: the switch at its memory, or at itself.
  private int[] chips(Map<Integer, List<Integer>> attached) {
    int[] memoryChip = new int[cluster.devices()];
    Arrays.fill(memoryChip, NONE);
    for (int link = 0; link < cluster.links(); link++) {
      if (cluster.kind(cluster.linkSource(link)) == DeviceKind.MEMORY
          && cluster.kind(cluster.linkTarget(link)) == DeviceKind.SWITCH) {
        memoryChip[cluster.linkSource(link)] = cluster.linkTarget(link);
      }
    }
    boolean[] here = new boolean[cluster.devices()];
    Arrays.stream(group.members()).forEach(member -> here[cluster.node(member)] = true);
    int[] chips = new int[cluster.terminals()];
    Arrays.fill(chips, NONE);
    for (int link = 0; link < cluster.links(); link++) {
      int terminal = cluster.linkSource(link);
      int next = cluster.linkTarget(link);
      boolean member = terminal < chips.length && here[cluster.node(terminal)]
          && cluster.kind(terminal) == DeviceKind.ACCELERATOR;
      int chip = member && cluster.kind(next) == DeviceKind.MEMORY ? memoryChip[next]
          : member && cluster.kind(next) == DeviceKind.SWITCH ? next : NONE;
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

  /** The nodes of the group. */
  int nodes() {
    return nodes.length;
  }

  /**
   * The directed cycles over the chips: the Hamiltonian cycles in both directions, which share no link; or, where the
   * group has not all chips of the grid, or the grid no such cycle, one cycle and its reverse that skip some chips.
   * Over several nodes, each cycle visits one node's chips after the other's.
   */
  List<ImmutableIntArray> cycles() {
    List<int[]> ways = nodes.length == 1 ? cyclesOfNode() : cyclesOverNodes();
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

  private List<int[]> cyclesOfNode() {
    List<int[]> found = grid.map(HamiltonianCycles::of).orElse(List.of());
    if (grid().isPresent() && !found.isEmpty()) {
      return found;
    }
    if (!found.isEmpty()) {
      return List.of(
          Arrays.stream(found.get(0)).map(chip -> Arrays.binarySearch(places, chip)).filter(chip -> chip >= 0)
              .toArray());
    }
    int[] ascending = new int[chips()];
    Arrays.setAll(ascending, chip -> chip);
    return List.of(ascending);
  }

  /** The ranks in one of the nodes, in the order of their positions there. */
  int[] ranksOfNode(int number) {
    return IntStream.range(0, ranks()).filter(rank -> cluster.node(terminal(rank)) == nodes[number]).boxed()
        .sorted(Comparator.comparing(this::terminal)).mapToInt(Integer::intValue).toArray();
  }

  /** The placement of the ranks of one of the nodes, numbered anew in that order. */
  Placement ofNode(int number) {
    return new Placement(cluster, Group.of(Arrays.stream(ranksOfNode(number)).map(this::terminal).toArray()));
  }

  /** Whether ranks have the same positions in all nodes. */
  boolean isAligned() {
    int[] first = positions(0);
    return IntStream.range(1, nodes()).allMatch(number -> Arrays.equals(first, positions(number)));
  }

  private int[] positions(int number) {
    return Arrays.stream(ranksOfNode(number)).map(rank -> cluster.position(terminal(rank))).toArray();
  }

  // Members are ordered node by node and chip by chip. Every cycle leaves and enters the nodes at NICs that no cycle
  // before it uses, as long as there are such.
  private List<int[]> cyclesOverNodes() {
    List<List<int[]>> perNode = new ArrayList<>();
    for (int number = 0; number < nodes.length; number++) {
      perNode.add(ofNode(number).cyclesOfNode());
    }
    int count = perNode.stream().mapToInt(List::size).min().orElse(1);
    Set<Integer> used = new LinkedHashSet<>();
    List<int[]> ways = new ArrayList<>();
    for (int way = 0; way < count; way++) {
      int[] over = new int[chips()];
      int at = 0;
      for (List<int[]> node : perNode) {
        int[] round = node.get(way);
        int first = at;
        int cut = cut(Arrays.stream(round).map(chip -> first + chip).toArray(), used);
        for (int i = 0; i < round.length; i++) {
          over[at++] = first + round[(i + cut) % round.length];
        }
      }
      ways.add(over);
    }
    return ways;
  }

  // The position at which a cycle of chips is cut: between two of different NICs that are not used yet, which are then
  // marked as used; else at its start.
  private int cut(int[] round, Set<Integer> used) {
    for (int cut = 0; cut < round.length; cut++) {
      int entered = nic(round[cut]);
      int left = nic(round[(cut + round.length - 1) % round.length]);
      if (entered != left && !used.contains(entered) && !used.contains(left)) {
        used.add(entered);
        used.add(left);
        return cut;
      }
    }
    return 0;
  }

  // The NIC by which a chip's first rank reaches other nodes.
  private int nic(int chip) {
    int from = terminal(rank(chip, 0));
    int to = Arrays.stream(group.members()).filter(member -> cluster.node(member) != cluster.node(from)).findFirst()
        .orElseThrow();
    for (int link : cluster.route(from, to)) {
      if (cluster.kind(cluster.linkTarget(link)) == DeviceKind.NIC) {
        return cluster.linkTarget(link);
      }
    }
    return NONE;
  }
}
