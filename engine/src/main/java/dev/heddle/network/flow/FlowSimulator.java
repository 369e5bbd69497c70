package dev.heddle.network.flow;

import dev.heddle.collective.MessageLabel;
import dev.heddle.engine.Events;
import dev.heddle.engine.Job;
import dev.heddle.engine.ProgramRunner;
import dev.heddle.internal.collect.FairShare;
import dev.heddle.network.InvariantViolation;
import dev.heddle.network.MessageNumbers;
import dev.heddle.network.MessageTransport;
import dev.heddle.network.RunOptions;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.tier.TierPlan;
import dev.heddle.units.SimTime;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Messages as fluids, and the programs of all ranks.
 *
 * <p>A rank's messages leave by injection channels, or by connections of a transport protocol, one after another on
 * each, as in the packet network: its first message is a flow, the others wait. Where a link behind the point of
 * divergence limits a message that fits its share of the buffers before that point, the next one is a flow too. A flow
 * ends when its last byte has left the source; the message is delivered when that byte has crossed the path. At each
 * instant all events run first; then the rates are solved once.
 */
final class FlowSimulator extends MessageTransport {
  private static final int NONE = FlowMessages.NONE;
  private static final int UNKNOWN = -2;
  private static final long NEVER = Long.MAX_VALUE;
  private static final double SAME = 1e-12;

  final FlowPlan plan;
  final boolean memoizes;
  final FlowMessages messages = new FlowMessages();
  final InjectionQueues queues;
  private final ProgramRunner own;
  final FairShare shares;
  final LinkMeter usage;
  final PathPlanner passage;
  final CoupledCollectives collectives;
  final CreditPools pools;
  private final LeadingBuffers buffers;
  private final @Nullable PacedFlows paced;
  private final @Nullable PacketHost host;
  private final @Nullable LinkShares told;
  private final @Nullable ClassObserver activities;
  private @Nullable Folding folding;
  private final FlowTable flows = new FlowTable();
  private long flyingBytes;
  private long events;
  private long hopCount;
  private long lastPs;

  /** Flows; beside packets whose host runs the programs, or null. */
  FlowSimulator(
      FlowPlan plan, Job job, RunOptions options, @Nullable NetworkObserver observer, boolean memoizes,
      @Nullable PacketHost host) {
    super(plan.fabric, job, options, observer);
    this.plan = plan;
    this.memoizes = memoizes;
    shares = plan.classes == null ? new FairShare(plan.links) : new ClassedFairShare(plan.links, plan.classes);
    usage = new LinkMeter(plan, meter, shares);
    passage = new PathPlanner(plan, shares, options.seed());
    this.host = host;
    told = host == null ? null : new LinkShares(shares, host, plan.links);
    pools = new CreditPools(plan, shares);
    buffers = new LeadingBuffers(plan, shares, pools);
    collectives = new CoupledCollectives(this, job.communicators(), host);
    activities = job.observer() == null ? null : new ClassObserver(job.observer());
    own = new ProgramRunner(queue, this, collectives, job.ranks(), activities);
    queues = new InjectionQueues(plan.channels, messages);
    paced = plan.steady != null && plan.paced ? new PacedFlows(this, flows, plan.steady, options.seed()) : null;
  }

  /** Lets ranks stand for all of their classes, from before the start on. */
  void fold(Folding found) {
    folding = found;
    shares.fold();
    passage.fold(found);
    if (activities != null) {
      activities.fold(found);
    }
  }

  /** The classes of ranks, groups and links; null where each stands for itself. */
  @Nullable
  Folding folding() {
    return folding;
  }

  @Override
  protected int copies(int rank) {
    return folding == null ? 1 : folding.copies(rank);
  }

  /** Pulls the first operations of the programs, at time 0. */
  void start() {
    own.start();
    share();
  }

  /** Runs all events before a time. */
  void run(long until) {
    long time = queue.nextTime();
    while (time < until) {
      runDue(time);
      share();
      time = queue.nextTime();
    }
  }

  /** Runs the events up to a time, that one included, and solves no rates. */
  void runDue(long time) {
    while (queue.nextTime() <= time) {
      queue.pop();
      events++;
      dispatch(queue.event());
    }
  }

