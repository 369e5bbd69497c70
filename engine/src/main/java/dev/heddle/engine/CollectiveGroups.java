package dev.heddle.engine;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.Communicator;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * The groups of a run's ranks, and the algorithm by which they do their collectives. Immutable, shared by all parts.
 */
public final class CollectiveGroups {
  /** The number of groups with separate tags. */
  static final int TAGGED_GROUPS = 1 << 12;

  private static final int NONE = -1;

  private final Cluster cluster;
  private final int[] ranks;
  private final int[] rankOf;
  private final ImmutableList<Group> groups;
  private final ImmutableList<Collective> exchanges;
  private final CollectiveAlgorithm algorithm;
  private final ImmutableList<Supplier<Communicator>> communicators;

  // Per rank, one after the other: the groups that it is a member of, ascending, and its positions in them.
  private final int[] firstOf;
  private final int[] memberOf;
  private final int[] positionIn;

  /**
   * Numbers the groups.
   *
   * @param cluster the machine
   * @param ranks the terminal of each rank, and after them of each aggregator that collectives may use
   * @param groups of ranks, by number
   * @param exchanges all_to_alls whose pairs differ, by number
   * @param algorithm that plans their collectives
   * @throws IllegalArgumentException when a group has a member that is no rank, or two ranks are together in two groups
   *     whose numbers differ by a multiple of {@value #TAGGED_GROUPS}
   */
  public CollectiveGroups(
      Cluster cluster, int[] ranks, List<Group> groups, List<Collective> exchanges, CollectiveAlgorithm algorithm) {
    this.cluster = cluster;
    this.ranks = ranks.clone();
    this.groups = ImmutableList.copyOf(groups);
    this.exchanges = ImmutableList.copyOf(exchanges);
    this.algorithm = algorithm;
    communicators = this.groups.stream().<Supplier<Communicator>>map(
        group -> Suppliers.memoize(() -> communicator(group))).collect(ImmutableList.toImmutableList());
    rankOf = new int[cluster.devices()];
    Arrays.fill(rankOf, NONE);
    for (int rank = 0; rank < ranks.length; rank++) {
      rankOf[ranks[rank]] = rank;
    }
    firstOf = new int[ranks.length + 1];
    for (int number = 0; number < groups.size(); number++) {
      for (int member : groups.get(number).members()) {
        firstOf[checked(number, member) + 1] += shared(number) ? 1 : 0;
      }
    }
    for (int rank = 0; rank < ranks.length; rank++) {
      firstOf[rank + 1] += firstOf[rank];
    }
    memberOf = new int[firstOf[ranks.length]];
    positionIn = new int[memberOf.length];
    int[] next = firstOf.clone();
    for (int number = 0; number < groups.size(); number++) {
      for (int position = 0; position < groups.get(number).size() && shared(number); position++) {
        int entry = next[groups.get(number).member(position)]++;
        memberOf[entry] = number;
        positionIn[entry] = position;
      }
    }
    for (int rank = 0; rank < ranks.length && groups.size() > TAGGED_GROUPS; rank++) {
      requireApart(rank);
    }
  }

  /** No groups: programs without collectives. */
  static CollectiveGroups none(Cluster cluster, int[] ranks) {
    return new CollectiveGroups(cluster, ranks, List.of(), List.of(), (any, group) -> {
      throw new IllegalStateException("this job has no groups");
    });
  }

  // A group of one is not looked up: a list may be filled with them.
  private boolean shared(int number) {
    return groups.get(number).size() > 1;
  }

  private int checked(int number, int member) {
    if (member >= ranks.length) {
      throw new IllegalArgumentException(
          "group " + number + " has the member " + member + ", but ranks are 0 to " + (ranks.length - 1));
    }
    return member;
  }

  // Two groups with the same tags must not have two ranks in common.
  private void requireApart(int rank) {
    for (int i = firstOf[rank]; i < firstOf[rank + 1]; i++) {
      for (int j = i + 1; j < firstOf[rank + 1]; j++) {
        if ((memberOf[j] - memberOf[i]) % TAGGED_GROUPS == 0) {
          requireApart(rank, memberOf[i], memberOf[j]);
        }
      }
    }
  }

  private void requireApart(int rank, int one, int other) {
    Group group = groups.get(one);
    for (int position = 0; position < group.size(); position++) {
      int member = group.member(position);
      if (member != rank && entry(other, member) >= 0) {
        throw new IllegalArgumentException("ranks " + Math.min(rank, member) + " and " + Math.max(rank, member)
            + " are together in groups " + one + " and " + other + "; such numbers must not differ by a multiple of "
            + TAGGED_GROUPS);
      }
    }
  }

  private int entry(int number, int rank) {
    return Arrays.binarySearch(memberOf, firstOf[rank], firstOf[rank + 1], number);
  }

  /** A group of ranks. */
  public Group group(int number) {
    return groups.get(number);
  }

  /** The position of a rank in a group. */
  public int position(int number, int rank) {
    if (number < groups.size() && !shared(number) && groups.get(number).member(0) == rank) {
      return 0;
    }
    int entry = entry(number, rank);
    if (entry < 0) {
      throw new IllegalArgumentException("rank " + rank + " is no member of group " + number);
    }
    return positionIn[entry];
  }

  /** The terminal of a group's member. */
  public int terminal(int number, int position) {
    return ranks[groups.get(number).member(position)];
  }

  /** Whether a terminal's memory is part of the fabric. */
  public boolean hasMemory(int terminal) {
    return cluster.hasMemory(terminal);
  }

  /** Whether the cluster is one node, which then has the only network. */
  public boolean isOneNode() {
    return cluster.nodes() == 1;
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
    int rank = rankOf[terminal];
    if (rank == NONE) {
      throw new IllegalArgumentException(cluster.name(terminal) + " takes part in a collective, but is no rank");
    }
    return rank;
  }

  /** The algorithm of the groups' collectives. */
  public CollectiveAlgorithm algorithm() {
    return algorithm;
  }

  /**
   * The plan of a call.
   *
   * @throws dev.heddle.spi.InvalidSettingException when the algorithm cannot serve the call
   */
  public CollectivePlan plan(CollectiveCall call) {
    Collective collective = call.op() == CollectiveOp.ALL_TO_ALL_V
        ? exchanges.get(call.root())
        : Collective.of(call.op(), groups.get(call.group()).size(), call.bytes(), call.root());
    return communicators.get(call.group()).get().plan(collective);
  }

  // The members of a communicator are terminals.
  private Communicator communicator(Group group) {
    return algorithm.communicator(
        cluster, Group.of(Arrays.stream(group.members()).map(member -> ranks[member]).toArray()));
  }
}
