package dev.heddle.network.packet;

import dev.heddle.engine.CollectiveLog;
import dev.heddle.engine.Collectives;
import dev.heddle.engine.Events;
import dev.heddle.engine.ProgramRunner;
import dev.heddle.engine.SteppedCollectives;
import dev.heddle.internal.collect.EventQueue;
import dev.heddle.network.Meter;
import dev.heddle.network.WireTimeCache;
import dev.heddle.spi.TransportProtocol;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One part of the fabric with its own clock and events: forwards units, keeps credits, runs the programs of its ranks.
 *
 * <p>At each instant all events run first; then every link for which something changed arbitrates among all requests of
 * that instant. So no request wins by being handled first.
 */
final class Partition {
  private static final int NONE = NetworkState.NONE;

  final int number;
  private final NetworkPlan plan;
  private final NetworkState state;
  private final Links links;
  private final VirtualChannels channels;
  private final Requests requests;
  private final RunContext setup;

  final EventQueue queue;
  final PacketTable units;
  final Messages messages = new Messages();
  final CollectiveLog log = new CollectiveLog();
  final Meter meter;
  final Routes routes;
  final CreditLedger ledger;
  final WireTimeCache times;
  /** Per partition that this one may hand anything to. */
  final Outbox[] outbox;
  final Arbiter arbiter;
  final ReverseTraffic returns;
  final Losses losses;
  private final @Nullable TiedArrivals ties;
  final ProgramRunner runner;
  final @Nullable ManagedPorts ports;
  final Injection injection;
  final Repacketizer bridge;
  private final OutputBuffers outputs;
  final Transmitters transmitters;
  final Delivery delivery;
  final MessageSequence sequence;
  final @Nullable MemoizedCollectives memoized;
  final @Nullable FastForward forward;
  final @Nullable SampledForward sampled;
  /** The flows beside the packets; null for none. */
  final @Nullable PacketSide side;
  /** The call that is simulated aside now; null when none is. */
  @Nullable
  IsolatedRun aside;
  // The holder of the links that may be used now: 0, or 1 + the number of the call that is simulated aside.
  private int user;
  private boolean settling;
  private boolean settlingApart;
  private int position = -1;
  private int positionApart = -1;
  private long stamps;
  private int actingKey;
  private long actingStamp = Long.MAX_VALUE;
  private long actingStampApart = Long.MAX_VALUE;
  private LinkMarks marks = new LinkMarks();
  private LinkMarks marksApart = new LinkMarks();
  long events;
  long hops;
  long lastTimer;
  long dropped;

  Partition(int number, NetworkPlan plan, NetworkState state, RunContext setup) {
    this.number = number;
    this.plan = plan;
    this.state = state;
    this.links = state.links;
    this.channels = state.channels;
    this.requests = state.requests;
    this.setup = setup;
    TransportProtocol transport = setup.transport;
    units = new PacketTable(TransportHeader.words(transport));
    queue = new EventQueue(new PacketPreview(units));
    meter = new Meter(setup.windowStart, setup.windowEnd);
    routes = new Routes(plan, state, setup);
    ledger = new CreditLedger(state.channels);
    times = new WireTimeCache(plan.specs);
    outbox = new Outbox[setup.partitions];
    arbiter = new Arbiter(plan, state, units);
    returns = new ReverseTraffic(this, state, setup);
    losses = new Losses(this, plan, state, setup);
    ties = plan.loses ? new TiedArrivals(queue, units) : null;
    delivery = new Delivery(this, plan, setup);
    ports = transport == null ? null : new ManagedPorts(this, plan, state, setup, transport);
    injection = new Injection(this, plan, state, setup);
    bridge = new Repacketizer(this, plan, state);
    outputs = new OutputBuffers(this, plan, state);
    transmitters = new Transmitters(this, plan, state, setup, injection, outputs);
    sequence = new MessageSequence(this, setup, plan.devices);
    SteppedCollectives stepped = new SteppedCollectives(setup.communicators, log, queue);
    memoized = setup.memoizes ? new MemoizedCollectives(this, plan, state, setup, stepped) : null;
    Collectives collectives = memoized == null ? stepped : memoized;
    FlowSide flows = setup.flows;
    runner = new ProgramRunner(queue, flows == null ? injection : flows.transport(injection),
        flows == null ? collectives : flows.collectives(collectives), setup.ranks.length, setup.activities);
    forward = setup.skips ? new FastForward(this, plan, state, setup) : null;
    sampled = setup.sampling > 0 ? new SampledForward(this, plan, state, setup) : null;
    side = flows == null ? null : new PacketSide(this, flows, setup.room);
  }

  /** Messages of connections that have not been acknowledged whole. */
  int unacknowledged() {
    return ports == null ? 0 : messages.live();
  }

  /** Runs all events before a time. */
  void run(long until) {
    while (true) {
      settle();
      if (forward != null) {
        forward.look(until);
      }
      if (sampled != null) {
        sampled.look(until);
      }
      long time = ports == null ? queue.nextTime() : ports.deferred.nextTime(until);
      if (time >= until) {
        return;
      }
      position = -1;
      do {
        next();
      } while (queue.nextTime() == time);
    }
  }

