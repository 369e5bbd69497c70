package dev.heddle.network.packet;

import dev.heddle.collective.Service;
import dev.heddle.engine.CollectiveLog;
import dev.heddle.engine.EventQueue;
import dev.heddle.engine.Events;
import dev.heddle.engine.ProgramRunner;
import dev.heddle.engine.SteppedCollectives;
import dev.heddle.engine.Transport;
import dev.heddle.fabric.Fabric;
import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.network.MessageNumbers;
import dev.heddle.network.Meter;
import dev.heddle.observe.NetworkObserver;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One part of the fabric with its own clock and events: forwards units, keeps credits, runs the programs of its ranks.
 *
 * <p>At each instant all events run first; then every link for which something changed arbitrates among all requests of
 * that instant. So no request wins by being handled first.
 */
final class Partition implements Transport {
  private static final int NONE = SharedState.NONE;
  private static final byte AGE = 1;
  private static final byte FIXED_PRIORITY = 2;

  private final int number;
  private final NetworkPlan plan;
  private final SharedState state;
  private final Links links;
  private final Channels channels;
  private final Requests requests;
  private final Routes routes;
  private final RunSetup setup;
  private final Fabric fabric;
  private final @Nullable NetworkObserver observer;

  final EventQueue queue = new EventQueue();
  final Units units = new Units();
  final Messages messages = new Messages();
  final CollectiveLog log = new CollectiveLog();
  final Meter meter;
  final ProgramRunner runner;
  private final CreditLedger ledger;
  private final WireTimes times;
  final Losses losses;
  private final LongLongMap reassembly = new LongLongMap(0);
  private final @Nullable LongLongMap[] assembling;
  private final @Nullable LongLongMap[] assembled;
  private int[] marked = new int[256];
  private int markedCount;
  private int[] fills = new int[16];
  private int fillCount;
  final Outbox[] outbox;
  long events;
  long hops;
  long lastTimer;

  Partition(int number, NetworkPlan plan, SharedState state, RunSetup setup) {
    this.number = number;
    this.plan = plan;
    this.state = state;
    this.links = state.links;
    this.channels = state.channels;
    this.requests = state.requests;
    this.routes = new Routes(plan.fabric, state, setup);
    this.setup = setup;
    this.fabric = plan.fabric;
    this.observer = setup.observer;
    meter = new Meter(setup.windowStart, setup.windowEnd);
    SteppedCollectives collectives = new SteppedCollectives(setup.communicators, log, queue);
    runner = new ProgramRunner(queue, this, collectives, setup.ranks.length, setup.activities);
    ledger = new CreditLedger(state.channels);
    times = new WireTimes(plan.specs);
    losses = new Losses(this, plan, state, setup);
    assembling = new LongLongMap[plan.devices];
    assembled = new LongLongMap[plan.devices];
    outbox = new Outbox[setup.partitions];
    Arrays.setAll(outbox, i -> new Outbox());
  }

