package dev.heddle.hpl;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;

/**
 * A layer that moves words among processes, or within one: memory, a node's links, or a network.
 *
 * @param name for display
 * @param alpha seconds per message, 0 or more
 * @param beta seconds per word of 8 B, 0 or more
 */
public record CommunicationLayer(String name, double alpha, double beta) {
  /**
   * Checks the ranges.
   *
   * @throws InvalidSettingException when a time is negative or not finite
   */
  public CommunicationLayer {
    if (!(alpha >= 0 && alpha < Double.POSITIVE_INFINITY)) {
      throw new InvalidSettingException("alpha", "alpha of " + name + " is " + alpha + " s; it must be 0 or more");
    }
    if (!(beta >= 0 && beta < Double.POSITIVE_INFINITY)) {
      throw new InvalidSettingException("beta", "beta of " + name + " is " + beta + " s; it must be 0 or more");
    }
  }

  /** A layer of a latency per message and a rate. */
  public static CommunicationLayer of(String name, SimTime latency, DataRate rate) {
    return new CommunicationLayer(name, latency.seconds(), HplProblem.WORD_BYTES / rate.bytesPerSecond());
  }

  /** The same layer when a process has a part of its rate only: one of {@code parts} equal ones. */
  public CommunicationLayer slowedBy(double parts) {
    return new CommunicationLayer(name, alpha, beta * parts);
  }
}
