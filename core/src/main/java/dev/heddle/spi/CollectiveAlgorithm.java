package dev.heddle.spi;

import dev.heddle.collective.Pipeline;
import dev.heddle.collective.Schedule;
import java.util.List;
import java.util.OptionalLong;

/**
 * How a collective is done.
 *
 * <ul>
 *   <li>COLLECTIVE-1: {@link #plan} and {@link #cost} MUST be pure functions of the request: equal requests give equal
 *       schedules, whose ranks' steps are the same in whichever order and from whichever thread they are asked for.
 *   <li>COLLECTIVE-2: a schedule MUST be for the request's collective, rank {@code i} being the group's member
 *       {@code i}.
 *   <li>COLLECTIVE-3: a schedule MUST be proved by {@link dev.heddle.collective.Verifier} for every request that is
 *       served, with the window of {@link #window()}.
 *   <li>COLLECTIVE-4: an operation, size or group that the algorithm cannot serve MUST be refused by both methods with
 *       {@link InvalidSettingException} that says which it can.
 *   <li>COLLECTIVE-5: a schedule SHOULD plan a rank when its steps are asked for, so that thousands of ranks fit.
 *   <li>COLLECTIVE-6: a cost MUST have at least as many rounds as the schedule's longest chain of messages, at least as
 *       many bytes as any rank sends but for what cutting into chunks rounds up, and MUST NOT fall as the size grows.
 *   <li>COLLECTIVE-7: pipelines, where there are any, MUST carry as many bytes over each pair of terminals as the
 *       schedule, but for what cutting into chunks rounds up.
 *   <li>COLLECTIVE-8: the three fidelities MUST agree when nothing else uses the fabric, within what the algorithm's
 *       contract test states.
 * </ul>
 */
public interface CollectiveAlgorithm {
  /**
   * Plans a collective.
   *
   * @throws InvalidSettingException when the algorithm cannot serve the request
   */
  Schedule plan(CollectiveRequest request);

  /**
   * What a collective costs in closed form.
   *
   * @throws InvalidSettingException when the algorithm cannot serve the request
   */
  CollectiveCost cost(CollectiveRequest request);

  /**
   * The pipelines of a collective, where every channel moves its data as one fluid: a ring, a chain, a pipelined tree.
   * Those of one phase run side by side; a phase begins when the one before has ended, and the collective has ended
   * when the last of them has.
   *
   * @return none where the schedule's steps are rounds that wait for each other
   * @throws InvalidSettingException when the algorithm cannot serve the request
   */
  default List<Pipeline> pipelines(CollectiveRequest request) {
    return List.of();
  }

  /**
   * How long a collective without pipelines takes alone at analytic fidelity, in picoseconds, where the algorithm knows
   * more of its messages' ways than {@link #cost} tells.
   *
   * @return empty where the cost is all there is: each round then takes what the slowest message between neighbours
   * does
   * @throws InvalidSettingException when the algorithm cannot serve the request
   */
  default OptionalLong uncontendedTimePs(CollectiveRequest request) {
    return OptionalLong.empty();
  }

  /** What a round of {@link #cost} takes besides the network, in picoseconds; at least 0. */
  default long roundPs() {
    return 0;
  }

  /** How its connections, and all others of a run that has it, send again what links lose. */
  default Retransmission retransmission() {
    return Retransmission.STANDARD;
  }

  /** How many messages a connection must hold between send and receive for schedules to end; at least 1. */
  default int window() {
    return 1;
  }
}