  /** Pulls the first operations of the programs, at time 0. */
  void start() {
    runner.start();
    settle();
  }

  // Ends an instant: fills output buffers and arbitrates until neither brings about more of the other.
  private void settle() {
    if (memoized != null) {
      memoized.decide();
    }
    if (side != null) {
      side.settle();
    }
    settling = true;
    while (outputs.isMarked() || marks.count > 0) {
      outputs.fill();
      arbitrateMarked();
    }
    settling = false;
    if (side != null) {
      side.settle();
    }
  }

  /** Runs the events of an instant up to one of a kind and target, that one included, and does not end the instant. */
  void runInstant(long time, int eventKey) {
    position = -1;
    while (queue.nextTime() == time && (int) (queue.nextEvent() >>> 32) <= eventKey) {
      next();
    }
  }

  private void next() {
    queue.pop();
    events++;
    long event = queue.event();
    position = Math.max(position, (int) (event >>> 32));
    if (ties != null && ties.collect(event)) {
      events += ties.size() - 1;
      for (int i = 0; i < ties.size(); i++) {
        dispatch(ties.event(i));
      }
    } else {
      dispatch(event);
    }
  }

  /**
   * The place of what is carried out now among the events of this instant: the greatest kind and target so far, as an
   * event that has come about within the instant goes before those that are left; at the instant's end more than any.
   */
  int eventKey() {
    return settling ? Integer.MAX_VALUE : actingStamp != Long.MAX_VALUE ? actingKey : position;
  }

  /** Whether the instant ends. */
  boolean isSettling() {
    return settling;
  }

  /** Lets what follows count as done by an earlier event of this instant. */
  void actAt(int eventKey, long stamp) {
    actingKey = eventKey;
    actingStamp = stamp;
  }

  /** Lets what follows count as done now. */
  void actNow() {
    actingStamp = Long.MAX_VALUE;
  }

  /** The stamp of the member of a call that acts late; otherwise greater than any. */
  long actingStamp() {
    return actingStamp;
  }

  /** A number greater than all before it. */
  long nextStamp() {
    return stamps++;
  }

  /**
   * Steps aside to simulate a call with events of its own, or back. Marks that are left join the others.
   *
   * @param run what is simulated aside; null to step back
   * @param own the events of the call on the way there, of everything else on the way back
   */
  void step(@Nullable IsolatedRun run, EventQueue own) {
    aside = run;
    user = run == null ? 0 : run.call.number + 1;
    queue.exchange(own);
    boolean otherSettling = settlingApart;
    settlingApart = settling;
    settling = otherSettling && run == null;
    int otherPosition = positionApart;
    positionApart = position;
    position = run == null ? otherPosition : -1;
    long otherStamp = actingStampApart;
    actingStampApart = actingStamp;
    actingStamp = run == null ? otherStamp : Long.MAX_VALUE;
    outputs.exchangeMarks();
    LinkMarks otherMarks = marksApart;
    marksApart = marks;
    marks = otherMarks;
    if (run == null) {
      outputs.joinMarks();
      marks.addAll(marksApart);
      marksApart.clear();
    }
    if (forward != null) {
      forward.turnTo(run);
    }
  }

  /** A message comes to a link. */
  void enter(int link) {
    if (!isOpen(link)) {
      Objects.requireNonNull(memoized, "no call keeps links").contend(link);
    }
    if (forward != null) {
      forward.enter(link);
    }
  }

  /** Whether a link may be used now: no call keeps it to itself, or the one that is simulated aside does. */
  boolean isOpen(int link) {
    return memoized == null || setup.holder[link] == user;
  }

  /** Takes back room in a rank's injection queue that is kept for memoized calls. */
  void makeRoom(int rank) {
    if (memoized != null) {
      memoized.makeRoom(rank);
    }
  }

  /** A terminal is about to submit a message while a call of its rank awaits the end of the instant. */
  void outrun() {
    if (memoized != null) {
      memoized.flush();
    }
  }

  private void dispatch(long event) {
    if (ReplayedEnds.is(event)) {
      end(event);
      return;
    }
    int target = Events.target(event);
    switch (Events.kind(event)) {
      case Events.CREDIT :
        if (isOpen(target)) {
          links.creditWakeAt(target, Long.MAX_VALUE);
          mark(target);
        }
        break;
      case Events.FREE :
        // Nothing waits for a link that a call keeps to itself.
        if (ports != null && links.defers(target)) {
          ports.deferred.wake(target);
        } else if (isOpen(target)) {
          links.freeScheduled(target, false);
          mark(target);
        }
        marks.endFreed();
        break;
      case Events.EXPOSE :
        channels.exposeScheduled(target, false);
        expose(target);
        break;
      case Events.ARRIVE :
        arrive(target, Events.argument(event));
        break;
      case Events.DELIVER :
        if (ports != null && links.isManaged(target)) {
          ports.deliver(target, Events.argument(event));
        } else {
          delivery.deliver(target, Events.argument(event));
        }
        break;
      case Events.STREAM :
        if (side != null && target == PacketSide.WAKE) {
          events--;
          side.wake();
        } else {
          lastTimer = Math.max(lastTimer, queue.now());
          runner.onTimer(target, Events.argument(event));
        }
        break;
      default :
        if (ports != null) {
          transport(ports, event, target);
        } else if (Events.kind(event) == Events.LOST) {
          losses.learn(target, Events.argument(event));
        } else {
          losses.timeout(target);
        }
    }
  }

