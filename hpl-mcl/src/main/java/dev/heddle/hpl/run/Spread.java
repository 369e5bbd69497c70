package dev.heddle.hpl.run;

/**
 * The building block of the long variants of HPL's broadcast and row swap: members in a line divide a message into as
 * many parts, halving the line until each has its own, and then roll the parts around until each has all.
 *
 * <p>The steps of a roll go to the same neighbour, so that they are sent as one message of all parts but one; the
 * latencies of the steps in between are not counted.
 */
final class Spread {
  private Spread() {}

  /** Sends and receives of one member. */
  interface Member {
    /** The member sends to another. */
    void send(int to, long bytes, int step);

    /** The member waits for another's message. */
    void receive(int from, int step);
  }

  /** Spreads a message from member 0 by halves: each member ends with its part. */
  static void spread(int self, int members, long bytes, Member member) {
    int low = 0;
    int high = members;
    int step = 0;
    while (high - low > 1) {
      int middle = low + (high - low + 1) / 2;
      if (self == low) {
        member.send(middle, part(middle, high, members, bytes), step);
      } else if (self == middle) {
        member.receive(low, step);
      }
      if (self < middle) {
        high = middle;
      } else {
        low = middle;
      }
      step++;
    }
  }

  /** Rolls the parts of a message around: each member ends with all. */
  static void roll(int self, int members, long bytes, Member member) {
    if (members > 1) {
      member.send((self + 1) % members, part(0, members - 1, members, bytes), ROLL);
      member.receive((self + members - 1) % members, ROLL);
    }
  }

  /** The step of a roll; those of a spread are fewer. */
  static final int ROLL = 40;

  private static long part(int from, int to, int members, long bytes) {
    return bytes * to / members - bytes * from / members;
  }
}
