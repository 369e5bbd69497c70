package dev.heddle.network.flow;

import dev.heddle.engine.Events;
import dev.heddle.internal.collect.EventQueue;
import dev.heddle.internal.collect.FairShare;
import dev.heddle.network.MessageNumbers;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.units.RandomStream;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Flows of connections whose rate a congestion control paces: the protocol's own controls, fed by fluid queues.
 *
 * <p>A flow is served at its max-min fair rate, up to the rate at which its connection sends and what waits for it in
 * the network. What it sends beyond that waits before the link that limits it, and where the switch has no more room,
 * before the one ahead of that, back to the host. A packet that leaves a queue is marked with the probability that the
 * switch states; notifications, timers, bytes sent and round-trip times then reach the control as they would with
 * packets. A step is as long as queues change little against the thresholds of marks, and at most a round trip. Losses
 * are left out: a switch without pauses holds back what it would drop.
 */
final class PacedFlows {
  /** The relative change of a limit that counts as none. */
  private static final double SAME = 1e-3;

  /** The least limit, in bytes per picosecond: one bit per second. */
  private static final double LEAST_RATE = 1 / 8e12;

  private static final int FILLING_PASSES = 4;

  /** The shortest step in round-trip times, and the longest where these are short: a tenth of DCQCN's periods. */
  private static final double SHORTEST_STEP = 0.125;
  private static final double LONGEST_STEP_PS = 5e6;

  private final FlowSimulator simulator;
  private final FlowTable flows;
  private final FairShare shares;
  private final EventQueue queue;
  private final SteadyTransport steady;
  private final TransportProtocol protocol;
  private final FluidQueues queues;
  private final long seed;

  private @Nullable PacedConnection[] connections = new PacedConnection[64];
  private PacedConnection[] active = new PacedConnection[64];
  private int activeCount;
  private int[] limits = new int[64];
  private int[] connectionOf = new int[64];

  // Per link, while hosts divide it among their connections.
  private final double[] left;
  private final int[] open;

  private long last;
  private long next = Long.MAX_VALUE;
  private int version;
  private long leastTripPs = Long.MAX_VALUE;

  PacedFlows(FlowSimulator simulator, FlowTable flows, SteadyTransport steady, long seed) {
    this.simulator = simulator;
    this.flows = flows;
    this.steady = steady;
    this.seed = seed;
    shares = simulator.shares;
    queue = simulator.queue;
    protocol = steady.protocol();
    queues = new FluidQueues(simulator.plan);
    left = new double[simulator.plan.links];
    open = new int[simulator.plan.links];
    Arrays.fill(limits, FairShare.NONE);
    Arrays.fill(connectionOf, FairShare.NONE);
  }

  /**
   * Lets the flow of a message that is planned begin with the rate of its connection's control, if the protocol carries
   * it.
   *
   * @param number of its connection, where it has one
   */
  boolean begins(int flow, int message, int number) {
    PathPlanner planned = simulator.passage;
    FlowMessages messages = simulator.messages;
    if (!simulator.plan.connects(messages.source(message), messages.destination(message))) {
      return false;
    }
    PacedConnection connection =
        connection(number, messages.id(message), messages.destination(message), planned);
    reserve(flow);
    connectionOf[flow] = number;
    boolean follows = connection.ahead > 0;
    connection.begin(flow, message, planned, queue.now(), Math.max(1, messages.bytes(message)));
    connection.links[connection.count - 1] = limits[flow];
    connection.first = 0;
    while (connection.first < connection.hops - 1 && !steady.covers(connection.links[connection.first])) {
      connection.first++;
    }
    connection.hostWeight = connection.weights[connection.first];
    if (!follows) {
      connection.at = connection.first;
      connection.share = Math.min(1, connection.rate() * connection.hostWeight);
      connection.ceiling = connection.share / connection.hostWeight;
    }
    share(connection);
    if (activeCount == active.length) {
      active = Arrays.copyOf(active, 2 * activeCount);
    }
    active[activeCount++] = connection;
    leastTripPs = Math.min(leastTripPs, connection.path.baseRttPs());
    schedule(queue.now() + shortestPs());
    return true;
  }

