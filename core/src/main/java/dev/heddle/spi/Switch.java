package dev.heddle.spi;

/**
 * How a device forwards units from its input links to its output links.
 *
 * <ul>
 *   <li>SWITCH-1: all methods MUST return the same value at every call.
 *   <li>SWITCH-2: {@link #latencyPs()} MUST be at least 0.
 *   <li>SWITCH-3: {@link #inputBufferBytes()} and {@link #outputBufferBytes()} MUST be at least 1 or 0 for "not given".
 *   <li>SWITCH-4: a device that forwards MUST neither lose, duplicate nor reorder units of one message between one
 *       input and one output (the network does so; the contract test holds it).
 *   <li>SWITCH-5: whatever the arbitration among equals, no request may starve except under fixed priority.
 * </ul>
 */
public interface Switch {
  /** The time from a unit's being eligible at an input to its earliest departure, in picoseconds. */
  long latencyPs();

  /** When a unit is eligible: with its head, or whole. */
  Switching switching();

  /** Where units wait. */
  Buffering buffering();

  /** Who goes first among the requests of one instant for one output. */
  Arbitration arbitration();

  /** The buffer of each input and virtual channel in bytes; 0: what the incoming link's credits say. */
  int inputBufferBytes();

  /** The buffer of each output and virtual channel in bytes, for {@link Buffering#OUTPUT}; 0: unlimited. */
  int outputBufferBytes();

  /** When a unit may be forwarded. */
  enum Switching {
    /** As soon as its head has arrived; the output never overtakes the input. */
    CUT_THROUGH,
    /** When its first packet has arrived whole; later packets of a train follow in a pipeline. */
    STORE_AND_FORWARD,
    /** When the whole unit has arrived, as where a NIC converts between packet formats. */
    WHOLE_UNIT
  }

  /** Where units wait for an output. */
  enum Buffering {
    /** One queue per input and virtual channel: the head blocks what is behind it. */
    INPUT,
    /** One queue per output and virtual channel; inputs hold only what finds no room there. */
    OUTPUT,
    /** One queue per input, output and virtual channel (virtual output queues) in a shared input buffer. */
    VIRTUAL_OUTPUT
  }

  /** Who goes first. */
  enum Arbitration {
    /** The next after the last granted. */
    ROUND_ROBIN,
    /** The message that was generated first. */
    AGE,
    /** The input that was connected first. */
    FIXED_PRIORITY
  }
}