  /** Runs all events before a time. */
  void run(long until) {
    while (true) {
      settle();
      long time = queue.nextTime();
      if (time >= until) {
        return;
      }
      do {
        queue.pop();
        events++;
        dispatch(queue.event());
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
    while (fillCount > 0 || markedCount > 0) {
      fillMarked();
      arbitrateMarked();
    }
  }

  private void dispatch(long event) {
    int target = Events.target(event);
    switch (Events.kind(event)) {
      case Events.CREDIT:
        links.creditWakeAt(target, Long.MAX_VALUE);
        mark(target);
        break;
      case Events.FREE:
        links.freeScheduled(target, false);
        mark(target);
        break;
      case Events.EXPOSE:
        channels.exposeScheduled(target, false);
        expose(target);
        break;
      case Events.ARRIVE:
        arrive(target, Events.argument(event));
        break;
      case Events.DELIVER:
        deliver(target, Events.argument(event));
        break;
      case Events.LOST:
        losses.learn(target, Events.argument(event));
        break;
      case Events.TIMEOUT:
        losses.timeout(target);
        break;
      default:
        lastTimer = queue.now();
        runner.onTimer(target, Events.argument(event));
    }
  }

  // --- injection ---

  @Override
  public boolean hasRoom(int rank) {
    return setup.queued[rank] < setup.injectionQueue;
  }

  @Override
  public void refuse(int rank, int peer, long bytes) {
    meter.refused(kind(setup.ranks[rank], setup.ranks[peer]), bytes, queue.now());
  }

  @Override
  public void submit(int rank, int peer, long bytes, int tag, int service) {
    int source = setup.ranks[rank];
    int destination = setup.ranks[peer];
    if (bytes < 0 || bytes > Units.MAX_MESSAGE_BYTES
        || source == destination && !fabric.hasMemory(source)) {
      throw new IllegalArgumentException(
          "rank " + rank + " cannot send " + bytes + " bytes to rank " + peer + "; 0 to 2^40 - 1 to another rank can");
    }
    int trafficClass = Service.trafficClass(service);
    long id = MessageNumbers.of(source, Service.beyondClass(service), setup.sequence[source]++);
    int waypoint = fabric.waypoint(source, source, destination);
    int channel = routes.inject(source, waypoint, trafficClass, id, destination);
    int message = messages.allocate(id, rank, destination, bytes, queue.now());
    int limit = waypoint == destination
        ? setup.unitLimit[links.spec(channels.link(channel))]
        : setup.bridgedLimit(links.spec(channels.link(channel)), bytes);
    messages.plan(message, waypoint, limit, tag, trafficClass);
    if (plan.loses) {
      losses.sent(source, destination, tag, id);
    }
    setup.queued[rank]++;
    meter.submitted(kind(source, destination), bytes, queue.now());
    links.queue(channels.link(channel), bytes);
    if (channels.injectionTail(channel) == NONE) {
      channels.injectionHead(channel, message);
      channels.injectionTail(channel, message);
      cutUnit(channel, message);
    } else {
      messages.next(channels.injectionTail(channel), message);
      channels.injectionTail(channel, message);
    }
  }

  // Makes the next unit of a message the head of its channel's injection queue.
  private void cutUnit(int channel, int message) {
    int unit = units.allocate();
    units.payload(unit, messages.cut(message));
    units.identity(
        unit, setup.ranks[messages.rank(message)], messages.destination(message), messages.trafficClass(message));
    units.message(
        unit, messages.id(message), messages.generated(message), messages.total(message), messages.tag(message));
    units.ends(unit, messages.remaining(message) == 0);
    units.route(unit, messages.waypoint(message), channel);
    units.hold(unit, NONE, 0, 0);
    units.tailAt(unit, 0);
    channels.injectionUnit(channel, unit);
    request(channel, 0);
  }

  private void injected(int channel) {
    int message = channels.injectionHead(channel);
    if (messages.remaining(message) > 0) {
      cutUnit(channel, message);
      return;
    }
    int next = messages.next(message);
    channels.injectionHead(channel, next);
    if (next == NONE) {
      channels.injectionTail(channel, NONE);
      channels.injectionUnit(channel, NONE);
      requests.clear(channel, 0);
    } else {
      cutUnit(channel, next);
    }
    int rank = messages.rank(message);
    messages.release(message);
    setup.queued[rank]--;
    runner.onRoom(rank);
  }

  // --- forwarding ---

  private void arrive(int link, int unit) {
    owe(link, unit);
    int device = links.target(link);
    int waypoint = units.waypoint(unit);
    if (waypoint == device) {
      bridge(device, unit);
      return;
    }
    int channel = routes.onward(device, waypoint, units, unit);
    units.route(unit, waypoint, channel);
    enqueue(device, unit, channel, channels.requester(units.heldChannel(unit)));
  }

  // Converts between the unit sizes of two tiers: forwards, cuts, or collects until a unit of the next tier is full.
  private void bridge(int device, int unit) {
    int waypoint = fabric.waypoint(device, units.source(unit), units.destination(unit));
    long message = units.message(unit);
    int channel = routes.onward(device, waypoint, units, unit);
    units.route(unit, waypoint, channel);
    int limit = setup.unitLimit[links.spec(channels.link(channel))];
    int requester = channels.requester(units.heldChannel(unit));
    int payload = units.payload(unit);
    boolean alone = payload == units.total(unit) && payload <= limit;
    if (alone || (setup.keepsTrains && payload <= Math.max(limit, setup.train))) {
      enqueue(device, unit, channel, requester);
      return;
    }
    LongLongMap carriers = maps(assembling, device, NONE);
    LongLongMap passed = maps(assembled, device, 0);
    long soFar = passed.get(message) + payload;
    boolean complete = soFar == units.total(unit);
    if (complete) {
      passed.remove(message);
    } else {
      passed.put(message, soFar);
    }
    int carrier = (int) carriers.get(message);
    if (carrier != NONE) {
      absorb(unit, carrier);
      carriers.remove(message);
    }
    int rest = units.payload(unit);
    while (rest > limit) {
      int piece = units.copy(unit);
      units.payload(piece, limit);
      units.hold(piece, NONE, 0, 0);
      enqueue(device, piece, channel, requester);
      rest -= limit;
    }
    units.payload(unit, rest);
    if (rest == limit || complete) {
      enqueue(device, unit, channel, requester);
    } else {
      units.route(unit, waypoint, NONE);
      carriers.put(message, unit);
    }
  }

  // Adds an earlier, incomplete unit of the same message to a later one.
  private void absorb(int unit, int earlier) {
    units.payload(unit, units.payload(unit) + units.payload(earlier));
    units.tailAt(unit, Math.max(units.tailAt(unit), units.tailAt(earlier)));
    int held = units.heldChannel(earlier);
    if (held == units.heldChannel(unit)
        && units.heldHeaders(unit) + units.heldHeaders(earlier) <= Units.MAX_PACKETS) {
      units.hold(
          unit, held, units.heldBytes(unit) + units.heldBytes(earlier),
          units.heldHeaders(unit) + units.heldHeaders(earlier));
    } else if (held != NONE) {
      giveBack(held, units.heldBytes(earlier), units.heldHeaders(earlier), queue.now());
    }
    units.release(earlier);
  }

  private void enqueue(int device, int unit, int channel, int requester) {
    links.queue(channels.link(channel), units.payload(unit));
    switch (plan.buffering[device]) {
      case NetworkPlan.INPUT:
        int input = inputOf(device, requester);
        if (state.append(units, plan.firstInputQueue + input, unit)) {
          expose(input);
        }
        break;
      case NetworkPlan.OUTPUT:
        if (state.append(units, plan.firstInputQueue + inputOf(device, requester), unit)) {
          requests.set(channel, requester);
          markFill(channel);
        }
        break;
      default:
        if (state.append(units, channels.firstVirtualQueue(channel) + requester, unit)) {
          request(channel, requester);
        }
    }
  }

  private int inputOf(int device, int requester) {
    return plan.inputChannels[plan.firstInput[device] + requester - 1];
  }

  // Shows the head of an input queue to its output, once the input has passed on the unit before.
  private void expose(int input) {
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

  private boolean hasOutputRoom(int device, int channel, int unit) {
    long occupied = channels.outputBytes(channel);
    return occupied == 0 || occupied + units.payload(unit) <= plan.outputBuffer[device];
  }

  private void moveToOutput(int unit, int channel) {
    channels.addOutputBytes(channel, units.payload(unit));
    int held = units.heldChannel(unit);
    if (held != NONE) {
      giveBack(held, units.heldBytes(unit), units.heldHeaders(unit), Math.max(queue.now(), units.tailAt(unit)));
      units.hold(unit, NONE, 0, 0);
    }
    state.append(units, plan.firstOutputQueue + channel, unit);
    mark(channels.link(channel));
  }

  private void markFill(int channel) {
    if (!channels.isFillMarked(channel)) {
      channels.fillMarked(channel, true);
      if (fillCount == fills.length) {
        fills = Arrays.copyOf(fills, 2 * fillCount);
      }
      fills[fillCount++] = channel;
    }
  }

  // Lets what waits at inputs move into the output buffers; a move may show a unit for another output.
  private void fillMarked() {
    for (int i = 0; i < fillCount; i++) {
      int channel = fills[i];
      channels.fillMarked(channel, false);
      fillOutput(links.source(channels.link(channel)), channel);
    }
    fillCount = 0;
  }

  // Lets inputs that wait for an output's buffer move in, as the device arbitrates, for as long as they fit.
  private void fillOutput(int device, int channel) {
    int requester = nextWaiting(device, channel);
    while (requester != NONE) {
      int waiting = plan.firstInputQueue + inputOf(device, requester);
      int unit = state.head(waiting);
      if (!hasOutputRoom(device, channel, unit)) {
        return;
      }
      channels.lastGranted(channel, requester);
      requests.clear(channel, requester);
      if (state.removeHead(units, waiting)) {
        int next = units.channel(state.head(waiting));
        requests.set(next, requester);
        markFill(next);
      }
      moveToOutput(unit, channel);
      requester = nextWaiting(device, channel);
    }
  }

  // The input whose turn it is among those that wait for an output's buffer; bit 0 is injection, which waits for the
  // wire alone.
  private int nextWaiting(int device, int channel) {
    if (plan.arbitration[device] == AGE) {
      return oldest(device, channel);
    }
    int requester = requests.next(channel, plan.arbitration[device] == FIXED_PRIORITY ? 0 : channels.lastGranted(channel));
    if (requester == 0) {
      requester = requests.next(channel, 0);
    }
    return requester == 0 ? NONE : requester;
  }

  // --- arbitration ---

  private void mark(int link) {
    if (links.isMarked(link)) {
      return;
    }
    if (links.freeAt(link) > queue.now()) {
      scheduleFree(link);
      return;
    }
    links.marked(link, true);
    if (markedCount == marked.length) {
      marked = Arrays.copyOf(marked, 2 * markedCount);
    }
    marked[markedCount++] = link;
  }

  private void scheduleFree(int link) {
    if (!links.isFreeScheduled(link)) {
      links.freeScheduled(link, true);
      queue.push(links.freeAt(link), Events.pack(Events.FREE, link, 0));
    }
  }

  private void arbitrateMarked() {
    for (int i = 0; i < markedCount; i++) {
      int link = marked[i];
      links.marked(link, false);
      arbitrate(link);
    }
    markedCount = 0;
  }

  private void arbitrate(int link) {
    int device = links.source(link);
    int virtuals = links.channelCount(link);
    int base = links.firstChannel(link);
    int virtual = links.lastVirtual(link);
    long now = queue.now();
    long wake = Long.MAX_VALUE;
    boolean blocked = false;
    for (int turn = 0; turn < virtuals; turn++) {
      virtual = virtual + 1 >= virtuals ? 0 : virtual + 1;
      int channel = base + virtual;
      int requester = pick(device, channel);
      if (requester == NONE) {
        continue;
      }
      int unit = head(device, channel, requester);
      int slot = times.slot(links.spec(link), units.payload(unit), units.trafficClass(unit));
      if (ledger.covers(channel, taken(channel, unit, slot), times.packets(slot), now)) {
        if (virtuals > 1) {
          links.lastVirtual(link, virtual);
        }
        transmit(link, channel, requester, unit, slot);
        return;
      }
      blocked = true;
      wake = Math.min(wake, ledger.nextReturn(channel));
    }
    if (blocked) {
      if (links.stalledSince(link) == NONE) {
        links.stalledSince(link, now);
      }
      if (wake < links.creditWakeAt(link)) {
        links.creditWakeAt(link, wake);
        queue.push(wake, Events.pack(Events.CREDIT, link, 0));
      }
    }
  }

  private int taken(int channel, int unit, int slot) {
    long rounded = 0;
    if (!channels.hasUnlimitedBytes(channel)) {
      long bytes = channels.countsWholePackets(channel) ? times.wireBytes(slot) : units.payload(unit);
      int granule = channels.granule(channel);
      rounded = granule == 1 ? bytes : (bytes + granule - 1) / granule * granule;
    }
    if (rounded > channels.capacityBytes(channel) || times.packets(slot) > channels.capacityHeaders(channel)) {
      throw Explain.unitTooLarge(plan, channel, units.payload(unit), rounded, times.packets(slot));
    }
    return (int) rounded;
  }

  private int pick(int device, int channel) {
    if (plan.buffering[device] == NetworkPlan.OUTPUT) {
      // Bits other than injection's are inputs that wait for the output's buffer, not for its wire.
      boolean own = (requests.word(channel, 0) & 1) != 0;
      boolean queued = state.head(plan.firstOutputQueue + channel) != NONE;
      if (own && queued) {
        return channels.isInjectedLast(channel) ? 1 : 0;
      }
      return queued ? 1 : own ? 0 : NONE;
    }
    if (plan.arbitration[device] == AGE) {
      return oldest(device, channel);
    }
    return requests.next(channel, plan.arbitration[device] == FIXED_PRIORITY ? NONE : channels.lastGranted(channel));
  }

  // Of messages generated at the same instant the one after the last granted: a tie by number would starve the rest.
  private int oldest(int device, int channel) {
    int last = channels.lastGranted(channel);
    int best = NONE;
    long bestGenerated = 0;
    boolean waiting = plan.buffering[device] == NetworkPlan.OUTPUT;
    for (int w = 0; w < channels.requestWords(channel); w++) {
      long bits = requests.word(channel, w);
      if (waiting && w == 0) {
        bits &= ~1L;
      }
      while (bits != 0) {
        int requester = (w << 6) + Long.numberOfTrailingZeros(bits);
        bits &= bits - 1;
        int unit = waiting
            ? state.head(plan.firstInputQueue + inputOf(device, requester))
            : head(device, channel, requester);
        long generated = units.generated(unit);
        boolean inTurn = generated == bestGenerated && best <= last && requester > last;
        if (best == NONE || generated < bestGenerated || inTurn) {
          best = requester;
          bestGenerated = generated;
        }
      }
    }
    return best;
  }

  private int head(int device, int channel, int requester) {
    if (requester == 0) {
      return channels.injectionUnit(channel);
    }
    return state.head(queueOf(device, channel, requester));
  }

  private int queueOf(int device, int channel, int requester) {
    switch (plan.buffering[device]) {
      case NetworkPlan.INPUT:
        return plan.firstInputQueue + inputOf(device, requester);
      case NetworkPlan.OUTPUT:
        return plan.firstOutputQueue + channel;
      default:
        return channels.firstVirtualQueue(channel) + requester;
    }
  }

  private void transmit(int link, int channel, int requester, int unit, int slot) {
    long now = queue.now();
    int device = links.source(link);
    int payload = units.payload(unit);
    long end = Math.max(now + times.wirePs(slot) + payDebt(link, now), units.tailAt(unit));
    int held = units.heldChannel(unit);
    if (held != NONE) {
      giveBack(held, units.heldBytes(unit), units.heldHeaders(unit), end);
    }
    int taken = taken(channel, unit, slot);
    int packets = channels.hasUnlimitedHeaders(channel) ? 0 : times.packets(slot);
    ledger.take(channel, taken, packets);
    links.freeAt(link, end);
    if (plan.buffering[device] == NetworkPlan.OUTPUT) {
      channels.injectedLast(channel, requester == 0);
    } else {
      channels.lastGranted(channel, requester);
    }
    count(link, channel, now, end, payload, times.crossings(slot));
    leave(device, channel, requester, end, payload);
    units.hold(unit, channel, taken, packets);
    send(link, unit, now, end, slot);
    if (hasRequests(link)) {
      scheduleFree(link);
    }
  }

  // Takes the granted unit out of its queue and lets the one behind it ask.
  private void leave(int device, int channel, int requester, long end, int payload) {
    if (requester == 0) {
      injected(channel);
      return;
    }
    int from = queueOf(device, channel, requester);
    boolean more = state.removeHead(units, from);
    switch (plan.buffering[device]) {
      case NetworkPlan.INPUT:
        int input = from - plan.firstInputQueue;
        requests.clear(channel, requester);
        channels.inputFreeAt(input, end);
        expose(input);
        break;
      case NetworkPlan.OUTPUT:
        channels.addOutputBytes(channel, -payload);
        markFill(channel);
        break;
      default:
        if (!more) {
          requests.clear(channel, requester);
        }
    }
  }

  private void send(int link, int unit, long start, long end, int slot) {
    int target = links.target(link);
    long latency = links.latencyPs(link);
    long time;
    int kind = Events.ARRIVE;
    if (units.destination(unit) == target) {
      time = end + latency;
      kind = Events.DELIVER;
    } else {
      long forward = links.forwardPs(link);
      units.tailAt(unit, end + forward);
      switch (plan.switching[target]) {
        case NetworkPlan.CUT_THROUGH:
          time = start + forward;
          break;
        case NetworkPlan.STORE_AND_FORWARD:
          time = Math.min(end, start + times.headPs(slot)) + forward;
          break;
        default:
          time = end + forward;
      }
    }
    if (links.loses(link) && losses.loses(link, unit, times.packets(slot))) {
      lose(link, unit, end, time);
    } else {
      hand(setup.partitionOf[target], time, kind, link, unit);
    }
  }

  // What is lost takes no buffer where it does not arrive.
  private void lose(int link, int unit, long end, long time) {
    int held = units.heldChannel(unit);
    giveBack(held, units.heldBytes(unit), units.heldHeaders(unit), end);
    units.hold(unit, held, 0, 0);
    hand(setup.partitionOf[units.source(unit)], time + losses.wayPs(unit), Events.LOST, link, unit);
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

  private void count(int link, int channel, long start, long end, int payload, int crossings) {
    hops++;
    links.unqueue(link, payload);
    long busy = meter.clip(start, end);
    if (busy > 0) {
      links.countBusy(link, busy);
      if (meter.within(start)) {
        links.countUnit(link, (long) payload * crossings);
      }
    }
    if (links.stalledSince(link) != NONE) {
      links.countStall(link, meter.clip(links.stalledSince(link), start));
      links.stalledSince(link, NONE);
    }
    if (observer != null) {
      observer.transmitted(link, channel, start, end, payload);
    }
  }

  // --- delivery ---

  private void deliver(int link, int unit) {
    owe(link, unit);
    long now = queue.now();
    int held = units.heldChannel(unit);
    giveBack(held, units.heldBytes(unit), units.heldHeaders(unit), now);
    int payload = units.payload(unit);
    int source = units.source(unit);
    int destination = units.destination(unit);
    int kind = kind(source, destination);
    meter.received(kind, payload, now);
    long total = units.total(unit);
    long message = units.message(unit);
    boolean complete = payload == total;
    if (!complete) {
      long received = reassembly.get(message) + payload;
      complete = received == total;
      if (complete) {
        reassembly.remove(message);
      } else {
        reassembly.put(message, received);
      }
    }
    int tag = units.tag(unit);
    long generated = units.generated(unit);
    units.release(unit);
    if (complete) {
      meter.completed(kind, message, total, generated, now);
      if (observer != null) {
        observer.delivered(source, destination, total, generated, now);
      }
      if (tag >= 0) {
        runner.onDelivered(setup.rankOf[destination], setup.rankOf[source], tag);
      }
    }
  }

  private int kind(int source, int destination) {
    return fabric.sameNode(source, destination) ? Meter.INTRA : Meter.INTER;
  }

  // --- credits and acknowledgements ---

  private void giveBack(int channel, int bytes, int headers, long leftAt) {
    if (bytes == 0 && headers == 0) {
      return;
    }
    long time = leftAt + channels.returnPs(channel);
    int owner = owner(channel);
    if (owner == number) {
      receiveCredit(channel, bytes, headers, time);
    } else {
      outbox[owner].credit(time, channel, bytes, headers);
    }
  }

  /** Notes credit for a channel of this partition, and wakes a link that waits for it. */
  void receiveCredit(int channel, int bytes, int headers, long time) {
    ledger.giveBack(channel, bytes, headers, time);
    int link = channels.link(channel);
    if (links.stalledSince(link) != NONE && time < links.creditWakeAt(link)) {
      links.creditWakeAt(link, time);
      queue.push(time, Events.pack(Events.CREDIT, link, 0));
    }
  }

  /** The partition that owns a channel's sender. */
  int owner(int channel) {
    return setup.partitionOf[links.source(channels.link(channel))];
  }

  /** Bytes of credit on their way back to a channel of this partition. */
  long returningBytes(int channel) {
    return ledger.returningBytes(channel);
  }

  /** Headers of credit on their way back to a channel of this partition. */
  long returningHeaders(int channel) {
    return ledger.returningHeaders(channel);
  }

  /** Takes a unit over from another partition. */
  void receiveUnit(long time, int kind, int link, long[] words, int offset) {
    int unit = units.allocate();
    units.copyIn(unit, words, offset);
    queue.push(time, Events.pack(kind, link, unit));
  }

  private void owe(int link, int unit) {
    if (!links.acknowledges(link)) {
      return;
    }
    long ack = times.ackPs(times.slot(links.spec(link), units.payload(unit), units.trafficClass(unit)));
    if (ack > 0) {
      int back = Fabric.opposite(link);
      long now = queue.now();
      links.owe(back, remainingDebt(back, now) + ack, now);
    }
  }

  private long payDebt(int link, long now) {
    if (links.ackDebtPs(link) == 0) {
      return 0;
    }
    long debt = remainingDebt(link, now);
    links.settleDebt(link);
    return debt;
  }

  // Acknowledgements go out by themselves while the link is idle.
  private long remainingDebt(int link, long now) {
    long idle = now - Math.max(links.freeAt(link), links.ackAt(link));
    return Math.max(0, links.ackDebtPs(link) - Math.max(0, idle));
  }

  // --- requests ---

  private void request(int channel, int requester) {
    requests.set(channel, requester);
    mark(channels.link(channel));
  }

  private boolean hasRequests(int link) {
    int base = links.firstChannel(link);
    boolean output = plan.buffering[links.source(link)] == NetworkPlan.OUTPUT;
    for (int channel = base; channel < base + links.channelCount(link); channel++) {
      if (requests.any(channel) || (output && state.head(plan.firstOutputQueue + channel) != NONE)) {
        return true;
      }
    }
    return false;
  }

  private static LongLongMap maps(@Nullable LongLongMap[] all, int device, long missing) {
    LongLongMap map = all[device];
    if (map == null) {
      map = new LongLongMap(missing);
      all[device] = map;
    }
    return map;
  }
}