  private PacedConnection connection(int number, long message, int destination, PathPlanner planned) {
    if (number >= connections.length) {
      connections = Arrays.copyOf(connections, 2 * number);
    }
    PacedConnection known = connections[number];
    if (known == null) {
      ConnectionPath path = steady.idle(planned.path(), planned.pathHops());
      String name = "connection/" + MessageNumbers.connection(message, destination);
      known = new PacedConnection(
          protocol.connect(path), path, RandomStream.of(seed, name, "marks"), protocol.notificationPs());
      connections[number] = known;
    }
    return known;
  }

  private void reserve(int flow) {
    if (flow >= limits.length) {
      int old = limits.length;
      limits = Arrays.copyOf(limits, Math.max(flow + 1, 2 * old));
      connectionOf = Arrays.copyOf(connectionOf, limits.length);
      Arrays.fill(limits, old, limits.length, FairShare.NONE);
      Arrays.fill(connectionOf, old, limits.length, FairShare.NONE);
    }
    if (limits[flow] == FairShare.NONE) {
      limits[flow] = shares.addLink();
    }
  }

  private void share(PacedConnection connection) {
    connection.weights[connection.count - 1] = 1 / connection.ceiling;
    // Backlog in the network has left the host.
    connection.weights[connection.first] = Math.min(connection.hostWeight, connection.share / connection.ceiling);
    shares.begin(connection.flow, connection.links, connection.weights, null, connection.count);
  }

  /** A flow ends, if it is one of these. */
  void end(int flow) {
    if (flow >= connectionOf.length || connectionOf[flow] == FairShare.NONE) {
      return;
    }
    PacedConnection connection = Objects.requireNonNull(connections[connectionOf[flow]]);
    serve(connection);
    connectionOf[flow] = FairShare.NONE;
    connection.flow = FairShare.NONE;
    int at = 0;
    while (active[at] != connection) {
      at++;
    }
    active[at] = active[--activeCount];
    if (activeCount > 0) {
      schedule(queue.now() + shortestPs());
    }
  }

  private long shortestPs() {
    return Math.max(1, (long) (SHORTEST_STEP * leastTripPs));
  }

  private void schedule(long time) {
    if (time < next) {
      next = time;
      version++;
      queue.push(time, Events.pack(Events.STEP, 0, version));
    }
  }

  /** A step, unless another one has replaced it. */
  void step(int number) {
    if (number != version) {
      return;
    }
    next = Long.MAX_VALUE;
    long now = queue.now();
    double lastPs = Math.max(1, now - last);
    last = now;
    queues.clear();
    for (int i = 0; i < activeCount; i++) {
      serve(active[i]);
    }
    divideHosts();
    for (int i = 0; i < activeCount; i++) {
      inject(active[i], now);
    }
    place();
    boolean quiet = true;
    for (int i = 0; i < activeCount; i++) {
      PacedConnection connection = active[i];
      connection.sends(now);
      signal(connection, now);
      connection.since = now;
      connection.served = 0;
      quiet &= connection.isUnlimited() && connection.backlog * connection.wirePerPayload < 1;
    }
    double step = Math.min(
        queues.stepPs(lastPs, leastTripPs), Math.max(leastTripPs, LONGEST_STEP_PS));
    long length = Math.max(shortestPs(), (long) step);
    for (int i = 0; i < activeCount; i++) {
      limit(active[i], length);
    }
    queues.forget();
    if (!quiet) {
      schedule(now + length);
    }
  }

  private void serve(PacedConnection connection) {
    simulator.advance(connection.flow);
    double remaining = flows.remaining[connection.flow];
    double own = Math.max(0, connection.unserved - remaining);
    connection.served += own;
    connection.unserved = remaining;
    simulator.usage.busy(
        connection.links[connection.first], own * (connection.hostWeight - connection.weights[connection.first]),
        connection.servedAt, queue.now());
    connection.servedAt = queue.now();
    int bottleneck = shares.bottleneck(connection.flow);
    double elapsed = Math.max(1, queue.now() - connection.since);
    for (int hop = 0; hop < connection.hops; hop++) {
      if (connection.links[hop] == bottleneck) {
        connection.at = hop;
      }
      queues.cross(connection.links[hop], connection.served * connection.weights[hop] / elapsed);
    }
  }

