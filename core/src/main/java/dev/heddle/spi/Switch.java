package dev.heddle.spi;

/**
 * The forwarding of bursts from a device's input links to its output links.
 *
 * <ul>
 *   <li>SWITCH-1: all methods MUST return the same value at every call.
 *   <li>SWITCH-2: {@link #latencyPs()} MUST be at least 0.
 *   <li>SWITCH-3: {@link #inputBufferBytes()} and {@link #outputBufferBytes()} MUST be at least 1 or 0 for "not given".
 *   <li>SWITCH-4: a device that forwards MUST neither lose, duplicate nor reorder packets of one message between one
 *       input and one output (the network ensures it; the contract test checks it).
 *   <li>SWITCH-5: no request may starve under any arbitration except fixed priority.
 * </ul>
 */
public interface Switch {
  /** The time from a burst's eligibility at an input to its earliest departure, in picoseconds. */
  long latencyPs();

  /** The condition for a burst's eligibility: its head has arrived, or all of it. */
  Switching switching();

  /** The queues in which bursts wait. */
  Buffering buffering();

  /** The order of requests of one instant for one output. */
  Arbitration arbitration();

  /** The buffer of each input and virtual channel in bytes; 0: as given by the incoming link's credits. */
  int inputBufferBytes();

  /** The buffer of each output and virtual channel in bytes, for {@link Buffering#OUTPUT}; 0: unlimited. */
  int outputBufferBytes();

  /** Management of its output queues where a transport protocol runs over it. */
  default QueuePolicy queuePolicy() {
    return QueuePolicy.UNLIMITED;
  }

  /** The condition under which a burst may be forwarded. */
  enum Switching {
    /** As soon as its head has arrived; the output never overtakes the input. */
    CUT_THROUGH,
    /** When its first packet has arrived whole; later packets of a burst follow in a pipeline. */
    STORE_AND_FORWARD,
    /** When the whole burst has arrived, as where a NIC converts between packet formats. */
    WHOLE_UNIT
  }

  /** The queues in which bursts wait for an output. */
  enum Buffering {
    /** One queue per input and virtual channel, with head-of-line blocking. */
    INPUT,
    /** One queue per output and virtual channel; inputs hold only bursts for which that queue has no space. */
    OUTPUT,
    /** One queue per input, output and virtual channel (virtual output queues) in a shared input buffer. */
    VIRTUAL_OUTPUT
  }

  /** The order of requests. */
  enum Arbitration {
    /** The next after the last granted. */
    ROUND_ROBIN,
    /** The message that was generated first. */
    AGE,
    /** The input that was connected first. */
    FIXED_PRIORITY
  }
}
