package dev.heddle.network.packet;

import dev.heddle.internal.collect.EventQueue;
import java.util.Arrays;

/** The output buffers of a partition's devices, which inputs fill as room is there. */
final class OutputBuffers {
  private static final int NONE = NetworkState.NONE;

  private final Partition partition;
  private final NetworkPlan plan;
  private final NetworkState state;
  private final Links links;
  private final VirtualChannels channels;
  private final Requests requests;
  private final PacketTable units;
  private final EventQueue queue;
  private final Arbiter arbiter;
  private final ReverseTraffic returns;
  private int[] marked = new int[16];
  private int count;
  private int[] apart = new int[16];
  private int apartCount;

  OutputBuffers(Partition partition, NetworkPlan plan, NetworkState state) {
    this.partition = partition;
    this.plan = plan;
    this.state = state;
    links = state.links;
    channels = state.channels;
    requests = state.requests;
    units = partition.units;
    queue = partition.queue;
    arbiter = partition.arbiter;
    returns = partition.returns;
  }

  /** Marks an output, to be filled at the instant's end. */
  void mark(int channel) {
    if (!channels.isFillMarked(channel)) {
      channels.fillMarked(channel, true);
      add(channel);
    }
  }

  private void add(int channel) {
    if (count == marked.length) {
      marked = Arrays.copyOf(marked, 2 * count);
    }
    marked[count++] = channel;
  }

  /** Exchanges the marks with those that were set apart. */
  void exchangeMarks() {
    int[] otherMarked = apart;
    apart = marked;
    marked = otherMarked;
    int otherCount = apartCount;
    apartCount = count;
    count = otherCount;
  }

  /** Adds the marks that were set apart. */
  void joinMarks() {
    for (int i = 0; i < apartCount; i++) {
      add(apart[i]);
    }
    apartCount = 0;
  }

  /** Whether an output is marked. */
  boolean isMarked() {
    return count > 0;
  }

  /** Moves units that wait at inputs into the output buffers; a move may expose a unit for another output. */
  void fill() {
    for (int i = 0; i < count; i++) {
      int channel = marked[i];
      channels.fillMarked(channel, false);
      fill(links.source(channels.link(channel)), channel);
    }
    count = 0;
  }

  // Lets inputs that wait for an output's buffer move in, as the device arbitrates, for as long as they fit.
  private void fill(int device, int channel) {
    int requester = arbiter.nextWaiting(device, channel);
    while (requester != NONE) {
      int waiting = plan.firstInputQueue + arbiter.inputOf(device, requester);
      int unit = state.head(waiting);
      if (!hasOutputRoom(device, channel, unit)) {
        return;
      }
      channels.lastGranted(channel, requester);
      requests.clear(channel, requester);
      if (state.removeHead(units, waiting)) {
        int next = units.channel(state.head(waiting));
        requests.set(next, requester);
        mark(next);
      }
      moveToOutput(unit, channel);
      requester = arbiter.nextWaiting(device, channel);
    }
  }

  private void moveToOutput(int unit, int channel) {
    channels.addOutputBytes(channel, units.payload(unit));
    int held = units.heldChannel(unit);
    if (held != NONE) {
      returns.returnCredit(held, units.heldBytes(unit), units.heldHeaders(unit),
          Math.max(queue.now(), units.tailAt(unit)));
      units.hold(unit, NONE, 0, 0);
    }
    state.append(units, plan.firstOutputQueue + channel, unit);
    partition.mark(channels.link(channel));
  }

  private boolean hasOutputRoom(int device, int channel, int unit) {
    long occupied = channels.outputBytes(channel);
    return occupied == 0 || occupied + units.payload(unit) <= plan.outputBuffer[device];
  }
}
