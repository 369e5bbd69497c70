package dev.heddle.network;

import dev.heddle.collective.MessageLabel;
import dev.heddle.engine.Job;
import dev.heddle.engine.ProgramRunner;
import dev.heddle.engine.Transport;
import dev.heddle.fabric.Fabric;
import dev.heddle.internal.collect.EventQueue;
import dev.heddle.observe.NetworkObserver;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Injection queues, message numbers and deliveries of a network that moves messages whole, on one clock. */
public abstract class MessageTransport implements Transport {
  private static final int NONE = -1;

  /** The events of the run. */
  public final EventQueue queue = new EventQueue();
  /** The measurements of messages. */
  public final Meter meter;
  /** The fabric. */
  protected final Fabric fabric;
  /** The options of the run. */
  protected final RunOptions options;
  /** The observer of transmissions and deliveries; null for none. */
  protected final @Nullable NetworkObserver observer;

  private final int[] ranks;
  private final int[] rankOf;
  // Messages in the injection queue of each rank, and messages sent by each terminal.
  private final int[] queued;
  private final long[] sequence;

  /** Empty injection queues at time 0. */
  protected MessageTransport(Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer) {
    this.fabric = fabric;
    this.options = options;
    this.observer = observer;
    ranks = job.terminals();
    rankOf = new int[fabric.devices()];
    Arrays.fill(rankOf, NONE);
    for (int rank = 0; rank < ranks.length; rank++) {
      rankOf[ranks[rank]] = rank;
    }
    meter = new Meter(options.windowStartPs(), options.windowEndPs());
    queued = new int[ranks.length];
    sequence = new long[fabric.devices()];
  }

  /** The runner of the ranks' programs. */
  protected abstract ProgramRunner runner();

  /** The number of ranks for which one stands that is simulated, itself included. */
  protected int copies(int rank) {
    return 1;
  }

  @Override
  public final boolean hasRoom(int rank) {
    return queued[rank] < options.injectionQueue();
  }

  @Override
  public final void refuse(int rank, int peer, long bytes) {
    meter.refused(kind(ranks[rank], ranks[peer]), bytes, queue.now());
  }

  /** The next number of a message that leaves a terminal. */
  public final long nextId(int source, int networkBits) {
    return MessageNumbers.of(source, networkBits, sequence[source]++);
  }

  /**
   * Takes a message into the injection queue of a rank.
   *
   * @param messages the table that it becomes a row of
   * @return its row
   * @throws IllegalArgumentException when no rank can send such a message
   */
  protected final int accept(MessageTable messages, int rank, int peer, long bytes, int tag, int service) {
    int source = ranks[rank];
    int destination = ranks[peer];
    MessageTable.require(rank, peer, bytes, source != destination || fabric.hasMemory(source));
    long id = nextId(source, MessageNumbers.networkBits(service));
    int message = messages.allocate(id, destination, bytes, queue.now());
    messages.treat(message, tag, MessageLabel.trafficClass(service));
    queued[rank]++;
    meter.submitted(kind(source, destination), bytes * copies(rank), queue.now());
    return message;
  }

  /** Makes room in the injection queue of a rank: a message has left its source. */
  protected final void leave(int rank) {
    queued[rank]--;
    runner().onRoom(rank);
  }

  /**
   * Counts and reports a message that has arrived whole; the caller then releases its row and calls {@link #resume}.
   */
  protected final void arrived(MessageTable messages, int message) {
    long now = queue.now();
    int source = messages.source(message);
    int destination = messages.destination(message);
    long bytes = messages.bytes(message);
    int kind = kind(source, destination);
    int copies = copies(rankOf[source]);
    meter.received(kind, bytes * copies, now);
    meter.completed(kind, messages.id(message), bytes, messages.generated(message), now, copies);
    if (observer != null) {
      observer.delivered(source, destination, bytes, messages.generated(message), now);
    }
  }

  /** Resumes the program that receives a message, unless the message is one-sided. */
  protected final void resume(int source, int destination, int tag) {
    if (tag >= 0) {
      runner().onDelivered(rankOf[destination], rankOf[source], tag);
    }
  }

  /** The rank at a terminal. */
  protected final int rankOf(int terminal) {
    return rankOf[terminal];
  }

  /** Messages in all injection queues. */
  protected final int queued() {
    return Arrays.stream(queued).sum();
  }

  private int kind(int source, int destination) {
    return Meter.kind(fabric.sameNode(source, destination));
  }
}
