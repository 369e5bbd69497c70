package dev.heddle.internal.collect;

/** One who hears of events some at a time before they come, to have ready what they will look at. */
public interface EventPreview {
  /** Nobody hears of events. */
  EventPreview NONE = (events, first, count) -> {};

  /**
   * Events will come soon, with others among them; the array is not kept.
   *
   * @param events time and event of each in turn
   * @param first place of the first event's time
   * @param count of events
   */
  void look(long[] events, int first, int count);
}