  // The record of the call counts the event.
  private void end(long event) {
    events--;
    if (memoized != null) {
      memoized.end(ReplayedEnds.number(event));
    }
  }

  private void transport(ManagedPorts managed, long event, int target) {
    int argument = Events.argument(event);
    if (Events.kind(event) == Events.CONTROL) {
      if (argument == Events.GRANT) {
        managed.endpoints().receivers().grant(target);
      } else {
        managed.pause(target, Events.paused(argument), Events.pauses(argument));
      }
    } else if (argument == Events.PACE) {
      managed.endpoints().senders().pace(target);
    } else {
      managed.endpoints().senders().timer(target);
    }
  }

  private void arrive(int link, int unit) {
    if (ports != null && (links.isManaged(link) || ports.isOfConnection(unit))) {
      ports.arrive(link, unit);
      return;
    }
    returns.scheduleAck(link, unit);
    int device = links.target(link);
    int waypoint = units.waypoint(unit);
    if (waypoint == device) {
      bridge.convert(device, unit);
      return;
    }
    int channel = routes.onward(device, waypoint, units, unit);
    units.route(unit, waypoint, channel);
    enqueue(device, unit, channel, channels.requester(units.heldChannel(unit)));
  }

  /** Puts a unit into the queue of its device from which it asks for its channel. */
  void enqueue(int device, int unit, int channel, int requester) {
    enter(channels.link(channel));
    links.queue(channels.link(channel), units.payload(unit));
    switch (plan.buffering[device]) {
      case NetworkPlan.INPUT :
        int input = arbiter.inputOf(device, requester);
        if (state.append(units, plan.firstInputQueue + input, unit)) {
          expose(input);
        }
        break;
      case NetworkPlan.OUTPUT :
        if (state.append(units, plan.firstInputQueue + arbiter.inputOf(device, requester), unit)) {
          requests.set(channel, requester);
          outputs.mark(channel);
        }
        break;
      default :
        if (state.append(units, channels.firstVirtualQueue(channel) + requester, unit)) {
          request(channel, requester);
        }
    }
  }

  /** Shows the head of an input queue to its output, once the input has passed on the unit before. */
  void expose(int input) {
    int unit = state.head(plan.firstInputQueue + input);
    if (unit == NONE) {
      return;
    }
    long free = channels.inputFreeAt(input);
    if (free > queue.now()) {
      if (!channels.isExposeScheduled(input)) {
        channels.exposeScheduled(input, true);
        queue.push(free, Events.pack(Events.EXPOSE, input, 0));
      }
    } else {
      request(units.channel(unit), channels.requester(input));
    }
  }

  /** Marks a link, to be arbitrated at the instant's end. */
  void mark(int link) {
    if (links.isMarked(link)) {
      return;
    }
    if (links.freeAt(link) > queue.now()) {
      scheduleFree(link);
      return;
    }
    links.marked(link, true);
    marks.add(link);
  }

  /** Marks a link that becomes free now, without an event of that. */
  void markFreed(int link) {
    links.marked(link, true);
    marks.addFreed(link);
  }

  void scheduleFree(int link) {
    if (ports != null && links.defers(link)) {
      ports.deferred.schedule(link);
    } else if (!links.isFreeScheduled(link)) {
      links.freeScheduled(link, true);
      queue.push(links.freeAt(link), Events.pack(Events.FREE, link, 0));
    }
  }

  private void arbitrateMarked() {
    for (int i = 0; i < marks.count; i++) {
      int link = marks.links[i];
      links.marked(link, false);
      if (ports != null && links.isManaged(link)) {
        ports.arbitrate(link);
      } else if (links.isHalfDuplex(link)) {
        transmitters.takeTurns(link);
      } else {
        transmitters.arbitrate(link);
      }
    }
    marks.clear();
  }

  /** Hands a unit with an event of it to the partition that it concerns. */
  void hand(int to, long time, int kind, int link, int unit) {
    if (to == number) {
      queue.push(time, Events.pack(kind, link, unit));
    } else {
      outbox[to].unit(time, kind, link, units, unit);
      units.release(unit);
    }
  }

  /** Takes a unit over from another partition, with an event that lacks its number. */
  void receiveUnit(long time, long event, long[] words, int offset) {
    int unit = units.allocate();
    units.copyIn(unit, words, offset);
    queue.pushLate(time, event | unit);
  }

  /** Lets the unit that a terminal injects ask for its channel. */
  void requestInjection(int channel) {
    if (links.isManaged(channels.link(channel))) {
      mark(channels.link(channel));
    } else {
      request(channel, 0);
    }
  }

  /** Lets a requester ask for a channel. */
  void request(int channel, int requester) {
    enter(channels.link(channel));
    requests.set(channel, requester);
    mark(channels.link(channel));
  }
}
