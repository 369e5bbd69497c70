package dev.heddle.tier;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Terminal;
import java.util.List;

/**
 * One tier of a fabric: the devices and links that connect its terminals, and their routing.
 *
 * <ul>
 *   <li>TOPOLOGY-1: {@link #plan} MUST be a pure function of the terminals: the same terminals give the same plan.
 *   <li>TOPOLOGY-2: every terminal MUST be connected, and a route MUST lead from every terminal to every other. A plan
 *       that says it is {@link TierPlan#partial} MAY lack routes between some, in both directions.
 *   <li>TOPOLOGY-3: routes MUST be free of loops whichever candidate is taken at each device, and SHOULD be free of
 *       credit deadlocks with the links' buffers.
 *   <li>TOPOLOGY-4: a number of terminals that the topology cannot connect MUST be refused with
 *       {@link InvalidSettingException} that says which numbers it can.
 *   <li>TOPOLOGY-5: terminals MUST keep their indices: device {@code i} of the plan is terminal {@code i}.
 * </ul>
 */
public interface Topology {
  /**
   * Plans the tier.
   *
   * @param terminals the devices to connect, in order, at least one
   * @throws InvalidSettingException when the topology cannot connect this number, or these kinds, of terminals
   */
  TierPlan plan(List<Terminal> terminals);
}
