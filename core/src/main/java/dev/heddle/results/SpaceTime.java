package dev.heddle.results;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * Messages in space and time, to be drawn.
 *
 * @param lanes names of the terminals that send or receive, in order
 * @param messages in the order in which they arrived
 */
public record SpaceTime(List<String> lanes, List<Message> messages) {
  /** No messages. */
  public static final SpaceTime NONE = new SpaceTime(List.of(), List.of());

  /** Copies the lists. */
  public SpaceTime {
    lanes = ImmutableList.copyOf(lanes);
    messages = ImmutableList.copyOf(messages);
  }

  /**
   * One message.
   *
   * @param from position of its sender among the lanes
   * @param to position of its receiver among the lanes
   * @param bytes its payload
   * @param startPs when it was generated, in picoseconds
   * @param endPs when its last byte arrived, in picoseconds
   */
  public record Message(int from, int to, long bytes, long startPs, long endPs) {}
}
