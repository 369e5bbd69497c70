package dev.heddle.training;

import dev.heddle.fabric.Fabric;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The nodes of a job's groups and messages. Stages whose ranks do not fill whole nodes have groups of different
 * placements, of which the slowest holds the others up.
 */
final class JobPlacement {
  private final Fabric fabric;
  private final RankGrid grid;
  private final int[] terminals;
  private final int stages;
  private final Map<Integer, List<Integer>> ranksOf = new TreeMap<>();
  private final Map<List<Object>, Map<List<Integer>, List<int[]>>> known = new LinkedHashMap<>();

  JobPlacement(Fabric fabric, RankGrid grid, int[] terminals) {
    this.fabric = fabric;
    this.grid = grid;
    this.terminals = terminals;
    stages = 1 + IntStream.range(0, terminals.length).map(grid::stage).max().orElse(0);
    for (int rank = 0; rank < terminals.length; rank++) {
      ranksOf.computeIfAbsent(node(rank), node -> new ArrayList<>()).add(rank);
    }
  }

  private int node(int rank) {
    return fabric.node(terminals[rank]);
  }

  private boolean within(int[] group) {
    return Arrays.stream(group).allMatch(member -> node(member) == node(group[0]));
  }

  /**
   * The groups of a kind with which a stage's groups share links, those of each placement once, by placement.
   *
   * @param stage that has members in them
   */
  Map<List<Integer>, List<int[]>> groups(GroupKind kind, int stage) {
    return known.computeIfAbsent(List.of(kind, stage), key -> {
      Map<List<Integer>, List<int[]>> found = new LinkedHashMap<>();
      Set<Integer> firsts = new LinkedHashSet<>();
      Set<Set<Integer>> seen = new LinkedHashSet<>();
      for (int rank = 0; rank < terminals.length; rank++) {
        if (grid.stage(rank) == stage && firsts.add(grid.first(kind, rank))) {
          int[] group = grid.members(kind, rank);
          if (seen.add(nodes(group))) {
            List<int[]> sharing = sharing(kind, group);
            found.putIfAbsent(shape(sharing), sharing);
          }
        }
      }
      return found;
    });
  }

  /**
   * Whether groups of a stage leave a node, by which groups or messages of another stage leave it too. Groups of
   * several stages, which meet once in an iteration, do not count.
   */
  boolean stagesShareLinks() {
    return ranksOf.values().stream().anyMatch(ranks -> {
      Set<Integer> collectives = new TreeSet<>();
      Set<Integer> any = new TreeSet<>();
      for (int rank : ranks) {
        for (GroupKind kind : GroupKind.values()) {
          if (kind != GroupKind.EMBEDDING && kind != GroupKind.MODEL && !within(grid.members(kind, rank))) {
            collectives.add(grid.stage(rank));
          }
        }
        if (collectives.contains(grid.stage(rank)) || sends(rank)) {
          any.add(grid.stage(rank));
        }
      }
      return any.size() > 1 && !collectives.isEmpty();
    });
  }

  private boolean sends(int rank) {
    int stage = grid.stage(rank);
    return stage > 0 && node(grid.atStage(rank, stage - 1)) != node(rank)
        || stage + 1 < stages && node(grid.atStage(rank, stage + 1)) != node(rank);
  }

  /**
   * The groups of a kind that share links with a group, which is one of them: those on its nodes, but of other stages
   * none within a node where it leaves its node, or the other way round.
   */
  private List<int[]> sharing(GroupKind kind, int[] group) {
    TreeSet<Integer> firsts = new TreeSet<>();
    for (int node : nodes(group)) {
      ranksOf.getOrDefault(node, List.of()).forEach(rank -> firsts.add(grid.first(kind, rank)));
    }
    boolean within = within(group);
    return firsts.stream().map(first -> grid.members(kind, first))
        .filter(each -> grid.stage(each[0]) == grid.stage(group[0]) || within(each) == within).toList();
  }

  private TreeSet<Integer> nodes(int[] group) {
    return Arrays.stream(group).map(this::node).boxed().collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * The senders and receivers of the messages of a stage's ranks to those of another, of nodes that have messages in
   * common; those of each placement once, by placement.
   */
  Map<List<Integer>, List<int[]>> messages(int stage, int peerStage) {
    return known.computeIfAbsent(List.of(stage, peerStage), key -> {
      Map<Integer, Integer> joined = new TreeMap<>();
      List<int[]> all = new ArrayList<>();
      for (int rank = 0; rank < terminals.length; rank++) {
        if (grid.stage(rank) == stage) {
          int peer = grid.atStage(rank, peerStage);
          all.add(new int[] {rank, peer});
          joined.put(first(joined, node(peer)), first(joined, node(rank)));
        }
      }
      Map<Integer, List<int[]>> parts = new LinkedHashMap<>();
      all.forEach(pair -> parts.computeIfAbsent(first(joined, node(pair[0])), node -> new ArrayList<>()).add(pair));
      Map<List<Integer>, List<int[]>> found = new LinkedHashMap<>();
      parts.values().forEach(pairs -> found.putIfAbsent(shape(pairs), pairs));
      return found;
    });
  }

  // The node that stands for those with which a node has messages in common.
  private static int first(Map<Integer, Integer> joined, int node) {
    int at = node;
    while (joined.getOrDefault(at, at) != at) {
      at = joined.getOrDefault(at, at);
    }
    return at;
  }

  // Positions in nodes, which are numbered as they occur.
  private List<Integer> shape(List<int[]> groups) {
    Map<Integer, Integer> nodes = new LinkedHashMap<>();
    List<Integer> shape = new ArrayList<>();
    for (int[] group : groups) {
      shape.add(group.length);
      for (int member : group) {
        shape.add(nodes.computeIfAbsent(node(member), node -> nodes.size()));
        shape.add(fabric.position(terminals[member]));
      }
    }
    return shape;
  }
}
