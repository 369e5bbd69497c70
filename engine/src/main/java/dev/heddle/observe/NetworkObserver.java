package dev.heddle.observe;

import java.util.List;

/**
 * Observer of transmissions and deliveries while a network runs. A run with an observer uses one thread; calls are in
 * order of time within each kind.
 */
public interface NetworkObserver {
  /**
   * A unit begins to cross a link. At flow fidelity the unit is a message, and the call comes when it has left its
   * source.
   *
   * @param link the directed link
   * @param channel its virtual channel
   * @param startPs departure of its first bit, in picoseconds
   * @param endPs time at which the link is free again
   * @param payloadBytes payload of the unit
   */
  void transmitted(int link, int channel, long startPs, long endPs, int payloadBytes);

  /**
   * A message has been received whole.
   *
   * @param source the terminal that sent it
   * @param destination the terminal that received it
   * @param bytes its payload
   * @param generatedPs time of its generation, in picoseconds
   * @param deliveredPs arrival of its last byte
   */
  void delivered(int source, int destination, long bytes, long generatedPs, long deliveredPs);

  /**
   * The data before a link has changed, at packet fidelity under a transport.
   *
   * @param link the directed link
   * @param timePs time of the change
   * @param bytes in the queues of all its classes from now on
   */
  default void queued(int link, long timePs, long bytes) {}

  /** A packet that begins to cross a link is marked as having met congestion. */
  default void marked(int link, long timePs) {}

  /**
   * Priority flow control pauses channels of a link, or lets them go on.
   *
   * @param link the directed link
   * @param channels a bit for each virtual channel that is paused from now on
   * @param timePs time at which the source of the link learns it
   */
  default void paused(int link, int channels, long timePs) {}

  /** One observer that tells several, in their order; at least one. */
  static NetworkObserver all(List<? extends NetworkObserver> observers) {
    return observers.size() == 1 ? observers.get(0) : new AllObservers(List.copyOf(observers));
  }
}
