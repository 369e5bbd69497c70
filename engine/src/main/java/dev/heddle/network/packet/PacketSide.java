package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import dev.heddle.engine.ProgramRunner;
import dev.heddle.internal.collect.LongLongMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The packets of a partition, as the flows beside them see it. Flows hear of each message from its first packet to its
 * last; of those under way in a call that was simulated aside, at the end of the instant in which it joins the others.
 */
public final class PacketSide {
  /** The target of the events by which flows are woken; no stream has so large a slot. */
  static final int WAKE = Events.MAX_TARGETS - 1;

  private final Partition partition;
  private final FlowSide flows;
  private final double[] room;
  private final List<@Nullable Untold> untold = new ArrayList<>();
  private final LongLongMap places = new LongLongMap(-1);
  private long wakeAt = Long.MAX_VALUE;

  private record Untold(long id, int destination, long bytes, int trafficClass) {}

  PacketSide(Partition partition, FlowSide flows, double[] room) {
    this.partition = partition;
    this.flows = flows;
    this.room = room;
    partition.messages.watch(this);
    flows.join(this);
  }

  /** The runner of all programs. */
  public ProgramRunner runner() {
    return partition.runner;
  }

  /** The time, in picoseconds. */
  public long now() {
    return partition.queue.now();
  }

  /** Whether a collective call is simulated aside, on a clock of its own. */
  public boolean isAside() {
    return partition.aside != null;
  }

  /** Whether a message of packets before a place has yet to leave by a channel. */
  public boolean packetsAhead(int channel, long place) {
    return partition.injection.isAhead(channel, place);
  }

  /** A message of flows has left its source by a channel, for which packets may have waited. */
  public void flowLeft(int channel) {
    partition.injection.goOn(channel);
  }

  /** A flow is about to begin on a link: a call that keeps the link to itself continues message by message. */
  public void enter(int link) {
    partition.enter(link);
  }

  /** Leaves a part of a link, more than 0 and at most 1, to packets, from the next transmission on. */
  public void room(int link, double part) {
    room[link] = part;
  }

  /** Lets flows be woken at a time, not before now. */
  public void wakeAt(long timePs) {
    if (timePs < wakeAt) {
      wakeAt = timePs;
      partition.queue.push(timePs, Events.pack(Events.STREAM, WAKE, 0));
    }
  }

  /** Wakes flows. */
  void wake() {
    if (wakeAt <= partition.queue.now()) {
      wakeAt = Long.MAX_VALUE;
    }
    flows.wake();
  }

  /** The first packet of a message is about to leave its source. */
  void begin(int message) {
    Messages all = partition.messages;
    IsolatedRun aside = partition.aside;
    if (aside == null) {
      flows.begin(all.id(message), all.destination(message), all.bytes(message), all.trafficClass(message));
    } else if (!aside.recording) {
      places.put(all.id(message), untold.size());
      untold.add(
          new Untold(all.id(message), all.destination(message), all.bytes(message), all.trafficClass(message)));
    }
  }

  /** The last packet of a message has arrived. */
  void end(long id) {
    IsolatedRun aside = partition.aside;
    boolean known = aside == null || !aside.recording;
    int place = known ? (int) places.get(id) : -1;
    if (place >= 0) {
      untold.set(place, null);
      places.remove(id);
    } else if (known) {
      flows.end(id);
    }
  }

  /** Lets flows solve their rates: before links arbitrate, and after, where that has let messages begin or end. */
  void settle() {
    if (partition.aside != null) {
      return;
    }
    for (Untold each : untold) {
      if (each != null) {
        places.remove(each.id);
        flows.begin(each.id, each.destination, each.bytes, each.trafficClass);
      }
    }
    untold.clear();
    flows.settle();
  }
}
