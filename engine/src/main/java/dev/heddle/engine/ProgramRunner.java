package dev.heddle.engine;

import dev.heddle.internal.collect.EventQueue;
import dev.heddle.observe.ActivityObserver;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

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

  /** The start of the text in {@link #waiting()} for a sender whose connection is full. */
  public static final String FULL_CONNECTION = "room in its connection to rank ";

  private static final int MAX_SIGNALS = 1 << 16;
  private static final int NONE = -1;
  private static final int NOBODY = -2;
  private static final int LAGGING = 1;

  private final EventQueue queue;
  private final Transport transport;
  private final Collectives collectives;
  final DelayedSends lagging = new DelayedSends();
  private final @Nullable ActivityObserver observer;

  // Per stream slot. A slot stays its rank's when its stream has ended, so that the order of a rank's slots is the same
  // whatever other ranks do.
  private int slots;
  private Scope[] scope = new Scope[16];
  Operation[] operation = new Operation[16];
  int[] rankOf = new int[16];
  private int[] streamOf = new int[16];
  int[] nextWaiter = new int[16];
  boolean[] ended = new boolean[16];
  private long[] since = new long[16];

  // Per rank: streams waiting for room in the injection queue, slots whose streams have ended.
  final int[] roomHead;
  private final int[] roomTail;
  private final int[] freeSlot;

  Mailbox mailbox = new Mailbox();
  private int running;

  /**
   * A runner without programs.
   *
   * @param queue for timers
   * @param transport for messages
   * @param collectives execution of collectives
   * @param ranks of the whole run
   * @param observer of the time of operations; null for none
   */
  public ProgramRunner(
      EventQueue queue, Transport transport, Collectives collectives, int ranks, @Nullable ActivityObserver observer) {
    if (ranks > MAX_RANKS) {
      throw new IllegalArgumentException("at most " + MAX_RANKS + " ranks: " + ranks);
    }
    this.queue = queue;
    this.transport = transport;
    this.collectives = collectives;
    this.observer = observer;
    roomHead = new int[ranks];
    roomTail = new int[ranks];
    freeSlot = new int[ranks];
    Arrays.fill(roomHead, NONE);
    Arrays.fill(roomTail, NONE);
    Arrays.fill(freeSlot, NONE);
  }

  /** Adds a rank's program; before {@link #start()}. */
  public void add(int rank, Program added) {
    enter(rank, added, NONE);
  }

  private Scope enter(int rank, Program added, int parent) {
    Scope entered = new Scope(added, parent);
    for (int stream = 0; stream < entered.slots.length; stream++) {
      int slot = slot(rank);
      entered.slots[stream] = slot;
      scope[slot] = entered;
      streamOf[slot] = stream;
      ended[slot] = false;
    }
    return entered;
  }

  private int slot(int rank) {
    int free = freeSlot[rank];
    if (free != NONE) {
      freeSlot[rank] = nextWaiter[free];
      nextWaiter[free] = NONE;
      return free;
    }
    if (slots == scope.length) {
      scope = Arrays.copyOf(scope, 2 * slots);
      operation = Arrays.copyOf(operation, 2 * slots);
      rankOf = Arrays.copyOf(rankOf, 2 * slots);
      streamOf = Arrays.copyOf(streamOf, 2 * slots);
      nextWaiter = Arrays.copyOf(nextWaiter, 2 * slots);
      ended = Arrays.copyOf(ended, 2 * slots);
      since = Arrays.copyOf(since, 2 * slots);
    }
    operation[slots] = new Operation();
    rankOf[slots] = rank;
    nextWaiter[slots] = NONE;
    return slots++;
  }

  /**
   * Runs another program of a stream's rank, with signals of its own, while the stream waits for its end.
   *
   * @param slot of the stream, which has come to a collective
   * @return whether the program has ended already; otherwise its end lets the stream go on
   */
  public boolean spawn(int slot, Program program) {
    Scope entered = enter(rankOf[slot], program, slot);
    running += entered.slots.length;
    entered.starting = true;
    for (int spawned : entered.slots) {
      pump(spawned);
    }
    entered.starting = false;
    return entered.running == 0;
  }

  /**
   * Keeps streams of a stream's rank for a program, while the stream waits for its end.
   *
   * @param slot of the stream, which has come to a collective
   */
  public Reservation reserve(int slot, int streams) {
    Scope entered = enter(rankOf[slot], new Scope.Unstarted(streams), slot);
    running += streams;
    return new Reservation(entered);
  }

  /** Keeps streams of a rank for a program for whose end no stream waits. */
  public Reservation reserveBeside(int rank, int streams) {
    Scope entered = enter(rank, new Scope.Unstarted(streams), NOBODY);
    running += streams;
    return new Reservation(entered);
  }

  /** Whether messages of ended programs of the rank of reserved streams have yet to be submitted. */
  public boolean lags(Reservation reservation) {
    int[] reserved = reservation.scope.slots;
    boolean lags = false;
    for (int slot : reserved) {
      lags |= !lagging.isEmpty(slot);
    }
    int free = reserved.length == 0 ? NONE : freeSlot[rankOf[reserved[0]]];
    for (int slot = free; slot != NONE && !lags; slot = nextWaiter[slot]) {
      lags = !lagging.isEmpty(slot);
    }
    return lags;
  }

  /** Whether a stream of a rank waits for room in the injection queue. */
  public boolean waitsForRoom(int rank) {
    return roomHead[rank] != NONE;
  }

  /**
   * Runs a program on reserved streams aside. Streams that have been released meanwhile are lent to it, until
   * {@link #giveBack}.
   *
   * @param ended told of the program's end
   */
  public void play(Reservation reservation, Program program, Runnable ended) {
    if (reservation.released) {
      lend(reservation);
    }
    begin(reservation.scope, program, ended);
  }

  /** Runs a program on reserved streams, which join the others, from now on. */
  public void start(Reservation reservation, Program program) {
    begin(reservation.scope, program, null);
  }

  private void begin(Scope of, Program program, @Nullable Runnable listener) {
    of.play(program, listener);
    for (int slot : of.slots) {
      ended[slot] = false;
    }
    for (int slot : of.slots) {
      pump(slot);
    }
  }

  /** Lets the streams of a program that was played aside join the others; it has not ended. */
  public void join(Reservation reservation) {
    Scope of = reservation.scope;
    of.listener = null;
    running -= of.slots.length - of.running;
  }

  /** Frees reserved streams, as at the end of their program, and lets the stream go on that waits for it. */
  public void release(Reservation reservation) {
    Scope of = reservation.scope;
    reservation.released = true;
    running -= of.slots.length;
    for (int slot : of.slots) {
      ended[slot] = true;
    }
    free(of);
    if (of.parent != NOBODY) {
      pump(of.parent);
    }
  }

  private void lend(Reservation reservation) {
    int[] lentSlots = reservation.scope.slots;
    Reservation.LentSlots lent = new Reservation.LentSlots(lentSlots.length);
    for (int i = 0; i < lentSlots.length; i++) {
      int slot = lentSlots[i];
      lent.scopes()[i] = scope[slot];
      lent.operations()[i] = operation[slot];
      lent.streams()[i] = streamOf[slot];
      lent.ended()[i] = ended[slot];
      lent.since()[i] = since[slot];
      lent.next()[i] = nextWaiter[slot];
      lent.lines()[i] = lagging.detach(slot);
      scope[slot] = reservation.scope;
      operation[slot] = new Operation();
      streamOf[slot] = i;
    }
    reservation.lent = lent;
  }

  /** Gives slots back that were lent to a program played aside. */
  public void giveBack(Reservation reservation) {
    Reservation.LentSlots lent = Objects.requireNonNull(reservation.lent, "nothing is lent");
    int[] lentSlots = reservation.scope.slots;
    for (int i = 0; i < lentSlots.length; i++) {
      int slot = lentSlots[i];
      scope[slot] = lent.scopes()[i];
      operation[slot] = lent.operations()[i];
      streamOf[slot] = lent.streams()[i];
      ended[slot] = lent.ended()[i];
      since[slot] = lent.since()[i];
      nextWaiter[slot] = lent.next()[i];
      lagging.attach(slot, lent.lines()[i]);
    }
    reservation.lent = null;
  }

  /** Exchanges the messages that have arrived and that nobody has received yet, and who waits for one, for others. */
  public Mailbox exchange(Mailbox other) {
    Mailbox held = mailbox;
    mailbox = other;
    return held;
  }

  /** Runs another program of a rank concurrently with its own; no stream waits for its end. */
  public void spawnBeside(int rank, Program program) {
    Scope entered = enter(rank, program, NOBODY);
    running += entered.slots.length;
    for (int spawned : entered.slots) {
      pump(spawned);
    }
  }

  /** Lets a stream go on that has come to a collective. */
  public void resume(int slot) {
    pump(slot);
  }

  /** Pulls the first operation of every stream. */
  public void start() {
    running = slots;
    // A pumped stream may spawn more.
    int added = slots;
    for (int slot = 0; slot < added; slot++) {
      pump(slot);
    }
  }

  /** The number of streams that have not ended. */
  public int running() {
    return running;
  }

  /**
   * The time of a stream's computation, of its next open-loop message, or of the first of its messages that lag, has
   * come.
   *
   * @param argument of the event
   */
  public void onTimer(int slot, int argument) {
    if (argument == LAGGING) {
      lagging.submitFirst(slot, rankOf[slot], transport);
      return;
    }
    Operation op = operation[slot];
    if (op.kind() == Operation.Kind.GENERATE) {
      int rank = rankOf[slot];
      if (transport.hasRoom(rank)) {
        transport.submit(rank, op.peer(), op.bytes(), NONE, op.label());
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
      transport.submit(rank, op.peer(), op.bytes(), op.tag(), op.label());
      pump(slot);
    }
  }

  /** A message with a tag has reached a rank whole. */
  public void onDelivered(int rank, int peer, int tag) {
    int waiting = mailbox.deliver(rank, peer, tag);
    if (waiting != NONE) {
      pump(waiting);
    }
  }

  /** The operations that unfinished streams wait for, one line each, for the report of a stall. */
  public String waiting() {
    StringBuilder text = new StringBuilder();
    for (int slot = 0; slot < slots; slot++) {
      if (!ended[slot]) {
        Operation op = operation[slot];
        text.append("  rank ").append(rankOf[slot]).append(" stream ").append(streamOf[slot]).append(": ");
        switch (op.kind()) {
          case RECEIVE :
            text.append(
                op.peer() != rankOf[slot] && SteppedCollectives.makesRoom(op.tag())
                    ? FULL_CONNECTION : "receive from rank ")
                .append(op.peer()).append(", tag ").append(op.tag());
            break;
          case AWAIT :
            text.append("await signal ").append(op.tag()).append(" >= ").append(op.bytes());
            break;
          case COLLECTIVE :
            text.append(op.collectiveOp().key()).append(" of ").append(op.bytes()).append(" B in group ")
                .append(op.tag());
            break;
          case SEND :
            text.append("room to send ").append(op.bytes()).append(" B to rank ").append(op.peer());
            break;
          default :
            text.append(op.kind());
        }
        text.append('\n');
      }
    }
    return text.toString();
  }

  private void pump(int slot) {
    Operation op = operation[slot];
    Scope of = scope[slot];
    if (observer != null && of.parent == NONE && queue.now() > since[slot]) {
      observer.spent(rankOf[slot], streamOf[slot], op, since[slot], queue.now());
    }
    while (of.program.next(streamOf[slot], op)) {
      since[slot] = queue.now();
      if (!carryOut(slot, op)) {
        return;
      }
    }
    if (!ended[slot]) {
      end(slot, of);
    }
  }

  // The slots of a spawned program become free when all its streams have ended: its signals may wake any of them.
  private void end(int slot, Scope of) {
    ended[slot] = true;
    of.running--;
    if (of.listener != null) {
      if (of.running == 0) {
        of.listener.run();
      }
      return;
    }
    running--;
    if (of.running > 0 || of.parent == NONE) {
      return;
    }
    free(of);
    if (!of.starting && of.parent != NOBODY) {
      pump(of.parent);
    }
  }

  private void free(Scope of) {
    int rank = rankOf[of.slots[0]];
    for (int i = of.slots.length - 1; i >= 0; i--) {
      nextWaiter[of.slots[i]] = freeSlot[rank];
      freeSlot[rank] = of.slots[i];
    }
  }

  // Whether the operation completed at once.
  private boolean carryOut(int slot, Operation op) {
    int rank = rankOf[slot];
    switch (op.kind()) {
      case COMPUTE :
        queue.push(
            Math.addExact(scope[slot].takePs(queue.now(), op.tag(), op.timePs()), op.timePs()),
            Events.pack(Events.STREAM, slot, 0));
        return false;
      case GENERATE :
        queue.push(Math.max(queue.now(), op.timePs()), Events.pack(Events.STREAM, slot, 0));
        return false;
      case SEND :
        long departPs = scope[slot].departPs(Math.addExact(queue.now(), op.timePs()), op.turnPs());
        if (departPs > queue.now()) {
          queue.push(lagging.add(slot, op, departPs), Events.pack(Events.STREAM, slot, LAGGING));
          return true;
        }
        if (roomHead[rank] == NONE && transport.hasRoom(rank)) {
          transport.submit(rank, op.peer(), op.bytes(), op.tag(), op.label());
          return true;
        }
        waitForRoom(rank, slot);
        return false;
      case RECEIVE :
        return mailbox.receive(rank, slot, op);
      case SIGNAL :
        raise(slot, op.tag());
        return true;
      case AWAIT :
        return raised(scope[slot], op.tag()) >= op.bytes();
      case COLLECTIVE :
        return collectives.arrive(this, slot, rank, op);
      default :
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

  private static long raised(Scope of, int signal) {
    return signal < of.signals.length ? of.signals[signal] : 0;
  }

  private void raise(int raiser, int signal) {
    Scope of = scope[raiser];
    if (signal < 0 || signal >= MAX_SIGNALS) {
      throw new IllegalStateException(
          "signal " + signal + " of rank " + rankOf[raiser] + " is not of 0 to " + (MAX_SIGNALS - 1));
    }
    if (signal >= of.signals.length) {
      of.signals = Arrays.copyOf(of.signals, Math.max(signal + 1, 2 * of.signals.length));
    }
    of.signals[signal]++;
    long count = of.signals[signal];
    for (int slot : of.slots) {
      Operation op = operation[slot];
      boolean waits = scope[slot] == of && !ended[slot] && op.kind() == Operation.Kind.AWAIT;
      if (waits && op.tag() == signal && op.bytes() == count) {
        pump(slot);
      }
    }
  }
}
