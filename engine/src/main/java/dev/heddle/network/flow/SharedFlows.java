package dev.heddle.network.flow;

import dev.heddle.collective.MessageLabel;
import dev.heddle.engine.Collectives;
import dev.heddle.engine.Job;
import dev.heddle.engine.Transport;
import dev.heddle.fabric.Fabric;
import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.network.LinkCounters;
import dev.heddle.network.Measurements;
import dev.heddle.network.MessageNumbers;
import dev.heddle.network.RunOptions;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.tier.TierPlan;
import org.jspecify.annotations.Nullable;

/**
 * Flows beside packets, on a clock that follows theirs: the messages that packets do not carry, and collectives none of
 * whose messages packets carry, as at flow fidelity. While its packets are under way, a message that packets carry is a
 * flow too, which moves nothing, so that the solution leaves it a fair share of every link.
 */
public final class SharedFlows {
  private static final int NONE = -1;

  private final FlowSimulator carrier;
  // By the number of a message that packets carry, its flow.
  private final LongLongMap flowOf = new LongLongMap(NONE);

  /** Compiles a fabric; the host runs the programs. A transport protocol is in its steady state. */
  public SharedFlows(
      Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer, PacketHost host) {
    FlowPlan plan = new FlowPlan(fabric, options.burstBytes(), options.transport(), false);
    carrier = new FlowSimulator(plan, job, options, observer, true, host);
  }

  /** The transport of messages that flows carry. */
  public Transport transport() {
    return carrier;
  }

  /** The execution of collectives; those of which packets carry messages go to the host's. */
  public Collectives collectives() {
    return carrier.collectives;
  }

  /** Sets the clock forward, to a time not after the next event. */
  public void advance(long timePs) {
    carrier.queue.advance(timePs);
  }

  /** Runs the events that are due, at the time to which the clock has been set. */
  public void runDue() {
    carrier.runDue(carrier.queue.now());
  }

  /** Solves the rates, where flows have begun or ended; the time of the next event. */
  public long solve() {
    carrier.share();
    return carrier.queue.nextTime();
  }

  /** Whether a message before a place has yet to leave by a channel. */
  public boolean isAhead(int channel, long place) {
    return carrier.queues.isAhead(channel, place);
  }

  /** A message of packets has left by a channel, for which flows may have waited. */
  public void left(int channel) {
    carrier.beginWaiting(channel);
  }

  /** Whether no flow that moves something, and no collective, is on a link. */
  public boolean isFree(int link) {
    return carrier.isFree(link);
  }

  /** The packets of a message begin to leave its source, with a traffic class within its node. */
  public void begin(long id, int destination, long bytes, int trafficClass) {
    PathPlanner passage = carrier.passage;
    int first = TierPlan.linkOf(passage.first(MessageNumbers.source(id), destination, id));
    passage.plan(first, id, destination, bytes, trafficClass);
    carrier.collectives.contend(passage.links(), passage.count());
    int flow = carrier.takeFlow(FlowTable.PACKETS);
    int own = MessageNumbers.networkClass(id);
    carrier.shares.treat(flow, own == MessageLabel.SAME_CLASS ? trafficClass : own, passage.hops());
    carrier.shares.begin(flow, passage.links(), passage.weights(), passage.crossings(), passage.count());
    flowOf.put(id, flow);
  }

  /** All packets of a message have arrived. */
  public void end(long id) {
    int flow = (int) flowOf.get(id);
    if (flow != NONE) {
      flowOf.remove(id);
      carrier.shares.end(flow);
      carrier.giveBack(flow);
    }
  }

  /** The messages and collectives that have not ended. */
  public int live() {
    return carrier.messages.live() + carrier.collectives.live();
  }

  /** The time of the last delivery or other event, in picoseconds. */
  public long lastPs() {
    return Math.max(carrier.meter.lastDelivery(), carrier.lastPs());
  }

  /** Counts what flows carry up to the end of a run, and checks the conservation of bytes. */
  public void close(long endPs) {
    carrier.close(endPs);
    carrier.check();
  }

  /** Counters of messages and collectives. */
  public Measurements.Part measured() {
    return new Measurements.Part(
        carrier.meter, carrier.collectives.log, carrier.events(), carrier.hopCount(), 0);
  }

  /** Counters of links. */
  public LinkCounters counters() {
    return carrier.usage;
  }
}
