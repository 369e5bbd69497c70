package dev.heddle.hpl.run;

import dev.heddle.hpl.PanelBroadcast;

/**
 * The six broadcasts of HPL.dat: the sends and receives of one process of a row, as in HPL 2.3.
 *
 * <p>Positions count from the process that has the panel. A process forwards the panel when it has all of it.
 */
final class Broadcasts {
  private Broadcasts() {}

  /** Sends and receives of one process, and the operations that follow once it has the panel. */
  interface Process extends Spread.Member {
    /** The process has the whole panel. */
    void arrived();

    /** Whether positions after the first count without the one that follows it. */
    void skipNext(boolean skip);
  }

  /**
   * One broadcast.
   *
   * @param kind of broadcast
   * @param self position of the process
   * @param size of the row, at least 2
   * @param bytes of the panel
   * @param process receives the sends and receives, in order
   */
  static void add(PanelBroadcast kind, int self, int size, long bytes, Process process) {
    switch (kind) {
      case RING -> rings(self, size, size, size, bytes, process);
      case RING_MODIFIED -> rings(self, size, 2, size, bytes, process);
      case TWO_RING -> rings(self, size, (size + 1) / 2, size, bytes, process);
      case TWO_RING_MODIFIED -> rings(self, size, 2, 2 + (size - 1) / 2, bytes, process);
      case LONG -> longWay(self, size, bytes, process);
      case LONG_MODIFIED -> longModified(self, size, bytes, process);
    }
  }

  // Rings begin at positions 1, second and third, where those are of the row, and end before the next one.
  private static void rings(int self, int size, int second, int third, long bytes, Process process) {
    if (self > 0) {
      process.receive(self == 1 || self == second || self == third ? 0 : self - 1, 0);
    }
    process.arrived();
    int next = self + 1;
    if (next < size && (self == 0 || next != second && next != third)) {
      process.send(next, bytes, 0);
    }
    if (self == 0) {
      if (second > 1 && second < size) {
        process.send(second, bytes, 0);
      }
      if (third < size) {
        process.send(third, bytes, 0);
      }
    }
  }

  private static void longWay(int self, int size, long bytes, Process process) {
    if (self == 0) {
      process.arrived();
    }
    Spread.spread(self, size, bytes, process);
    Spread.roll(self, size, bytes, process);
    if (self > 0) {
      process.arrived();
    }
  }

  // The next column receives the panel first, whole, since it factorises the next one; the others use the long
  // broadcast.
  private static void longModified(int self, int size, long bytes, Process process) {
    if (self == 1) {
      process.receive(0, Spread.ROLL + 1);
      process.arrived();
      return;
    }
    if (self == 0) {
      process.send(1, bytes, Spread.ROLL + 1);
    }
    process.skipNext(true);
    longWay(self == 0 ? 0 : self - 1, size - 1, bytes, process);
    process.skipNext(false);
  }
}
