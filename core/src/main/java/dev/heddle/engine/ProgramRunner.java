package dev.heddle.engine;

import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.Arrays;

/**
 * Runs the programs of a partition's ranks: pulls each stream's operations, one at a time, and carries them out.
 *
 * <p>Ranks below 2^20, tags below 2^24 - 1, signals below 2^16.
 */
public final class ProgramRunner {
  /** The most ranks of a run. */
  public static final int MAX_RANKS = 1 << 20;

  /** The largest tag of a message. */
  public static final int MAX_TAG = (1 << 24) - 2;

  private static final int MAX_SIGNALS = 1 << 16;
  private static final int NONE = -1;

  private final EventQueue queue;
  private final Transport transport;

  // Per stream slot.
  private int slots;
  private Program[] program = new Program[16];
  private Operation[] operation = new Operation[16];
  private int[] rankOf = new int[16];
  private int[] streamOf = new int[16];
  private int[] nextWaiter = new int[16];
  private boolean[] ended = new boolean[16];

  // Per rank: first slot, streams waiting for room in the injection queue, signals.
  private final int[] firstSlot;
  private final int[] slotCount;
  private final int[] roomHead;
  private final int[] roomTail;
  private final long[][] signals;

  // (rank, peer, tag) to the number of messages that nobody has received yet, or -1 - slot of the stream that waits.
  private final LongLongMap mailbox = new LongLongMap(0);
  private int running;

  /**
   * A runner without programs.
   *
   * @param queue where it schedules timers
   * @param transport where it sends
   * @param ranks of the whole run
   */
  public ProgramRunner(EventQueue queue, Transport transport, int ranks) {
    if (ranks > MAX_RANKS) {
      throw new IllegalArgumentException("at most " + MAX_RANKS + " ranks: " + ranks);
    }
    this.queue = queue;
    this.transport = transport;
    firstSlot = new int[ranks];
    slotCount = new int[ranks];
    roomHead = new int[ranks];
    roomTail = new int[ranks];
    signals = new long[ranks][0];
    Arrays.fill(roomHead, NONE);
    Arrays.fill(roomTail, NONE);
  }

  /** Adds a rank's program; before {@link #start()}. */
  public void add(int rank, Program added) {
    firstSlot[rank] = slots;
    slotCount[rank] = added.streams();
    for (int stream = 0; stream < added.streams(); stream++) {
      if (slots == program.length) {
        program = Arrays.copyOf(program, 2 * slots);
        operation = Arrays.copyOf(operation, 2 * slots);
        rankOf = Arrays.copyOf(rankOf, 2 * slots);
        streamOf = Arrays.copyOf(streamOf, 2 * slots);
        nextWaiter = Arrays.copyOf(nextWaiter, 2 * slots);
        ended = Arrays.copyOf(ended, 2 * slots);
      }
      program[slots] = added;
      operation[slots] = new Operation();
      rankOf[slots] = rank;
      streamOf[slots] = stream;
      nextWaiter[slots] = NONE;
      slots++;
    }
  }

  /** Pulls the first operation of every stream. */
  public void start() {
    running = slots;
    for (int slot = 0; slot < slots; slot++) {
      pump(slot);
    }
  }

  /** The number of streams that have not ended. */
  public int running() {
    return running;
  }

  /** The time of a stream's computation, or of its next open-loop message, has come. */
  public void onTimer(int slot) {
    Operation op = operation[slot];
    if (op.kind() == Operation.Kind.GENERATE) {
      int rank = rankOf[slot];
      if (transport.hasRoom(rank)) {
        transport.submit(rank, op.peer(), op.bytes(), NONE, op.trafficClass());
      } else {
        transport.refuse(rank, op.peer(), op.bytes());
      }
    }
    pump(slot);
  }

  /** A rank's injection queue has room again. */
  public void onRoom(int rank) {
    while (roomHead[rank] != NONE && transport.hasRoom(rank)) {
      int slot = roomHead[rank];
      roomHead[rank] = nextWaiter[slot];
      if (roomHead[rank] == NONE) {
        roomTail[rank] = NONE;
      }
      Operation op = operation[slot];
      transport.submit(rank, op.peer(), op.bytes(), op.tag(), op.trafficClass());
      pump(slot);
    }
  }

