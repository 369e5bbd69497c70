package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import dev.heddle.internal.collect.EventQueue;
import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.spi.Retransmission;
import dev.heddle.units.RandomStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Losses on the links of one partition, and their retransmission.
 *
 * <p>A lost unit returns to its sender, through its partition, and from there to the place of the loss: it arrives
 * there as if sent again. Its sender learns of the loss one round trip after a later packet of the connection, of the
 * same message or of the next to the same peer with the same tag. The very last packet is only missed when the time-out
 * ends; so is one that is lost again. Only lost packets are sent again, as adapters with selective repeat do, and the
 * retransmission takes no wire time, which would be as small a share as the loss. A rank takes its peers' messages as
 * they arrive, so that messages after a lost one may overtake it.
 */
final class Losses {
  private static final int NONE = -1;

  private final Partition partition;
  private final NetworkPlan plan;
  private final RunContext setup;
  private final Links links;
  private final PacketTable units;
  private final EventQueue queue;
  private final Retransmission resending;
  // Per source terminal the last message of each of its connections.
  private final @Nullable LongLongMap[] last;

  // Units that wait to be sent again; the events that may end that wait name their places.
  private int[] unit = new int[16];
  private int[] link = new int[16];
  private int[] events = new int[16];
  private boolean[] unmissed = new boolean[16];
  private int count;
  private int unmissedCount;
  private long lost;

  Losses(Partition partition, NetworkPlan plan, NetworkState state, RunContext setup) {
    this.partition = partition;
    this.plan = plan;
    this.setup = setup;
    links = state.links;
    units = partition.units;
    queue = partition.queue;
    resending = setup.communicators.algorithm().retransmission();
    last = new LongLongMap[plan.loses ? plan.devices : 0];
  }

  /** The packets lost so far. */
  long lost() {
    return lost;
  }

  /**
   * Whether a link loses a unit, which is noted in it.
   *
   * @param onLink that loses some
   * @param packets of the unit
   */
  boolean loses(int onLink, int ofUnit, int packets) {
    double each = plan.specs[links.spec(onLink)].loss();
    double any = packets == 1 ? each : -StrictMath.expm1(packets * StrictMath.log1p(-each));
    RandomStream random = setup.losing[onLink];
    double drawn = random.nextDouble();
    if (drawn >= any) {
      return false;
    }
    int times = 1;
    while (times <= Retransmission.MOST_RETRIES && random.nextDouble() < each) {
      times++;
    }
    lost += times;
    units.lost(ofUnit, times, units.ends(ofUnit) && drawn < each);
    return true;
  }

  /** The latency of the way from a unit's source to its destination, in picoseconds. */
  long wayPs(int ofUnit) {
    long way = 0;
    for (int each : plan.fabric.route(units.source(ofUnit), units.destination(ofUnit))) {
      way += links.forwardPs(each);
    }
    return way;
  }

  /** Notes a message, by which its receiver detects earlier losses. */
  void sent(int source, int destination, int tag, long message) {
    LongLongMap connections = last[source];
    if (connections == null) {
      connections = new LongLongMap(NONE);
      last[source] = connections;
    }
    connections.put(connection(destination, tag), message);
    for (int place = 0; place < count && unmissedCount > 0; place++) {
      if (unmissed[place] && units.source(unit[place]) == source && units.destination(unit[place]) == destination
          && units.tag(unit[place]) == tag) {
        unmissed[place] = false;
        unmissedCount--;
        end(place, queue.now() + 2 * wayPs(unit[place]) + timeouts(unit[place]));
      }
    }
  }

  private static long connection(int destination, int tag) {
    return (long) destination << 32 | tag + 1;
  }

  /** The sender of a lost unit would know by now, if a later packet had followed at once. */
  void learn(int onLink, int ofUnit) {
    long way = wayPs(ofUnit);
    long arrival = queue.now() - way;
    units.tailAt(ofUnit, units.tailAt(ofUnit) - arrival);
    LongLongMap connections = last[units.source(ofUnit)];
    long connection = connection(units.destination(ofUnit), units.tag(ofUnit));
    boolean followed = !units.lostEnd(ofUnit)
        || connections != null && connections.get(connection) != units.message(ofUnit);
    int place = place(ofUnit, onLink);
    if (!followed) {
      unmissed[place] = true;
      unmissedCount++;
    }
    long heard = followed ? queue.now() : Math.max(queue.now(), arrival + resending.timeoutPs() - way);
    end(place, heard + timeouts(ofUnit));
  }

  // Time from the detection of the first loss until the unit gets through or its connection fails.
  private long timeouts(int ofUnit) {
    return Math.multiplyExact(Math.min(units.losses(ofUnit) - 1, resending.retries()), resending.timeoutPs());
  }

  private void end(int place, long time) {
    events[place]++;
    queue.push(time, Events.pack(Events.TIMEOUT, place, 0));
  }

  private int place(int ofUnit, int onLink) {
    int place = 0;
    while (place < count && events[place] > 0) {
      place++;
    }
    if (place == unit.length) {
      int grown = 2 * place;
      unit = Arrays.copyOf(unit, grown);
      link = Arrays.copyOf(link, grown);
      events = Arrays.copyOf(events, grown);
      unmissed = Arrays.copyOf(unmissed, grown);
    }
    count = Math.max(count, place + 1);
    unit[place] = ofUnit;
    link[place] = onLink;
    return place;
  }

  /** A time-out has ended: its unit is sent again, unless it has been. */
  void timeout(int place) {
    events[place]--;
    int ofUnit = unit[place];
    if (ofUnit == NONE) {
      return;
    }
    if (units.losses(ofUnit) > resending.retries()) {
      throw DeadlockReport.connectionFailed(
          plan, link[place], new int[] {units.source(ofUnit), units.destination(ofUnit)}, resending, queue.now());
    }
    if (unmissed[place]) {
      unmissed[place] = false;
      unmissedCount--;
    }
    unit[place] = NONE;
    long arrival = queue.now() + wayPs(ofUnit);
    units.tailAt(ofUnit, units.tailAt(ofUnit) + arrival);
    int target = links.target(link[place]);
    int kind = units.destination(ofUnit) == target ? Events.DELIVER : Events.ARRIVE;
    partition.hand(setup.partitionOf[target], arrival, kind, link[place], ofUnit);
  }
}
