package dev.heddle.network.flow;

import dev.heddle.internal.collect.LongLongMap;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Classes of ranks, groups and links that evolve alike: of each class one member is simulated, and stands for all.
 *
 * <p>Every link of a class is crossed by as many members of each class of flows. So a flow's representative loads the
 * representative of a link with as many crossings as there are flows in its class, divided by the links in theirs.
 */
final class Folding {
  private final RankShapes shapes;
  private final int[] rankOf;
  private final LongLongMap groupOf;
  private final LongLongMap groupCopies;
  private final LongLongMap arrivals;
  private final int[] linkOf;

  // Members of the class of each representative, and all members one after another.
  private final int[] firstMember;
  private final int[] members;
  private final int[] linkCopies;

  /**
   * A partition into classes.
   *
   * @param shapes of the programs
   * @param rankOf representative of each rank
   * @param groupOf representative of each group
   * @param linkOf representative of each link
   * @param groups numbers of all groups
   * @param arrivals by representative of a group: classes of its members
   */
  Folding(
      RankShapes shapes, int[] rankOf, LongLongMap groupOf, int[] linkOf, int[] groups, LongLongMap arrivals) {
    this.shapes = shapes;
    this.rankOf = rankOf;
    this.groupOf = groupOf;
    this.linkOf = linkOf;
    this.arrivals = arrivals;
    groupCopies = new LongLongMap(0);
    for (int group : groups) {
      groupCopies.increment(groupOf.get(group));
    }
    linkCopies = new int[linkOf.length];
    for (int link : linkOf) {
      linkCopies[link]++;
    }
    firstMember = new int[rankOf.length + 1];
    for (int rank : rankOf) {
      firstMember[rank + 1]++;
    }
    for (int rank = 0; rank < rankOf.length; rank++) {
      firstMember[rank + 1] += firstMember[rank];
    }
    members = new int[rankOf.length];
    int[] next = firstMember.clone();
    for (int rank = 0; rank < rankOf.length; rank++) {
      members[next[rankOf[rank]]++] = rank;
    }
  }

  /** The rank that is simulated in place of a rank. */
  int rank(int rank) {
    return rankOf[rank];
  }

  /** The ranks for which a representative stands, itself included. */
  int copies(int representative) {
    return firstMember[representative + 1] - firstMember[representative];
  }

  /** By representative the ranks for which it stands, ascending; null for other ranks. */
  int[] @Nullable [] members() {
    int[] @Nullable [] all = new int[rankOf.length][];
    for (int rank = 0; rank < rankOf.length; rank++) {
      if (copies(rank) > 0) {
        all[rank] = Arrays.copyOfRange(members, firstMember[rank], firstMember[rank + 1]);
      }
    }
    return all;
  }

  /** The group that is simulated in place of a group. */
  int group(int group) {
    return (int) groupOf.get(group);
  }

  /** The groups for which a representative stands, itself included. */
  int groupCopies(int representative) {
    return (int) groupCopies.get(representative);
  }

  /** The representatives of ranks that come to a call of a representative of groups. */
  int arrivals(int representative) {
    return (int) arrivals.get(representative);
  }

  /** The link that is simulated in place of a link. */
  int link(int link) {
    return linkOf[link];
  }

  /** Crossings of a representative of links by flows of a class, per crossing by one of them of the links' class. */
  double crossings(int copies, int link) {
    return (double) copies / linkCopies[linkOf[link]];
  }

  /**
   * The rank from which the representative of a receiver has the message that a representative sends.
   *
   * @param sender a representative
   * @param receiver its peer
   */
  int sender(int sender, int receiver) {
    return shapes.peers(rankOf[receiver])[shapes.slotOfPeer(receiver, sender)];
  }

  /** Whether several groups of a class cross one link with a call, by the flows of one of them before folding. */
  boolean meet(List<CoupledFlow> flows, int copies) {
    LongLongMap seen = new LongLongMap(0);
    LongLongMap links = new LongLongMap(0);
    boolean meet = false;
    for (CoupledFlow flow : flows) {
      for (int i = 0; i < flow.count(); i++) {
        int link = flow.links()[i];
        if (seen.increment(link) == 0) {
          long distinct = 1 + links.increment(linkOf[link]);
          meet |= distinct * copies > linkCopies[linkOf[link]];
        }
      }
    }
    return meet;
  }
}