  private void dispatch(long event) {
    int target = Events.target(event);
    switch (Events.kind(event)) {
      case Events.FINISH :
        // Of a flow that has come to end earlier, the event that was pending changes nothing.
        if (flows.version[target] == Events.argument(event)) {
          lastPs = queue.now();
          flows.pendingAt[target] = NEVER;
          if (flows.finishAt[target] <= queue.now()) {
            finish(target);
          } else {
            if (flows.followAt[target] <= queue.now()) {
              beginWaiting(flows.channelOf[target]);
            }
            schedule(target);
          }
        }
        break;
      case Events.STEP :
        Objects.requireNonNull(paced).step(Events.argument(event));
        break;
      case Events.DELIVER :
        lastPs = queue.now();
        deliver(Events.argument(event));
        break;
      case Events.COLLECTIVE :
        if (collectives.complete(target, Events.argument(event))) {
          lastPs = queue.now();
        }
        break;
      default :
        lastPs = queue.now();
        own.onTimer(target, Events.argument(event));
    }
  }

  @Override
  protected ProgramRunner runner() {
    return host == null ? own : host.runner();
  }

  @Override
  public void submit(int rank, int peer, long bytes, int tag, int service) {
    int message = accept(messages, rank, peer, bytes, tag, service);
    int chosen = passage.first(messages.source(message), messages.destination(message), messages.id(message));
    int link = TierPlan.linkOf(chosen);
    int channel = queueOf(message, chosen, service);
    messages.firstLink(message, link);
    if (host != null) {
      host.enter(link);
      messages.order(message, host.nextPlace());
    }
    queue(rank, link, bytes);
    boolean first = queues.waiting(channel) == NONE;
    queues.add(channel, message);
    if (first) {
      beginWaiting(channel);
    }
  }

  private void queue(int rank, int link, long bytes) {
    if (folding == null) {
      usage.queue(link, bytes);
    } else {
      usage.queue(folding.link(link), Math.round(bytes * folding.crossings(folding.copies(rank), link)));
    }
  }

  private int queueOf(int message, int chosen, int service) {
    int destination = messages.destination(message);
    if (plan.steady != null && plan.connects(messages.source(message), destination)) {
      return queues.ofConnection(
          MessageNumbers.connection(messages.id(message), destination, service, plan.classes != null));
    }
    return plan.channel(chosen, MessageLabel.trafficClass(service));
  }

  /** Time of the last event. */
  long lastPs() {
    return lastPs;
  }

  /** Makes flows of a channel's messages, as many as may be under way, and notes when the next one may. */
  void beginWaiting(int channel) {
    while (queues.waiting(channel) != NONE) {
      int newest = queues.newest(channel);
      if (newest != NONE) {
        int last = messages.flow(newest);
        queues.common(channel, UNKNOWN);
        flows.followAt[last] = follows(channel, shares.rate(last));
        if (flows.followAt[last] > queue.now()) {
          schedule(last);
          return;
        }
        flows.followAt[last] = NEVER;
      } else if (waitsForPackets(channel)) {
        return;
      }
      begin(channel, queues.waiting(channel));
      queues.begin(channel);
    }
  }

  private boolean waitsForPackets(int channel) {
    return host != null && host.packetsAhead(channel, messages.order(queues.waiting(channel)));
  }

  // The number of leading links that the newest message under way and the first one that waits share; none where that
  // one has to wait until the other has left.
  private int common(int newest, int message) {
    int flow = messages.flow(newest);
    if (messages.destination(message) == messages.destination(newest)
        || !buffers.fit(messages.bytes(newest), flow, flows.hops[flow])) {
      return NONE;
    }
    return passage.common(
        messages.firstLink(message), messages.id(message), messages.destination(message), flow, flows.hops[flow]);
  }

  // The begin of the message that waits, if the newest one in flight continues at a rate: when the rest of that one
  // fits the buffers before their paths diverge.
  private long follows(int channel, double rate) {
    int last = messages.flow(queues.newest(channel));
    boolean memory = plan.isMemory(shares.link(last, 0));
    if (rate == 0 || waitsForPackets(channel) || !memory && buffers.limits(last, 0, rate)) {
      return NEVER;
    }
    if (queues.common(channel) == UNKNOWN) {
      queues.common(channel, common(queues.newest(channel), queues.waiting(channel)));
    }
    int common = queues.common(channel);
    if (common == NONE) {
      return NEVER;
    }
    return memory ? followsOutOfMemory(last, common, rate)
        : messages.bytes(queues.newest(channel)) > buffers.room(last, common, rate) ? NEVER : queue.now();
  }

