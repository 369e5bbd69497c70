package dev.heddle.network;

/** Counters of the directed links of a network within the measured window of a run. */
public interface LinkCounters {
  /** Time for which a link carried bytes. */
  long busyPs(int link);

  /**
   * Time at which a link had sent its last byte, where that may be after the last delivery, as packets are sent again;
   * 0 elsewhere.
   */
  default long lastPs(int link) {
    return 0;
  }

  /** Time for which a link was idle with a unit waiting for credit; 0 at flow fidelity. */
  long stallPs(int link);

  /** Payload that crossed a link. */
  long payloadBytes(int link);

  /** Units that began to cross a link; at flow fidelity a unit is a message. */
  long units(int link);

  /** The most bytes that waited for a link at once. */
  long maxQueuedBytes(int link);
}