  /** A message with a tag has reached a rank whole. */
  public void onDelivered(int rank, int peer, int tag) {
    long key = key(rank, peer, tag);
    long state = mailbox.get(key);
    if (state < 0) {
      mailbox.remove(key);
      pump((int) (-1 - state));
    } else {
      mailbox.put(key, state + 1);
    }
  }

  /** What the streams that have not ended wait for, one line each, for the report of a stall. */
  public String waiting() {
    StringBuilder text = new StringBuilder();
    for (int slot = 0; slot < slots; slot++) {
      if (!ended[slot]) {
        Operation op = operation[slot];
        text.append("  rank ").append(rankOf[slot]).append(" stream ").append(streamOf[slot]).append(": ");
        switch (op.kind()) {
          case RECEIVE:
            text.append("receive from rank ").append(op.peer()).append(", tag ").append(op.tag());
            break;
          case AWAIT:
            text.append("await signal ").append(op.tag()).append(" >= ").append(op.bytes());
            break;
          case SEND:
            text.append("room to send ").append(op.bytes()).append(" B to rank ").append(op.peer());
            break;
          default:
            text.append(op.kind());
        }
        text.append('\n');
      }
    }
    return text.toString();
  }

  private void pump(int slot) {
    Operation op = operation[slot];
    while (program[slot].next(streamOf[slot], op)) {
      if (!carryOut(slot, op)) {
        return;
      }
    }
    if (!ended[slot]) {
      ended[slot] = true;
      running--;
    }
  }

  // Whether the operation completed at once.
  private boolean carryOut(int slot, Operation op) {
    int rank = rankOf[slot];
    switch (op.kind()) {
      case COMPUTE:
        queue.push(Math.addExact(queue.now(), op.timePs()), Events.pack(Events.STREAM, slot, 0));
        return false;
      case GENERATE:
        queue.push(Math.max(queue.now(), op.timePs()), Events.pack(Events.STREAM, slot, 0));
        return false;
      case SEND:
        if (roomHead[rank] == NONE && transport.hasRoom(rank)) {
          transport.submit(rank, op.peer(), op.bytes(), op.tag(), op.trafficClass());
          return true;
        }
        waitForRoom(rank, slot);
        return false;
      case RECEIVE:
        return receive(rank, slot, op);
      case SIGNAL:
        raise(rank, op.tag());
        return true;
      case AWAIT:
        return raised(rank, op.tag()) >= op.bytes();
      default:
        throw new IllegalStateException("unknown operation " + op.kind());
    }
  }

  private void waitForRoom(int rank, int slot) {
    nextWaiter[slot] = NONE;
    if (roomTail[rank] == NONE) {
      roomHead[rank] = slot;
    } else {
      nextWaiter[roomTail[rank]] = slot;
    }
    roomTail[rank] = slot;
  }

  private boolean receive(int rank, int slot, Operation op) {
    long key = key(rank, op.peer(), op.tag());
    long state = mailbox.get(key);
    if (state > 1) {
      mailbox.put(key, state - 1);
      return true;
    }
    if (state == 1) {
      mailbox.remove(key);
      return true;
    }
    if (state < 0) {
      throw new IllegalStateException(
          "two streams of rank " + rank + " receive from rank " + op.peer() + " with tag " + op.tag() + " at once");
    }
    mailbox.put(key, -1 - slot);
    return false;
  }

  private long raised(int rank, int signal) {
    return signal < signals[rank].length ? signals[rank][signal] : 0;
  }

  private void raise(int rank, int signal) {
    if (signal < 0 || signal >= MAX_SIGNALS) {
      throw new IllegalStateException("signal " + signal + " of rank " + rank + " is not of 0 to " + (MAX_SIGNALS - 1));
    }
    if (signal >= signals[rank].length) {
      signals[rank] = Arrays.copyOf(signals[rank], Math.max(signal + 1, 2 * signals[rank].length));
    }
    signals[rank][signal]++;
    long count = signals[rank][signal];
    int first = firstSlot[rank];
    for (int slot = first; slot < first + slotCount[rank]; slot++) {
      Operation op = operation[slot];
      if (!ended[slot] && op.kind() == Operation.Kind.AWAIT && op.tag() == signal && op.bytes() == count) {
        pump(slot);
      }
    }
  }

  private static long key(int rank, int peer, int tag) {
    if (tag < 0 || tag > MAX_TAG) {
      throw new IllegalStateException("tag " + tag + " is not of 0 to " + MAX_TAG);
    }
    return (long) rank << 44 | (long) peer << 24 | tag;
  }
}