  // A memory's engines send many messages by turns, so that the next one begins when the rest of the newest one fits
  // its share of the buffer where their paths diverge.
  private long followsOutOfMemory(int last, int shared, double rate) {
    double room = buffers.ofLink(shares.link(last, shared - 1));
    advance(last);
    return flows.remaining[last] <= room
        ? queue.now() : Math.addExact(queue.now(), Math.max(1, SimTime.roundPs((flows.remaining[last] - room) / rate)));
  }

  private void begin(int channel, int message) {
    int flow = takeFlow(channel);
    flows.messageOf[flow] = message;
    messages.flow(message, flow);
    passage.plan(
        messages.firstLink(message), messages.id(message), messages.destination(message), messages.bytes(message),
        messages.trafficClass(message));
    int copies = copies(rankOf(messages.source(message)));
    if (folding != null) {
      passage.fold(flow, copies);
    }
    pools.enter(passage, Math.max(1, messages.bytes(message)), queue.now());
    enter(passage.links(), passage.count());
    shares.treat(flow, messages.networkClass(message), passage.hops());
    if (paced == null || !paced.begins(flow, message, channel)) {
      shares.begin(flow, passage.links(), passage.weights(), passage.crossings(), passage.entries());
    }
    flows.lagPs[flow] = Math.max(0, passage.zeroLoadPs() - passage.occupiedPs());
    usage.divide(flow, passage);
    hopCount += (long) copies * passage.pathHops();
    begun(flow, passage.hops(), Math.max(1, messages.bytes(message)));
  }

  private void begun(int flow, int crossed, double bytes) {
    flows.hops[flow] = crossed;
    flows.remaining[flow] = bytes;
    flows.begunAt[flow] = queue.now();
    flows.since[flow] = queue.now();
    flows.finishAt[flow] = NEVER;
    flows.followAt[flow] = NEVER;
    usage.begin(flow, crossed, queue.now());
    if (told != null) {
      told.begin(flow);
    }
  }

  // Others that keep one of the links to themselves give way.
  private void enter(int[] links, int count) {
    collectives.contend(links, count);
    for (int i = 0; host != null && i < count; i++) {
      if (links[i] < plan.links) {
        host.enter(links[i]);
      }
    }
  }

  /** Lets calls of packets that keep one of some links to themselves give way. */
  void enterPackets(LinkLoad footprint) {
    for (int i = 0; host != null && i < footprint.links(); i++) {
      host.enter(footprint.link(i));
    }
  }

  /** Takes a flow for a channel, for none, or for packets. */
  int takeFlow(int channel) {
    int flow = flows.take();
    flows.channelOf[flow] = channel;
    shares.reserve(flows.count());
    return flow;
  }

  /** Gives a flow back that has ended. */
  void giveBack(int flow) {
    shares.release(flow);
    flows.giveBack(flow);
  }

  /**
   * Begins a flow that is no message: {@link CoupledCollectives} hears of its end.
   *
   * @param way the links that it crosses
   * @param bytes that it moves, positive
   * @return its number
   */
  int begin(CoupledFlow way, double bytes) {
    enter(way.links(), way.count());
    int flow = takeFlow(NONE);
    shares.treat(flow, way.trafficClass(), way.hops());
    shares.begin(flow, way.links(), way.weights(), way.crossings(), way.count());
    usage.undivided(flow);
    begun(flow, way.hops(), bytes);
    return flow;
  }

  /** Counts the hops of a phase of a collective, once, also where it goes on as flows. */
  void addHops(LinkLoad footprint) {
    hopCount += footprint.hops();
  }

  /** A collective begins on links that it has for itself. */
  void begun(LinkLoad footprint) {
    usage.begin(footprint, queue.now());
  }

