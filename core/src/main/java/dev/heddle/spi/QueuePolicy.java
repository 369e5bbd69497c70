package dev.heddle.spi;

import java.util.List;
import java.util.Optional;

/**
 * Management of a switch's output queues, where a transport protocol runs over it. A data packet that finds no room is
 * trimmed, if the switch trims and the protocol understands it, or dropped; control packets have a queue of their own,
 * which goes first.
 *
 * <p>Dynamic thresholds: an output queue may hold {@code queueShare} times the free part of the shared buffer
 * [Choudhury and Hahne 1998].
 *
 * @param queueBytes most bytes of an output queue, at least 1; {@link Long#MAX_VALUE} for no limit of its own
 * @param bufferBytes bytes of the buffer that all queues share, at least 1; {@link Long#MAX_VALUE} for no limit
 * @param queueShare part of the free shared buffer that one queue may hold, above 0
 * @param marking thresholds of congestion marks, if the switch marks
 * @param trims whether a packet without room loses its payload, not its header
 * @param pause priority flow control, if the switch pauses its neighbours
 * @param weights shares of an output's rate by traffic class, each of which has a queue of its own; 0: before those
 * with a weight, the highest class first; empty: classes share the queues that links have
 * @param statedRate rate in bit/s of outputs whose queue and marks are stated, others in proportion; 0: at any rate
 */
public record QueuePolicy(
    long queueBytes, long bufferBytes, double queueShare, Optional<Marking> marking, boolean trims,
    Optional<Pause> pause, List<Integer> weights, long statedRate) {
  /** Queues without limit and marks. */
  public static final QueuePolicy UNLIMITED =
      new QueuePolicy(Long.MAX_VALUE, Long.MAX_VALUE, 1, Optional.empty(), false, Optional.empty(), List.of(), 0);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException when one is out of range, or a threshold contradicts the buffer
   */
  public QueuePolicy {
    weights = List.copyOf(weights);
    if (queueBytes < 1 || bufferBytes < 1 || !(queueShare > 0) || statedRate < 0) {
      throw new IllegalArgumentException(
          "no queue holds " + queueBytes + " bytes, " + queueShare + " of a buffer of " + bufferBytes + " at "
              + statedRate);
    }
  }

  /**
   * Congestion marking as by random early detection on the instantaneous queue: none up to {@code minBytes}, all above
   * {@code maxBytes}, between them with a probability that grows linearly to {@code maxProbability}.
   *
   * @param minBytes threshold Kmin, at least 0
   * @param maxBytes threshold Kmax, at least Kmin; {@link Long#MAX_VALUE}: all above Kmin have {@code maxProbability}
   * @param maxProbability Pmax, 0 to 1
   * @param lastHop whether the switch marks on links to terminals too
   */
  public record Marking(long minBytes, long maxBytes, double maxProbability, boolean lastHop) {
    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException when one is out of range
     */
    public Marking {
      if (minBytes < 0 || maxBytes < minBytes || !(maxProbability >= 0) || maxProbability > 1) {
        throw new IllegalArgumentException(
            "no queue marks between " + minBytes + " and " + maxBytes + " bytes up to " + maxProbability);
      }
    }
  }

  /**
   * Priority flow control [IEEE 802.1Qbb]: an input whose packets hold more than a threshold pauses the link that they
   * come by, until they hold {@code resumeBytes} less.
   *
   * @param thresholdBytes bytes of an input that pause its link; {@link Long#MAX_VALUE}: {@code inputShare} of the free
   * shared buffer alone
   * @param inputShare part of the free shared buffer that an input may hold, above 0
   * @param resumeBytes hysteresis, at least 0
   * @param headroomBytes bytes of each input for arrivals after the pause, at least 0, besides the shared buffer
   * @param classes traffic classes that pause, each for itself, while others drop; empty: all
   */
  public record Pause(
      long thresholdBytes, double inputShare, long resumeBytes, long headroomBytes, List<Integer> classes) {
    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException when one is out of range
     */
    public Pause {
      classes = List.copyOf(classes);
      if (thresholdBytes < 1 || !(inputShare > 0) || resumeBytes < 0 || headroomBytes < 0) {
        throw new IllegalArgumentException("no input pauses at " + thresholdBytes + " bytes, " + inputShare
            + " of a free buffer, and resumes " + resumeBytes + " bytes below, with a headroom of " + headroomBytes);
      }
    }
  }
}
