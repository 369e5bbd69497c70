package dev.heddle.network.analytic;

import dev.heddle.collective.MessageLabel;
import dev.heddle.engine.EventQueue;
import dev.heddle.engine.Events;
import dev.heddle.engine.Job;
import dev.heddle.engine.ProgramRunner;
import dev.heddle.engine.Transport;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.InvariantViolation;
import dev.heddle.network.Measurements;
import dev.heddle.network.MessageNumbers;
import dev.heddle.network.MessageTable;
import dev.heddle.network.Meter;
import dev.heddle.network.Network;
import dev.heddle.network.NetworkException;
import dev.heddle.network.RunOptions;
import dev.heddle.network.flow.IdleFabric;
import dev.heddle.observe.NetworkObserver;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The network at analytic fidelity. A message takes its time on the idle fabric, after the messages before it in its
 * injection channel; a collective takes the flow solution of its own plan on the idle fabric. Traffic of others has no
 * effect.
 */
public final class AnalyticNetwork implements Network, Transport {
  private static final int NONE = -1;

  private final Fabric fabric;
  private final RunOptions options;
  private final @Nullable NetworkObserver observer;
  private final int[] ranks;
  private final int[] rankOf;
  private final EventQueue queue = new EventQueue();
  private final IdleFabric idle;
  private final Meter meter;
  private final LinkTotals totals;
  private final AnalyticCollectives collectives;
  private final ProgramRunner runner;

  // Per terminal: messages sent. Per rank: messages in its injection queue. Per virtual channel: when it is free.
  private final long[] sequence;
  private final int[] queued;
  private final long[] freeAt;

  private final List<Message> messages = new ArrayList<>();
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  private long events;
  private long hops;
  private long lastPs;
  private long liveBytes;
  private long endPs;

  /** A message that has yet to leave its source, or to be delivered. */
  private static final class Message {
    private final long id;
    private final int destination;
    private final long bytes;
    private final int tag;
    private final int link;
    private final long generated;
    private boolean half;

    Message(long id, int destination, long bytes, int tag, int link, long generated) {
      this.id = id;
      this.destination = destination;
      this.bytes = bytes;
      this.tag = tag;
      this.link = link;
      this.generated = generated;
    }
  }

  /**
   * Places programs on a fabric.
   *
   * @param job programs and groups of the ranks
   * @param observer of transmissions and deliveries; null for none
   * @throws NetworkException when a link loses packets, which only packet fidelity has
   */
  public AnalyticNetwork(Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer) {
    NetworkException.requireNoLoss(fabric);
    this.fabric = fabric;
    this.options = options;
    this.observer = observer;
    ranks = job.terminals();
    rankOf = new int[fabric.devices()];
    Arrays.fill(rankOf, NONE);
    for (int rank = 0; rank < ranks.length; rank++) {
      rankOf[ranks[rank]] = rank;
    }
    idle = new IdleFabric(fabric, options.burstBytes(), options.seed());
    meter = new Meter(options.windowStartPs(), options.windowEndPs());
    totals = new LinkTotals(idle.links(), meter);
    collectives = new AnalyticCollectives(fabric, job.communicators(), idle, queue, meter, totals);
    runner = new ProgramRunner(queue, this, collectives, ranks.length, job.observer());
    sequence = new long[fabric.devices()];
    queued = new int[ranks.length];
    freeAt = new long[idle.channels()];
    for (int rank = 0; rank < job.ranks(); rank++) {
      runner.add(rank, job.programs().apply(rank));
    }
  }

  @Override
  public void run() {
    boolean toCompletion = options.toCompletion();
    long until = options.untilPs();
    runner.start();
    while (queue.nextTime() < until) {
      queue.pop();
      events++;
      dispatch(queue.event());
    }
    endPs = toCompletion ? Math.max(meter.lastDelivery(), lastPs) : until;
    long waiting = liveBytes + collectives.liveBytes();
    if (meter.totalSubmittedBytes() != meter.totalDeliveredBytes() + waiting) {
      throw new InvariantViolation("bytes are not conserved: " + meter.totalSubmittedBytes() + " submitted, "
          + meter.totalDeliveredBytes() + " delivered, " + waiting + " under way");
    }
    int live = messages.size() - free.size();
    if (toCompletion && (runner.running() > 0 || live > 0 || collectives.live() > 0)) {
      boolean stalled = queue.isEmpty();
      throw NetworkException.unfinished(
          stalled ? endPs : options.limitPs(), stalled, live + " messages and " + collectives.live() + " collectives",
          runner.waiting());
    }
  }

