package dev.heddle.observe;

/**
 * Sees what a network does, as it does it. Calls come from the run's one thread, in order of time within each kind; a
 * run with an observer uses one thread.
 */
public interface NetworkObserver {
  /**
   * A unit begins to cross a link. At flow fidelity the unit is a message, and the call comes when it has left its source.
   *
   * @param link the directed link
   * @param channel its virtual channel
   * @param startPs when its first bit leaves, in picoseconds
   * @param endPs when the link is free again
   * @param payloadBytes payload of the unit
   */
  void transmitted(int link, int channel, long startPs, long endPs, int payloadBytes);

  /**
   * A message has been received whole.
   *
   * @param source the terminal that sent it
   * @param destination the terminal that received it
   * @param bytes its payload
   * @param generatedPs when it was generated, in picoseconds
   * @param deliveredPs when its last byte arrived
   */
  void delivered(int source, int destination, long bytes, long generatedPs, long deliveredPs);
}
