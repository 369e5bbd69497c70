package dev.heddle.collective;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects the steps of one rank. Steps carry numbers in the order in which they are added, until built. */
public final class RankStepsBuilder {
  private static final int NONE = RankSteps.NONE;

  private final Layout layout;
  final int rank;
  final List<int[]> blocks = new ArrayList<>();
  final List<Draft> steps = new ArrayList<>();
  private final Set<Long> sending = new LinkedHashSet<>();
  private final Set<Long> receiving = new LinkedHashSet<>();

  /** Makes a builder without steps. */
  public RankStepsBuilder(Layout layout, int rank) {
    this.layout = layout;
    this.rank = rank;
  }

  /**
   * Adds a thread block.
   *
   * @param channel from 0
   * @param sendPeer to which it sends, or {@link RankSteps#NONE}
   * @param receivePeer from which it receives, or {@link RankSteps#NONE}
   * @return its number
   * @throws IllegalArgumentException when a peer is the rank itself or none of the collective's, or another thread
   * block has the same channel to or from the same peer
   */
  public int threadBlock(int channel, int sendPeer, int receivePeer) {
    if (channel < 0) {
      throw new IllegalArgumentException(where() + ": a channel is at least 0: " + channel);
    }
    requirePeer(sendPeer);
    requirePeer(receivePeer);
    boolean sends = sendPeer == NONE || sending.add(connection(channel, sendPeer));
    boolean receives = receivePeer == NONE || receiving.add(connection(channel, receivePeer));
    if (!sends || !receives) {
      throw new IllegalArgumentException(where() + ": another thread block of channel " + channel
          + " already has this peer, so that the order of messages would be open");
    }
    blocks.add(new int[] {channel, sendPeer, receivePeer, NONE, NONE, NONE});
    return blocks.size() - 1;
  }

  /**
   * Assigns a thread block to a copy engine that it shares with others.
   *
   * @param copier number of the copy engine, at least 0, small
   * @return the thread block
   */
  public int onCopyEngine(int threadBlock, int copier) {
    blocks.get(threadBlock)[3] = copier;
    return threadBlock;
  }

  /** Adds a step that only sends. */
  public int send(int threadBlock, ChunkRange source) {
    return step(threadBlock, StepKind.SEND, source, null);
  }

  /** Adds a step that stores the data that it receives. */
  public int receive(int threadBlock, ChunkRange target) {
    return step(threadBlock, StepKind.RECEIVE, null, target);
  }

  /** Adds a step that copies. */
  public int copy(int threadBlock, ChunkRange source, ChunkRange target) {
    return step(threadBlock, StepKind.COPY, source, target);
  }

  /**
   * Adds a step at the end of a thread block.
   *
   * @param source that it reads, null where the kind reads nothing
   * @param target that it writes, null where the kind writes nothing
   * @return the step's number, for use with {@link #after}
   * @throws IllegalArgumentException when a range is missing, superfluous or outside its buffer, or the thread block
   * has no peer to send to or receive from
   */
  public int step(int threadBlock, StepKind kind, @Nullable ChunkRange source, @Nullable ChunkRange target) {
    int index = steps.size();
    requireRange(kind, "source", kind.readsSource(), source);
    requireRange(kind, "target", kind.writesTarget(), target);
    if (source != null && target != null && source.count() != target.count()) {
      throw new IllegalArgumentException(where() + ": source and target differ in length: " + source + ", " + target);
    }
    if (kind.sends() && blocks.get(threadBlock)[1] == NONE || kind.receives() && blocks.get(threadBlock)[2] == NONE) {
      throw new IllegalArgumentException(
          where() + ": thread block " + threadBlock + " lacks the peer for a step '" + kind.letters() + "'");
    }
    steps.add(new Draft(index, threadBlock, kind, source, target));
    return index;
  }

  /**
   * Adds a dependency between two steps of the rank.
   *
   * @param step the dependent step
   * @param other the step that must finish first; {@link RankSteps#NONE} for nothing
   * @return the dependent step
   */
  public int after(int step, int other) {
    if (other != NONE) {
      if (other < 0 || other >= steps.size()) {
        throw new IllegalArgumentException(where() + ": there is no step " + other + " to wait for");
      }
      steps.get(step).after.add(other);
    }
    return step;
  }