  void share() {
    if (!shares.isDirty()) {
      return;
    }
    int affected = shares.solve();
    for (int i = 0; i < affected; i++) {
      int flow = shares.affected(i);
      double wanted = shares.wanted(flow);
      double rate = shares.rate(flow);
      if (Math.abs(wanted - rate) > rate * SAME && flows.channelOf[flow] != FlowTable.PACKETS) {
        advance(flow);
        if (told != null) {
          told.change(flow, wanted - rate);
        }
        flows.finishAt[flow] =
            wanted > 0 ? Math.addExact(queue.now(), Math.max(1, SimTime.roundPs(flows.remaining[flow] / wanted)))
                : NEVER;
        int channel = flows.channelOf[flow];
        if (channel != NONE && queues.newest(channel) == flows.messageOf[flow] && queues.waiting(channel) != NONE) {
          flows.followAt[flow] = follows(channel, wanted);
        }
        schedule(flow);
      }
    }
    shares.settle();
  }

  // Lets a flow run on at its rate up to now.
  void advance(int flow) {
    long now = queue.now();
    long start = flows.since[flow];
    if (now > start) {
      flows.remaining[flow] = Math.max(0, flows.remaining[flow] - shares.rate(flow) * (now - start));
      usage.carried(flow, flows.hops[flow], start, now);
      flows.since[flow] = now;
    }
  }

  // One event of a flow is pending: it stays when its cause comes later than expected, and is then postponed.
  private void schedule(int flow) {
    long due = Math.min(flows.finishAt[flow], flows.followAt[flow]);
    if (due < flows.pendingAt[flow]) {
      flows.version[flow]++;
      flows.pendingAt[flow] = due;
      queue.push(due, Events.pack(Events.FINISH, flow, flows.version[flow]));
    }
  }

  private void finish(int flow) {
    advance(flow);
    int channel = flows.channelOf[flow];
    if (told != null) {
      told.end(flow);
    }
    pools.leave(flow, queue.now());
    if (channel == NONE) {
      shares.end(flow);
      collectives.ended(flow);
      giveBack(flow);
      return;
    }
    int message = flows.messageOf[flow];
    int rank = rankOf(messages.source(message));
    long arrival = Math.addExact(queue.now(), flows.lagPs[flow]);
    if (observer != null) {
      int payload = (int) Math.min(Integer.MAX_VALUE, messages.bytes(message));
      usage.report(observer, flow, flows.hops[flow], flows.begunAt[flow], queue.now(), payload);
    }
    if (paced != null) {
      paced.end(flow);
    }
    shares.end(flow);
    queue(rank, messages.firstLink(message), -messages.bytes(message));
    giveBack(flow);
    queues.remove(channel, message);
    beginWaiting(channel);
    if (host != null) {
      host.flowLeft(channel);
    }
    flyingBytes += messages.bytes(message) * copies(rank);
    queue.push(arrival, Events.pack(Events.DELIVER, rank, message));
    leave(rank);
  }

  private void deliver(int message) {
    int source = messages.source(message);
    int destination = messages.destination(message);
    int tag = messages.tag(message);
    arrived(messages, message);
    flyingBytes -= messages.bytes(message) * copies(rankOf(source));
    messages.release(message);
    if (folding == null) {
      resume(source, destination, tag);
    } else if (tag >= 0) {
      int receiver = rankOf(destination);
      own.onDelivered(folding.rank(receiver), folding.sender(rankOf(source), receiver), tag);
    }
  }

  /** Advances all flows at their rates to the end of a run, so that their traffic is counted. */
  void close(long endPs) {
    for (int flow = 0; flow < flows.count(); flow++) {
      if (shares.links(flow) > 0 && flows.channelOf[flow] != FlowTable.PACKETS && endPs > flows.since[flow]) {
        usage.carried(flow, flows.hops[flow], flows.since[flow], endPs);
      }
    }
  }

  /**
   * Checks that no byte was lost or made, and that no link carries more than it can.
   *
   * @throws InvariantViolation when one was, or one does
   */
  void check() {
    long waiting = 0;
    int places = -queued();
    for (int channel = 0; channel < queues.count(); channel++) {
      for (int message = queues.first(channel); message != NONE; message = messages.next(message)) {
        waiting += messages.bytes(message) * copies(rankOf(messages.source(message)));
        places++;
      }
    }
    usage.check(waiting + collectives.liveBytes(), flyingBytes, places);
  }

  long events() {
    return events;
  }

  long hopCount() {
    return hopCount;
  }

  /** Whether no flow, and no collective that is replayed, is on a link. */
  boolean isFree(int link) {
    return (told == null ? shares.flows(link) == 0 : told.isFree(link)) && !collectives.holds(link);
  }
}
