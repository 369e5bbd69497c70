package dev.heddle.spi;

import dev.heddle.collective.Group;

/**
 * Algorithm of collectives. A group of ranks gets a {@link Communicator} once, which then plans every collective of the
 * group, as collective libraries are used.
 *
 * <ul>
 *   <li>COLLECTIVE-1: {@link Communicator#plan} MUST be a pure function of cluster, group and collective: equal
 *       arguments give equal schedules, whose ranks' steps are the same in any order and from any thread.
 *   <li>COLLECTIVE-2: a schedule MUST be for the collective that was asked for, rank {@code i} being the group's member
 *       {@code i}.
 *   <li>COLLECTIVE-3: a schedule MUST be proved by {@link dev.heddle.collective.Verifier} with the window that it
 *       states, for every collective that is served.
 *   <li>COLLECTIVE-4: an operation, size or group that the algorithm cannot serve MUST be refused with {@link
 *       InvalidSettingException} that names those it serves, by {@link #communicator} or by {@code plan}.
 *   <li>COLLECTIVE-5: a schedule SHOULD plan a rank when its steps are asked for, so that thousands of ranks fit.
 *   <li>COLLECTIVE-6: pipelines, where a plan has any, MUST carry as many bytes over each pair of terminals as its
 *       schedule, but for rounding by chunks.
 *   <li>COLLECTIVE-7: the fidelities MUST agree on an idle fabric, within the bound that the algorithm's contract test
 *       states.
 * </ul>
 */
public interface CollectiveAlgorithm {
  /**
   * Prepares the collectives of a group: topology search, channels, connections.
   *
   * @param cluster the machine
   * @param group terminals of the machine, in the order of ranks
   * @throws InvalidSettingException when the algorithm cannot serve the group
   */
  Communicator communicator(Cluster cluster, Group group);

  /** Retransmission of lost packets by the connections of a run that has this algorithm. */
  default Retransmission retransmission() {
    return Retransmission.STANDARD;
  }
}