  /**
   * Sets the memory access of a step's message.
   *
   * @return the step
   * @throws IllegalArgumentException when the step sends nothing
   */
  public int access(int step, MemoryAccess access) {
    Draft draft = steps.get(step);
    if (!draft.kind.sends()) {
      throw new IllegalArgumentException(where() + ": '" + draft.kind.letters() + "' sends nothing");
    }
    draft.access = RankSteps.STATED | access.trafficClass();
    return step;
  }

  /**
   * Sets the memory accesses of a step that sends nothing, to its rank's own memory, for each byte.
   *
   * @param reads 0 to {@value RankSteps#MAX_ACCESSES}
   * @param writes 0 to {@value RankSteps#MAX_ACCESSES}
   * @return the step
   * @throws IllegalArgumentException when the step sends, or there are more
   */
  public int memoryAccess(int step, int reads, int writes) {
    Draft draft = steps.get(step);
    if (draft.kind.sends() || reads < 0 || reads > RankSteps.MAX_ACCESSES || writes < 0
        || writes > RankSteps.MAX_ACCESSES) {
      throw new IllegalArgumentException(
          where() + ": no step '" + draft.kind.letters() + "' reads " + reads + " and writes " + writes + " times");
    }
    draft.access = RankSteps.STATED | writes << RankSteps.WRITE_SHIFT | reads;
    return step;
  }

  /**
   * Coalesces a step with the transfer that a step before it has started, so that it has no startup cost.
   *
   * @return the step
   * @throws IllegalStateException when the step's memory access is not set
   */
  public int coalesced(int step) {
    return flag(step, RankSteps.CONTINUES);
  }

  /**
   * Makes a step's transfer asynchronous: its thread block continues, and the transfer departs one startup time later.
   * Many transfers, each of which waits for its own signal, so start concurrently.
   *
   * @return the step
   * @throws IllegalStateException when the step's memory access is not set
   */
  public int asynchronous(int step) {
    return flag(step, RankSteps.OVERLAPS);
  }

  private int flag(int step, int flag) {
    if (steps.get(step).access == 0) {
      throw new IllegalStateException(where() + ": state first what step " + step + " does to memories");
    }
    steps.get(step).access |= flag;
    return step;
  }

  /** The rank's steps. */
  public RankSteps build() {
    return new RankSteps(this);
  }

  private String where() {
    return "rank " + rank + ", step " + steps.size();
  }

  private static long connection(int channel, int peer) {
    return (long) channel << Integer.SIZE | peer;
  }

  private void requirePeer(int peer) {
    if (peer != NONE && (peer < 0 || peer >= layout.participants() || peer == rank)) {
      throw new IllegalArgumentException(
          where() + ": peer " + peer + " is not another rank of 0 to " + (layout.participants() - 1));
    }
  }

  private void requireRange(StepKind kind, String role, boolean needed, @Nullable ChunkRange range) {
    if (needed != (range != null)) {
      throw new IllegalArgumentException(
          where() + ": a step '" + kind.letters() + "' has " + (needed ? "a " : "no ") + role);
    }
    if (range != null && (long) range.slot() + range.count() > layout.slots(rank, range.buffer())) {
      throw new IllegalArgumentException(where() + ": " + role + " " + range + " is outside its buffer of "
          + layout.slots(rank, range.buffer()) + " chunks");
    }
  }

  static final class Draft {
    final int index;
    final int block;
    private final StepKind kind;
    private final @Nullable ChunkRange source;
    private final @Nullable ChunkRange target;
    final List<Integer> after = new ArrayList<>();
    private int access;

    Draft(int index, int block, StepKind kind, @Nullable ChunkRange source, @Nullable ChunkRange target) {
      this.index = index;
      this.block = block;
      this.kind = kind;
      this.source = source;
      this.target = target;
    }

    void write(int[] fields, int at) {
      fields[at] = kind.ordinal();
      fields[at + 4] = access;
      fields[at + 1] = NONE;
      fields[at + 2] = NONE;
      if (source != null) {
        fields[at] |= source.buffer().ordinal() << 8;
        fields[at + 1] = source.slot();
        fields[at + 3] = source.count();
      }
      if (target != null) {
        fields[at] |= target.buffer().ordinal() << 16;
        fields[at + 2] = target.slot();
        fields[at + 3] = target.count();
      }
    }
  }
}
