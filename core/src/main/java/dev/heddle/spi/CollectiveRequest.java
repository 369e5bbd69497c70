package dev.heddle.spi;

import dev.heddle.collective.Collective;
import dev.heddle.collective.Group;

/**
 * What a collective algorithm is asked for.
 *
 * @param collective the operation, its size and root
 * @param group who takes part: rank {@code i} is terminal {@code group.member(i)} of the cluster
 * @param cluster where the terminals lie
 */
public record CollectiveRequest(Collective collective, Group group, Cluster cluster) {
  /**
   * Checks that group and collective fit.
   *
   * @throws IllegalArgumentException when their numbers of ranks differ, or a member is no terminal of the cluster
   */
  public CollectiveRequest {
    if (group.size() != collective.ranks()) {
      throw new IllegalArgumentException(
          "the group has " + group.size() + " members, but the collective " + collective.ranks() + " ranks");
    }
    for (int rank = 0; rank < group.size(); rank++) {
      if (group.member(rank) >= cluster.terminals()) {
        throw new IllegalArgumentException("rank " + rank + " is terminal " + group.member(rank)
            + ", but the cluster's are 0 to " + (cluster.terminals() - 1));
      }
    }
  }
}