  private void dispatch(long event) {
    lastPs = queue.now();
    switch (Events.kind(event)) {
      case Events.FINISH -> leave(Events.target(event), Events.argument(event));
      case Events.DELIVER -> deliver(Events.argument(event));
      case Events.COLLECTIVE -> collectives.complete(Events.target(event), runner);
      default -> runner.onTimer(Events.target(event), Events.argument(event));
    }
  }

  @Override
  public boolean hasRoom(int rank) {
    return queued[rank] < options.injectionQueue();
  }

  @Override
  public void refuse(int rank, int peer, long bytes) {
    meter.refused(kind(ranks[rank], ranks[peer]), bytes, queue.now());
  }

  @Override
  public void submit(int rank, int peer, long bytes, int tag, int service) {
    int source = ranks[rank];
    int destination = ranks[peer];
    MessageTable.require(rank, peer, bytes, source != destination || fabric.hasMemory(source));
    long id = MessageNumbers.of(source, MessageLabel.networkBits(service), sequence[source]++);
    int channel = idle.plan(id, destination, bytes, MessageLabel.trafficClass(service));
    int link = idle.link(0);
    int message = add(new Message(id, destination, bytes, tag, link, queue.now()));
    long begin = Math.max(queue.now(), freeAt[channel]);
    long end = Math.addExact(begin, Math.max(1, idle.occupiedPs()));
    freeAt[channel] = end;
    queued[rank]++;
    hops += idle.hops();
    liveBytes += bytes;
    meter.submitted(kind(source, destination), bytes, queue.now());
    totals.queue(link, bytes);
    totals.carry(idle, Math.max(1, bytes), begin, end);
    report(bytes, begin, end);
    queue.push(end, Events.pack(Events.FINISH, rank, message));
    queue.push(
        Math.max(end, Math.addExact(begin, idle.zeroLoadPs())), Events.pack(Events.DELIVER, rank, message));
  }

  private int add(Message message) {
    Integer number = free.poll();
    if (number == null) {
      messages.add(message);
      return messages.size() - 1;
    }
    messages.set(number, message);
    return number;
  }

  private void report(long bytes, long begin, long end) {
    if (observer != null) {
      int payload = (int) Math.min(Integer.MAX_VALUE, bytes);
      for (int hop = 0; hop < idle.hops(); hop++) {
        observer.transmitted(idle.link(hop), idle.channel(hop), begin, end, payload);
      }
    }
  }

  // The last byte has left the source.
  private void leave(int rank, int number) {
    Message message = messages.get(number);
    totals.queue(message.link, -message.bytes);
    queued[rank]--;
    release(number, message);
    runner.onRoom(rank);
  }

  private void deliver(int number) {
    Message message = messages.get(number);
    int source = MessageNumbers.source(message.id);
    int kind = kind(source, message.destination);
    long now = queue.now();
    meter.received(kind, message.bytes, now);
    meter.completed(kind, message.id, message.bytes, message.generated, now);
    liveBytes -= message.bytes;
    if (observer != null) {
      observer.delivered(source, message.destination, message.bytes, message.generated, now);
    }
    release(number, message);
    if (message.tag >= 0) {
      runner.onDelivered(rankOf[message.destination], rankOf[source], message.tag);
    }
  }

  // A number is free when its message has both left and arrived, in either order at one instant.
  private void release(int number, Message message) {
    if (message.half) {
      free.add(number);
    }
    message.half = true;
  }

  private int kind(int source, int destination) {
    return Meter.kind(fabric.sameNode(source, destination));
  }

  @Override
  public Measurements measurements() {
    Measurements.Part all =
        new Measurements.Part(meter, collectives.log, events, hops + collectives.hops(), 0);
    return new Measurements(
        List.of(all), totals, idle.links(), endPs, options.windowPs(endPs), null);
  }
}
