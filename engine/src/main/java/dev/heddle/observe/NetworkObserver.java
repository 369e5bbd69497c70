package dev.heddle.observe;

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
}