  // A host's connections take turns, packet by packet: max-min fair up to the rates of their controls.
  private void divideHosts() {
    for (int i = 0; i < activeCount; i++) {
      int link = active[i].links[active[i].first];
      left[link] = 1;
      open[link] = 0;
    }
    for (int i = 0; i < activeCount; i++) {
      PacedConnection connection = active[i];
      open[connection.links[connection.first]]++;
      connection.isSettled = false;
      connection.share = Math.min(1, connection.rate() * connection.hostWeight);
    }
    for (int pass = 0; pass < FILLING_PASSES; pass++) {
      for (int i = 0; i < activeCount; i++) {
        PacedConnection connection = active[i];
        int link = connection.links[connection.first];
        if (!connection.isSettled && connection.share * open[link] <= left[link]) {
          connection.isSettled = true;
          left[link] -= connection.share;
          open[link]--;
        }
      }
    }
    for (int i = 0; i < activeCount; i++) {
      PacedConnection connection = active[i];
      int link = connection.links[connection.first];
      if (!connection.isSettled) {
        connection.share = Math.max(0, left[link]) / open[link];
      }
    }
  }

  private void inject(PacedConnection connection, long now) {
    double time = now - connection.since;
    double wanted = connection.share / connection.hostWeight * time;
    long window = connection.control.windowBytes();
    if (window != Long.MAX_VALUE && time > 0) {
      double flying = connection.served / time * connection.path.baseRttPs();
      double room = Math.max(0, window / connection.wirePerPayload - flying);
      wanted = Math.min(wanted, connection.served + Math.max(0, room - connection.backlog));
    }
    reach(connection, wanted);
    boolean waits = queues.queues(connection.links[connection.at]);
    connection.sent = Math.min(
        connection.unsent,
        waits ? Math.max(wanted, connection.served - connection.backlog)
            : Math.max(0, connection.served - connection.backlog));
    connection.backlog = Math.max(0, connection.backlog + connection.sent - connection.served);
    connection.placing = waits ? connection.backlog : 0;
  }

  // Lets a host come to the next messages of a connection when those before them leave too little to send.
  private void reach(PacedConnection connection, double wanted) {
    FlowMessages messages = simulator.messages;
    int next = messages.next(connection.reached);
    while (next != FlowMessages.NONE && connection.unsent < wanted) {
      connection.unsent += Math.max(1, messages.bytes(next));
      connection.reached = next;
      connection.ahead++;
      next = messages.next(next);
    }
  }

  // Fills the queues from the bottlenecks on back to the hosts, and holds back there what finds no room.
  private void place() {
    boolean seeks = true;
    while (seeks) {
      for (int i = 0; i < activeCount; i++) {
        PacedConnection connection = active[i];
        if (connection.placing > 0) {
          queues.add(connection.links[connection.at], connection.placing * connection.wirePerPayload);
        }
      }
      seeks = false;
      for (int i = 0; i < activeCount; i++) {
        PacedConnection connection = active[i];
        if (connection.placing > 0) {
          connection.placing *= queues.excess(connection.links[connection.at]);
          seeks |= connection.retreat(queues);
        }
      }
      queues.trim();
    }
  }

  private void signal(PacedConnection connection, long now) {
    double hazard = 0;
    for (int hop = connection.first; hop < connection.hops; hop++) {
      int link = connection.links[hop];
      if (queues.queues(link)) {
        hazard += connection.parts[hop] * queues.hazard(link);
      }
    }
    connection.signal(now, hazard, queues);
  }

  private void limit(PacedConnection connection, double length) {
    double ceiling =
        Math.max(LEAST_RATE, connection.share / connection.hostWeight + connection.backlog / length);
    if (Math.abs(ceiling - connection.ceiling) > SAME * connection.ceiling) {
      connection.ceiling = ceiling;
      shares.end(connection.flow);
      share(connection);
    }
  }
}
