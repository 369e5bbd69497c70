package dev.heddle.network.analytic;

import dev.heddle.collective.MessageLabel;
import dev.heddle.engine.Events;
import dev.heddle.engine.Job;
import dev.heddle.engine.ProgramRunner;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.InvariantViolation;
import dev.heddle.network.Measurements;
import dev.heddle.network.MessageTransport;
import dev.heddle.network.Network;
import dev.heddle.network.NetworkException;
import dev.heddle.network.RunOptions;
import dev.heddle.network.flow.IdleFabric;
import dev.heddle.observe.NetworkObserver;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The network at analytic fidelity. A message takes its time on the idle fabric, after the messages before it in its
 * injection channel; a collective takes the flow solution of its own plan on the idle fabric. Traffic of others has no
 * effect.
 */
public final class AnalyticNetwork extends MessageTransport implements Network {
  private final IdleFabric idle;
  private final LinkTotals totals;
  private final AnalyticCollectives collectives;
  private final ProgramRunner runner;
  private final AnalyticMessages messages = new AnalyticMessages();

  // Per virtual channel of an injection link: the time at which it is free.
  private final long[] freeAt;
  // By channel, when all credits are back that its messages have taken.
  private final long[] creditedAt;

  private long events;
  private long hops;
  private long lastPs;
  private long liveBytes;
  private long endPs;

  /**
   * Places programs on a fabric.
   *
   * @param job programs and groups of the ranks
   * @param observer of transmissions and deliveries; null for none
   * @throws NetworkException when a link loses packets, which only packet fidelity has
   */
  public AnalyticNetwork(Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer) {
    super(fabric, job, options, observer);
    NetworkException.requireNoLoss(fabric);
    idle = new IdleFabric(fabric, options.burstBytes(), options.seed(), options.transport());
    totals = new LinkTotals(idle.links(), meter);
    collectives = new AnalyticCollectives(fabric, job.communicators(), idle, queue, meter, totals);
    runner = new ProgramRunner(queue, this, collectives, job.ranks(), job.observer());
    freeAt = new long[idle.channels()];
    creditedAt = new long[idle.channels()];
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
    int live = messages.live();
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
      case Events.FINISH -> depart(Events.target(event), Events.argument(event));
      case Events.DELIVER -> deliver(Events.argument(event));
      case Events.COLLECTIVE -> collectives.complete(Events.target(event), runner);
      default -> runner.onTimer(Events.target(event), Events.argument(event));
    }
  }

  @Override
  protected ProgramRunner runner() {
    return runner;
  }

  @Override
  public void submit(int rank, int peer, long bytes, int tag, int service) {
    int message = accept(messages, rank, peer, bytes, tag, service);
    int channel = idle.plan(
        messages.id(message), messages.destination(message), bytes, MessageLabel.trafficClass(service));
    int link = idle.link(0);
    messages.firstLink(message, link);
    long begin = Math.max(queue.now(), freeAt[channel]);
    long alone = Math.max(1, idle.occupiedPs());
    long end = Math.addExact(begin, Math.max(1, idle.occupiedPs(bytes, creditedAt[channel] - begin)));
    freeAt[channel] = end;
    creditedAt[channel] = Math.addExact(Math.max(begin, creditedAt[channel]), idle.creditPs(bytes));
    hops += idle.hops();
    liveBytes += bytes;
    totals.queue(link, bytes);
    totals.carry(idle, Math.max(1, bytes), begin, end);
    report(bytes, begin, end);
    queue.push(end, Events.pack(Events.FINISH, rank, message));
    queue.push(
        Math.max(end, Math.addExact(end - alone, idle.zeroLoadPs())), Events.pack(Events.DELIVER, rank, message));
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
  private void depart(int rank, int message) {
    totals.queue(messages.firstLink(message), -messages.bytes(message));
    messages.releaseAfterBoth(message);
    leave(rank);
  }

  private void deliver(int message) {
    int source = messages.source(message);
    int destination = messages.destination(message);
    int tag = messages.tag(message);
    arrived(messages, message);
    liveBytes -= messages.bytes(message);
    messages.releaseAfterBoth(message);
    resume(source, destination, tag);
  }

  @Override
  public Measurements measurements() {
    Measurements.Part all =
        new Measurements.Part(meter, collectives.log, events, hops + collectives.hops(), 0);
    return new Measurements(
        List.of(all), totals, idle.links(), endPs, options.windowPs(endPs));
  }
}
