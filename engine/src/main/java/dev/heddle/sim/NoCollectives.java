package dev.heddle.sim;

import dev.heddle.collective.Schedule;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveCost;
import dev.heddle.spi.CollectiveRequest;
import dev.heddle.spi.InvalidSettingException;

/** Algorithm of a simulation that was given none: it refuses every collective. */
record NoCollectives() implements CollectiveAlgorithm {
  @Override
  public Schedule plan(CollectiveRequest request) {
    throw refusal(request);
  }

  @Override
  public CollectiveCost cost(CollectiveRequest request) {
    throw refusal(request);
  }

  private static InvalidSettingException refusal(CollectiveRequest request) {
    return new InvalidSettingException(
        "", "a program holds " + request.collective().op().key()
            + ", but the simulation has no algorithm for collectives; add one by Simulation.with");
  }
}
