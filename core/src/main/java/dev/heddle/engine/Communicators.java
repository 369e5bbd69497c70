package dev.heddle.engine;

import com.google.common.collect.ImmutableList;
import dev.heddle.collective.Collective;
import dev.heddle.collective.Group;
import dev.heddle.collective.Schedule;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveCost;
import dev.heddle.spi.CollectiveRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The groups of a run's ranks, and the algorithm by which they do their collectives. Immutable, shared by all parts. */
public final class Communicators {
  /** How many groups have tags of their own. */
  static final int TAGGED_GROUPS = 1 << 12;

  private final Cluster cluster;
  private final int[] ranks;
  private final Map<Integer, Integer> rankOf = new TreeMap<>();
  private final ImmutableList<Group> groups;
  private final ImmutableList<Map<Integer, Integer>> positions;
  private final CollectiveAlgorithm algorithm;

  /**
   * Numbers the groups.
   *
   * @param cluster the machine
   * @param ranks the terminal of each rank, and after them of each aggregator that collectives may use
   * @param groups of ranks, by number
   * @param algorithm that plans their collectives
   * @throws IllegalArgumentException when a group has a member that is no rank, or two ranks are together in two groups
   *     whose numbers differ by a multiple of {@value #TAGGED_GROUPS}
   */
  public Communicators(Cluster cluster, int[] ranks, List<Group> groups, CollectiveAlgorithm algorithm) {
    this.cluster = cluster;
    this.ranks = ranks.clone();
    this.groups = ImmutableList.copyOf(groups);
    this.algorithm = algorithm;
    for (int rank = 0; rank < ranks.length; rank++) {
      rankOf.put(ranks[rank], rank);
    }
    ImmutableList.Builder<Map<Integer, Integer>> found = ImmutableList.builder();
    for (int number = 0; number < groups.size(); number++) {
      found.add(positions(number));
    }
    positions = found.build();
    for (int number = TAGGED_GROUPS; number < groups.size(); number++) {
      for (int other = number % TAGGED_GROUPS; other < number; other += TAGGED_GROUPS) {
        requireApart(number, other);
      }
    }
  }

  /** No groups: programs without collectives. */
  static Communicators none(Cluster cluster, int[] ranks) {
    return new Communicators(cluster, ranks, List.of(), new NoCollectives());
  }

  /** Stands where no group can ask for a plan. */
  private record NoCollectives() implements CollectiveAlgorithm {
    @Override
    public Schedule plan(CollectiveRequest request) {
      throw new IllegalStateException("this job has no groups");
    }

    @Override
    public CollectiveCost cost(CollectiveRequest request) {
      throw new IllegalStateException("this job has no groups");
    }
  }

  private Map<Integer, Integer> positions(int number) {
    Group group = groups.get(number);
    Map<Integer, Integer> found = new TreeMap<>();
    for (int position = 0; position < group.size(); position++) {
      if (group.member(position) >= ranks.length) {
        throw new IllegalArgumentException("group " + number + " has the member " + group.member(position)
            + ", but ranks are 0 to " + (ranks.length - 1));
      }
      found.put(group.member(position), position);
    }
    return found;
  }

  private void requireApart(int number, int other) {
    List<Integer> common = new ArrayList<>(positions.get(number).keySet());
    common.retainAll(positions.get(other).keySet());
    if (common.size() > 1) {
      throw new IllegalArgumentException("ranks " + common.get(0) + " and " + common.get(1) + " are together in groups "
          + other + " and " + number + "; such numbers must not differ by a multiple of " + TAGGED_GROUPS);
    }
  }

  /** A group of ranks. */
  public Group group(int number) {
    return groups.get(number);
  }

  /** The position of a rank in a group. */
  public int position(int number, int rank) {
    Integer position = number < positions.size() ? positions.get(number).get(rank) : null;
    if (position == null) {
      throw new IllegalArgumentException("rank " + rank + " is no member of group " + number);
    }
    return position;
  }

  /** The terminal of a group's member. */
  public int terminal(int number, int position) {
    return ranks[groups.get(number).member(position)];
  }

  /** Whether a terminal's memory is part of the fabric. */
  public boolean hasMemory(int terminal) {
    return cluster.hasMemory(terminal);
  }

  /** The node of a terminal. */
  public int node(int terminal) {
    return cluster.node(terminal);
  }

  /**
   * The rank that is on a terminal.
   *
   * @throws IllegalArgumentException when there is none
   */
  public int rankOf(int terminal) {
    Integer rank = rankOf.get(terminal);
    if (rank == null) {
      throw new IllegalArgumentException(cluster.name(terminal) + " takes part in a collective, but is no rank");
    }
    return rank;
  }

  /** How collectives are planned. */
  public CollectiveAlgorithm algorithm() {
    return algorithm;
  }

  /** What the algorithm is asked for: the members are the terminals. */
  public CollectiveRequest request(CollectiveCall call) {
    int[] terminals = new int[groups.get(call.group()).size()];
    for (int position = 0; position < terminals.length; position++) {
      terminals[position] = terminal(call.group(), position);
    }
    Collective collective = Collective.of(call.op(), terminals.length, call.bytes());
    return new CollectiveRequest(
        call.op().rooted() ? collective.withRoot(call.root()) : collective, Group.of(terminals), cluster);
  }
}
