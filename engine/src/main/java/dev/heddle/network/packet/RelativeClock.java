package dev.heddle.network.packet;

import dev.heddle.internal.collect.LongList;
import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.network.MessageNumbers;

/**
 * The origin of times and of numbers of messages in a comparison of states.
 *
 * @param now the time, ps
 * @param generations the origin of the times of generation of messages; 0 where messages stay the same, ps
 * @param numbers the origin of the numbers of messages; 0 where messages stay the same
 */
record RelativeClock(long now, long generations, long numbers) {
  /** A clock of states between which messages stay the same. */
  static RelativeClock ofSame(long now) {
    return new RelativeClock(now, 0, 0);
  }

  /** A clock of states between which messages take the places of others, as a call is recorded. */
  static RelativeClock ofOthers(long now, IsolatedRun recording) {
    return new RelativeClock(now, now, recording.count);
  }

  /** Whether messages stay the same. */
  boolean isOfSame() {
    return generations == 0 && numbers == 0;
  }

  /**
   * A change of these.
   *
   * @param ps of time
   * @param generations of times of generation, ps
   * @param numbers of numbers of messages
   */
  record Jump(long ps, long generations, long numbers) {
    /** Gives the messages of a recording that are keys of a map other numbers. */
    void renumber(LongLongMap byMessage) {
      if (numbers == 0) {
        return;
      }
      LongList recorded = new LongList();
      for (long message : byMessage.keys()) {
        if (MessageNumbers.sequence(message) >= IsolatedRun.RECORDED) {
          recorded.add(message);
          recorded.add(byMessage.get(message));
          byMessage.remove(message);
        }
      }
      for (int i = 0; i < recorded.size(); i += 2) {
        byMessage.put(recorded.get(i) + numbers, recorded.get(i + 1));
      }
    }
  }
}
