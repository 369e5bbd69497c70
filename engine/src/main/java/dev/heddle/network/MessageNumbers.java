package dev.heddle.network;

import dev.heddle.collective.MessageLabel;
import dev.heddle.fabric.Fabric;

/**
 * Numbers of messages: the source terminal, how networks between nodes treat the message, and its number among those of
 * the source.
 */
public final class MessageNumbers {
  private static final long SEQUENCE = (1L << Fabric.MESSAGE_BITS - MessageLabel.BITS) - 1;

  private static final int DEVICE_BITS = 24;
  private static final int RAIL_SHIFT = 2 * DEVICE_BITS;

  private MessageNumbers() {}

  /** The number of the connection between two terminals that carries messages of a label. */
  public static long connection(int source, int destination, int label) {
    return (long) (label & MessageLabel.RAILED) << RAIL_SHIFT | (long) source << DEVICE_BITS + MessageLabel.BITS
        | (long) destination << MessageLabel.BITS | label & MessageLabel.RAILED - 1;
  }

  /** The number of the connection that carries a message. */
  public static long connection(long message, int destination) {
    return connection(source(message), destination, Fabric.label(message));
  }

  /**
   * The number of the connection that carries a message with a label ({@link MessageLabel#of}): messages of other
   * labels take others, and where switches tell classes apart, those of other classes too.
   */
  public static long connection(long message, int destination, int service, boolean byClass) {
    int bits = networkBits(service);
    int trafficClass = MessageLabel.trafficClass(service);
    boolean own = byClass && trafficClass > 0 && MessageLabel.networkClass(bits) == MessageLabel.SAME_CLASS;
    int label =
        own ? MessageLabel.networkBits(MessageLabel.of(0, trafficClass, MessageLabel.labelledRoute(bits))) : bits;
    return connection(source(message), destination, label);
  }

  /**
   * The number of a message.
   *
   * @param beyondClass value of {@link MessageLabel#networkBits}
   * @param sequence among the messages of the source, below 2^28
   */
  public static long of(int source, int beyondClass, long sequence) {
    if (sequence > SEQUENCE) {
      throw new IllegalStateException("terminal " + source + " has sent 2^28 messages, more than can be numbered");
    }
    return Fabric.message(source, beyondClass) | sequence;
  }

  /**
   * All of a label but the class within a node ({@link MessageLabel#networkBits}). A class between nodes that equals
   * the one within is no separate one, so that a message has the same number whether that class was stated or not.
   */
  public static int networkBits(int service) {
    int bits = MessageLabel.networkBits(service);
    return MessageLabel.networkClass(bits) == MessageLabel.trafficClass(service) ? MessageLabel.labelledRoute(bits)
        : bits;
  }

  /** The terminal that sent a message. */
  public static int source(long message) {
    return Fabric.source(message);
  }

  /** The number of a message among those of its source. */
  public static long sequence(long message) {
    return message & SEQUENCE;
  }

  /** The traffic class between nodes, or {@link MessageLabel#SAME_CLASS}. */
  public static int networkClass(long message) {
    return MessageLabel.networkClass(Fabric.label(message));
  }

  /**
   * The candidate, from 0, that a hash takes at a device: of the route's label where there is one, else of the number.
   */
  public static int hashed(long message, int device, int candidates) {
    boolean labelled = MessageLabel.route(Fabric.label(message)) != 0;
    return Fabric.hashed(labelled ? message & ~SEQUENCE : message, device, candidates);
  }
}
