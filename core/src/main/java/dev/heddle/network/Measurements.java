package dev.heddle.network;

import dev.heddle.engine.CollectiveLog;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What one run of a network measured, at whichever fidelity. A {@code kind} is {@link Meter#INTRA} or
 * {@link Meter#INTER}; what concerns a window is that of the run, or the whole run where it ran to completion.
 */
public interface Measurements {
  /** Simulated time at the end of the run. */
  long endPs();

  /** Length of the measured window in picoseconds; the whole run where it ran to completion. */
  long windowPs();

  /** Events processed. */
  long events();

  /** Units that began to cross a link; at flow fidelity a unit is a message. */
  long hops();

  /** Hash over all deliveries. */
  long fingerprint();

  /** Messages delivered over the whole run. */
  long delivered();

  /** Packets that links lost over the whole run. */
  long lost();

  /** Messages refused by full injection queues within the window. */
  long refused();

  /** Payload offered within the window, refused messages included. */
  long offeredBytes(int kind);

  /** Payload delivered within the window. */
  long deliveredBytes(int kind);

  /** Messages delivered whole within the window. */
  long deliveredMessages(int kind);

  /** Mean time from generation to delivery within the window in picoseconds; NaN without a message. */
  double meanLatencyPs(int kind);

  /** Times from generation to delivery within the window in picoseconds; a copy. */
  Histogram latency(int kind);

  /** The kinds of collectives that ended, in order. */
  List<CollectiveLog.Kind> collectives();

  /** The number of directed links. */
  int links();

  /** Time within the window for which a link carried bytes. */
  long busyPs(int link);

  /** Time within the window for which a link was idle with a unit waiting for credit; 0 at flow fidelity. */
  long stallPs(int link);

  /** Payload that crossed a link within the window. */
  long linkPayloadBytes(int link);

  /** Units that began to cross a link within the window. */
  long linkUnits(int link);

  /** The most bytes that waited for a link at once. */
  long maxQueuedBytes(int link);
}
