package dev.heddle.network.flow;

import dev.heddle.network.CompiledFabric;
import dev.heddle.spi.Credits;
import dev.heddle.spi.Switch;

/**
 * Flow control by credits as a loop: a channel lets at most the receiver's buffer through in a round of its credits
 * [Kung, Blackwell and Chapman, Credit-Based Flow Control for ATM Networks, SIGCOMM 1994]. Buffers, units and times are
 * those of the packet network.
 *
 * <p>A round is that of an undisturbed unit: from its first bit on the wire over its arrival and its departure on the
 * next link, or, at its destination or where it moves on to an output's buffer, its last bit's arrival, to the return
 * of its credit. Time for which it waits for others is left out: the link that it waits for limits it by itself.
 */
final class CreditLoops {
  /** The round beyond the wire time of a full buffer that counts as none. */
  private static final double EPSILON = 1e-9;

  private final CompiledFabric plan;
  // By model of a link: the credits of its virtual channels, and whether any of them can run out.
  private final Credits[][] credits;
  private final boolean[] isLimited;
  // By device; 0 where links state it.
  private final int[] inputBuffer;
  private final boolean[] queuesAtOutputs;

  CreditLoops(CompiledFabric plan) {
    this.plan = plan;
    credits = new Credits[plan.specs.length][];
    isLimited = new boolean[credits.length];
    for (int spec = 0; spec < credits.length; spec++) {
      credits[spec] = plan.specs[spec].credits().toArray(new Credits[0]);
      for (Credits each : credits[spec]) {
        isLimited[spec] |= each.bufferBytes() < Credits.UNLIMITED || each.headers() < Credits.UNLIMITED;
      }
    }
    inputBuffer = new int[plan.devices];
    queuesAtOutputs = new boolean[plan.devices];
    for (int device = 0; device < plan.devices; device++) {
      Switch model = plan.fabric.forwarding(device);
      inputBuffer[device] = model == null ? 0 : model.inputBufferBytes();
      queuesAtOutputs[device] = model != null && model.buffering() == Switch.Buffering.OUTPUT;
    }
  }

  /** Whether the credits of a link may run out. */
  boolean limits(int link) {
    return isLimited[plan.spec[link]] || inputBuffer[plan.linkTarget[link]] > 0;
  }

  /** The buffer of a device's input by its own settings, and whether units leave it for an output's, in one number. */
  long kind(int device) {
    return 2L * inputBuffer[device] + (queuesAtOutputs[device] ? 1 : 0);
  }

  /** The receiver's buffer of a virtual channel of a link, in bytes. */
  int buffer(int link, int virtual) {
    int stated = inputBuffer[plan.linkTarget[link]];
    return stated > 0 ? stated : credits[plan.spec[link]][virtual].bufferBytes();
  }

  /**
   * The most units that the buffer of a channel holds, at least 1.
   *
   * @param virtual channel of the link
   * @param packets of a unit
   * @param payload of a unit, in bytes
   * @param wireBytes of a unit
   */
  int window(int link, int virtual, int packets, int payload, long wireBytes) {
    Credits own = credits[plan.spec[link]][virtual];
    int buffer = buffer(link, virtual);
    int window = own.headers() == Credits.UNLIMITED ? Integer.MAX_VALUE : own.headers() / packets;
    if (buffer < Credits.UNLIMITED) {
      window = Math.min(window, buffer / Math.max(1, own.taken(payload, wireBytes)));
    }
    return Math.max(1, window);
  }

  /**
   * The time from a unit's first bit on a link until its credit is back, in picoseconds.
   *
   * @param wirePs of the unit on the link
   * @param headPs of its first packet there
   * @param nextPs wire time on the link by which it goes on; negative at its destination
   */
  long roundPs(int link, int virtual, long wirePs, long headPs, long nextPs) {
    int device = plan.linkTarget[link];
    long back = plan.latencyPs[link] + credits[plan.spec[link]][virtual].returnPs();
    if (nextPs < 0) {
      return wirePs + back;
    }
    long eligible = queuesAtOutputs[device] ? -nextPs : eligiblePs(plan.switching[device], 0, wirePs, headPs);
    return back + plan.forwardPs[device] + Math.max(wirePs, eligible + nextPs);
  }

  /** The time at which a device may forward a unit, by its first bit, its last and the length of its first packet. */
  static long eligiblePs(byte switching, long start, long end, long headPs) {
    if (switching == CompiledFabric.CUT_THROUGH) {
      return start;
    }
    return switching == CompiledFabric.STORE_AND_FORWARD ? Math.min(end, start + headPs) : end;
  }

  /** Whether a channel waits for credits although it is alone: its buffer is full before the first of them is back. */
  static boolean binds(long roundPs, int window, long wirePs) {
    return roundPs > window * (double) wirePs * (1 + EPSILON);
  }
}
