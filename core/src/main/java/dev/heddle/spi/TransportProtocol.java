package dev.heddle.spi;

import dev.heddle.units.RandomStream;
import java.util.Optional;

/**
 * A transport protocol: reliability and congestion control of the connections between terminals. A connection carries
 * the messages of one source to one destination in order of their submission.
 *
 * <ul>
 *   <li>TRANSPORT-1: all methods MUST be pure functions of their arguments, thread-safe, and without effect;
 *       {@link #connect} and {@link #paths} return a fresh object at every call.
 *   <li>TRANSPORT-2: {@link #timeoutPs} MUST be longer than the path's base round-trip time.
 *   <li>TRANSPORT-3: {@link #acknowledgementBytes()}, {@link #telemetryBytes()}, {@link #notificationPs()} and {@link
 *       #reorderingPackets()} MUST be at least 0, {@link #pathCount()} at least 1, and {@link #steadyUtilisation()}
 *       above 0 and at most 1.
 *   <li>TRANSPORT-4: {@link #acceptsTrimmed()} MUST be false where recovery is {@link LossRecovery#GO_BACK_N}.
 *   <li>TRANSPORT-5: with any protocol, a network MUST deliver every byte once, whatever packets it drops or trims.
 *   <li>TRANSPORT-6: the controls of a protocol of which {@link #suitsFluid()} holds MUST state rates.
 * </ul>
 */
public interface TransportProtocol {
  /** Repetition of lost packets by a sender. */
  enum LossRecovery {
    /** The receiver drops packets that come after a gap, and the sender returns to the first one missing. */
    GO_BACK_N,
    /** The receiver keeps packets in any order, and the sender repeats only those that are missing. */
    SELECTIVE_REPEAT
  }

  /** Repetition of lost packets. */
  LossRecovery lossRecovery();

  /** Congestion control of a new connection. */
  CongestionControl connect(ConnectionPath path);

  /** Path selection of a new connection. */
  default PathSelector paths(ConnectionPath path, RandomStream random) {
    return PathSelector.SINGLE;
  }

  /** Paths among which a connection's packets spread in equal parts; fidelities without packets divide flows so. */
  default int pathCount() {
    return 1;
  }

  /** Part of a link's rate that converged connections fill; fidelities without packets leave the rest free. */
  default double steadyUtilisation() {
    return 1;
  }

  /** Whether rates follow notifications and round trips alone, so that flows run its controls on fluid queues. */
  default boolean suitsFluid() {
    return false;
  }

  /** Time after which a packet without acknowledgement is taken for lost, in picoseconds. */
  long timeoutPs(ConnectionPath path);

  /** Later packets that let a sender take a missing one for lost, under selective repeat; 0: order says nothing. */
  default int reorderingPackets() {
    return 0;
  }

  /** Bytes on the wire that a receiver collects before it acknowledges them; 0: it acknowledges every packet. */
  default int acknowledgementBytes() {
    return 0;
  }

  /** Whether the protocol understands packets that a switch has trimmed to their header. */
  default boolean acceptsTrimmed() {
    return false;
  }

  /** Bytes of telemetry that each data packet carries; 0 for none. */
  default int telemetryBytes() {
    return 0;
  }

  /** Least time between two congestion notifications of a connection in picoseconds; 0 for no notifications. */
  default long notificationPs() {
    return 0;
  }

  /** Credits by which receivers pace senders, if they do. */
  default Optional<ReceiverCredits> receiverCredits(ConnectionPath path) {
    return Optional.empty();
  }

  /** Control of a receiver's pacer, told of arrivals (onSent), marks (onNotification) and trims; absent: none. */
  default Optional<CongestionControl> creditControl(ConnectionPath path, RandomStream random) {
    return Optional.empty();
  }

  /**
   * Credits by which a receiver paces its senders. A sender starts with speculative credit; afterwards every packet
   * needs credit that the receiver's pacer grants, in turn to all senders that have asked for it.
   *
   * @param bytesPerGrant credit that one grant carries, in bytes on the wire, at least 1
   * @param rateShare share of the receiver's line rate at which credit is granted, above 0 and at most 1
   * @param speculativeBytes credit of a new connection, in bytes
   * @param outstandingBytes most bytes that a sender asks for ahead of its transmission
   */
  record ReceiverCredits(long bytesPerGrant, double rateShare, long speculativeBytes, long outstandingBytes) {
    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException when one is out of range
     */
    public ReceiverCredits {
      if (bytesPerGrant < 1 || !(rateShare > 0) || rateShare > 1 || speculativeBytes < 0 || outstandingBytes < 1) {
        throw new IllegalArgumentException("no receiver grants " + bytesPerGrant + " bytes at " + rateShare
            + " of its rate, after " + speculativeBytes + " bytes, of " + outstandingBytes);
      }
    }
  }
}
