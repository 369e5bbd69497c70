package dev.heddle.collective;

import com.google.common.primitives.ImmutableIntArray;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What one rank does: thread blocks that run side by side, each of which does its steps in order, sends to at most one
 * peer and receives from at most one, over one channel. Steps are numbered thread block by thread block. The messages
 * from one rank to another over one channel keep their order: the first send meets the first receive.
 */
public final class RankSteps {
  /** The most reads, or writes, of a step that sends nothing. */
  public static final int MOST_TOUCHES = 0x3FF;

  /** Stands for no peer, and for no slot. */
  public static final int NONE = -1;

  private static final StepKind[] KINDS = StepKind.values();
  private static final Buffer[] BUFFERS = Buffer.values();
  private static final int BLOCK_FIELDS = 4;
  private static final int STEP_FIELDS = 5;
  private static final int STATED = Integer.MIN_VALUE;
  private static final int CONTINUES = 1 << 30;
  private static final int OVERLAPS = 1 << 29;
  private static final int WRITE_SHIFT = 10;

  private final int rank;
  // Per thread block: channel, send peer, receive peer, copier.
  private final int[] blocks;
  private final int[] firstStep;
  // Per step: kind and buffers packed, source slot, target slot, chunks, what it does to memories: the message's access,
  // or reads and, from bit 10, writes.
  private final int[] steps;
  private final int[] firstDependency;
  private final int[] dependencies;

  private RankSteps(Builder builder) {
    rank = builder.rank;
    int count = builder.steps.size();
    blocks = new int[builder.blocks.size() * BLOCK_FIELDS];
    firstStep = new int[builder.blocks.size() + 1];
    for (int i = 0; i < builder.blocks.size(); i++) {
      System.arraycopy(builder.blocks.get(i), 0, blocks, i * BLOCK_FIELDS, BLOCK_FIELDS);
    }
    builder.steps.forEach(step -> firstStep[step.block + 1]++);
    accumulate(firstStep);
    int[] place = new int[count];
    int[] next = firstStep.clone();
    for (int i = 0; i < count; i++) {
      place[i] = next[builder.steps.get(i).block]++;
    }
    steps = new int[count * STEP_FIELDS];
    firstDependency = new int[count + 1];
    builder.steps.forEach(step -> firstDependency[place[step.index] + 1] = step.after.size());
    accumulate(firstDependency);
    dependencies = new int[firstDependency[count]];
    for (Builder.Draft step : builder.steps) {
      int at = place[step.index];
      step.write(steps, at * STEP_FIELDS);
      for (int i = 0; i < step.after.size(); i++) {
        dependencies[firstDependency[at] + i] = place[step.after.get(i)];
      }
    }
  }

  private RankSteps(RankSteps other, int[] steps) {
    rank = other.rank;
    blocks = other.blocks;
    firstStep = other.firstStep;
    firstDependency = other.firstDependency;
    dependencies = other.dependencies;
    this.steps = steps;
  }

  /**
   * The same, but that what comes from some peers and is only kept comes to where it belongs: its receipt touches nothing.
   *
   * @param peer whether a peer writes there
   */
  RankSteps writtenBy(IntPredicate peer) {
    int[] written = steps.clone();
    for (int block = 0; block < threadBlocks(); block++) {
      boolean inPlace = receivePeer(block) != NONE && peer.test(receivePeer(block));
      for (int step = firstStep(block); step < endStep(block) && inPlace; step++) {
        if (kind(step) == StepKind.RECEIVE) {
          written[step * STEP_FIELDS + 4] = STATED;
        }
      }
    }
    return new RankSteps(this, written);
  }

  private static void accumulate(int[] counts) {
    for (int i = 1; i < counts.length; i++) {
      counts[i] += counts[i - 1];
    }
  }

  /** Whose steps these are. */
  public int rank() {
    return rank;
  }

  /** The number of thread blocks. */
  public int threadBlocks() {
    return firstStep.length - 1;
  }

  /** The number of steps of all thread blocks. */
  public int size() {
    return firstDependency.length - 1;
  }

  /** The channel of a thread block. */
  public int channel(int threadBlock) {
    return blocks[threadBlock * BLOCK_FIELDS];
  }

  /** Where a thread block sends to, or {@link #NONE}. */
  public int sendPeer(int threadBlock) {
    return blocks[threadBlock * BLOCK_FIELDS + 1];
  }

  /** Where a thread block receives from, or {@link #NONE}. */
  public int receivePeer(int threadBlock) {
    return blocks[threadBlock * BLOCK_FIELDS + 2];
  }

  /**
   * What moves the data of a thread block's steps: thread blocks with the same one take turns, slice by slice.
   * {@link #NONE} for one of its own.
   */
  public int copier(int threadBlock) {
    return blocks[threadBlock * BLOCK_FIELDS + 3];
  }

  /** The first step of a thread block; that of the next is its end. */
  public int firstStep(int threadBlock) {
    return firstStep[threadBlock];
  }

  /** The end of a thread block's steps. */
  public int endStep(int threadBlock) {
    return firstStep[threadBlock + 1];
  }

  /** The thread block of a step. */
  public int threadBlock(int step) {
    int found = Arrays.binarySearch(firstStep, step);
    int block = found < 0 ? -found - 2 : found;
    while (firstStep[block + 1] == step) {
      block++;
    }
    return block;
  }

  /** What a step does. */
  public StepKind kind(int step) {
    return KINDS[steps[step * STEP_FIELDS] & 0xFF];
  }

  /** The buffer that a step reads, where it does. */
  public Buffer sourceBuffer(int step) {
    return BUFFERS[steps[step * STEP_FIELDS] >> 8 & 0xFF];
  }

  /** The buffer that a step writes, where it does. */
  public Buffer targetBuffer(int step) {
    return BUFFERS[steps[step * STEP_FIELDS] >> 16 & 0xFF];
  }

  /** The first chunk that a step reads, or {@link #NONE}. */
  public int sourceSlot(int step) {
    return steps[step * STEP_FIELDS + 1];
  }

  /** The first chunk that a step writes, or {@link #NONE}. */
  public int targetSlot(int step) {
    return steps[step * STEP_FIELDS + 2];
  }

  /** What a step's message does to the memories at its ends. */
  public MemoryAccess access(int step) {
    return MemoryAccess.ofTrafficClass(kind(step).sends() ? touched(step) & MOST_TOUCHES : 0);
  }

  /** Whether it is stated what a step does to memories; otherwise its message is a copy, and what stays is free. */
  public boolean statesAccess(int step) {
    return touched(step) < 0;
  }

  /** How often a step that sends nothing reads its rank's own memory for each byte. */
  public int reads(int step) {
    return touched(step) & MOST_TOUCHES;
  }

  /** How often a step that sends nothing writes its rank's own memory for each byte. */
  public int writes(int step) {
    return touched(step) >>> WRITE_SHIFT & MOST_TOUCHES;
  }

  /** Whether a step is part of the transfer that a step before it has begun. */
  public boolean continues(int step) {
    return (touched(step) & CONTINUES) != 0;
  }

  /** Whether a step's transfer starts while its thread block goes on. */
  public boolean overlaps(int step) {
    return (touched(step) & OVERLAPS) != 0;
  }

  private int touched(int step) {
    return steps[step * STEP_FIELDS + 4];
  }

  /** How many chunks a step moves; 0 when it only waits. */
  public int chunks(int step) {
    return steps[step * STEP_FIELDS + 3];
  }

  /** The number of steps that a step depends on, besides those before it in its thread block. */
  public int dependencies(int step) {
    return firstDependency[step + 1] - firstDependency[step];
  }

  /** A step that a step depends on. */
  public int dependency(int step, int index) {
    return dependencies[firstDependency[step] + index];
  }

  /** The bytes that a step moves, according to a layout. */
  public long bytes(int step, Layout layout) {
    if (kind(step) == StepKind.NO_OP) {
      return 0;
    }
    boolean bySource = kind(step).readsSource();
    Buffer buffer = bySource ? sourceBuffer(step) : targetBuffer(step);
    int slot = bySource ? sourceSlot(step) : targetSlot(step);
    return layout.start(rank, buffer, slot + chunks(step)) - layout.start(rank, buffer, slot);
  }

  /** A step as a value. */
  public Step step(int step) {
    Optional<ChunkRange> source = kind(step).readsSource()
        ? Optional.of(new ChunkRange(sourceBuffer(step), sourceSlot(step), chunks(step))) : Optional.empty();
    Optional<ChunkRange> target = kind(step).writesTarget()
        ? Optional.of(new ChunkRange(targetBuffer(step), targetSlot(step), chunks(step))) : Optional.empty();
    return new Step(kind(step), source, target,
        ImmutableIntArray.copyOf(Arrays.copyOfRange(dependencies, firstDependency[step], firstDependency[step + 1])));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RankSteps that && rank == that.rank && Arrays.equals(blocks, that.blocks)
        && Arrays.equals(firstStep, that.firstStep) && Arrays.equals(steps, that.steps)
        && Arrays.equals(firstDependency, that.firstDependency) && Arrays.equals(dependencies, that.dependencies);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(steps) + Arrays.hashCode(blocks);
  }

  /** Lists the thread blocks and their steps, a line each. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int block = 0; block < threadBlocks(); block++) {
      text.append("rank ").append(rank).append(" thread block ").append(block).append(" channel ")
          .append(channel(block));
      if (sendPeer(block) != NONE) {
        text.append(" to ").append(sendPeer(block));
      }
      if (receivePeer(block) != NONE) {
        text.append(" from ").append(receivePeer(block));
      }
      text.append('\n');
      for (int step = firstStep(block); step < endStep(block); step++) {
        text.append("  ").append(step).append(": ").append(step(step)).append('\n');
      }
    }
    return text.toString();
  }

  /** Collects the steps of one rank. Steps carry numbers in the order in which they are added, until built. */
  public static final class Builder {
    private final Layout layout;
    private final int rank;
    private final List<int[]> blocks = new ArrayList<>();
    private final List<Draft> steps = new ArrayList<>();

    /** Starts with nothing. */
    public Builder(Layout layout, int rank) {
      this.layout = layout;
      this.rank = rank;
    }

    /**
     * Adds a thread block.
     *
     * @param channel from 0
     * @param sendPeer where it sends to, or {@link RankSteps#NONE}
     * @param receivePeer where it receives from, or {@link RankSteps#NONE}
     * @return its number
     * @throws IllegalArgumentException when a peer is the rank itself or none of the collective's, or another thread
     *     block has the same channel to or from the same peer
     */
    public int threadBlock(int channel, int sendPeer, int receivePeer) {
      if (channel < 0) {
        throw new IllegalArgumentException(where() + ": a channel is at least 0: " + channel);
      }
      requirePeer(sendPeer);
      requirePeer(receivePeer);
      for (int[] other : blocks) {
        if (other[0] == channel && (sendPeer != NONE && other[1] == sendPeer
            || receivePeer != NONE && other[2] == receivePeer)) {
          throw new IllegalArgumentException(where() + ": another thread block of channel " + channel
              + " already has this peer, so that the order of messages would be open");
        }
      }
      blocks.add(new int[] {channel, sendPeer, receivePeer, NONE});
      return blocks.size() - 1;
    }

    /**
     * Lets a thread block share with others what moves their data.
     *
     * @param copier number of what they share, at least 0, small
     * @return the thread block
     */
    public int copyingBy(int threadBlock, int copier) {
      blocks.get(threadBlock)[3] = copier;
      return threadBlock;
    }

    /** Adds a step that only sends. */
    public int send(int threadBlock, ChunkRange source) {
      return step(threadBlock, StepKind.SEND, source, null);
    }

    /** Adds a step that writes what it receives. */
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
     * @param source what it reads, null where the kind reads nothing
     * @param target what it writes, null where the kind writes nothing
     * @return the number by which {@link #after} knows it
     * @throws IllegalArgumentException when a range is missing, too much or outside its buffer, or the thread block has
     *     no peer to send to or receive from
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
     * Lets a step wait for another of the same rank.
     *
     * @param step the one that waits
     * @param other the one that must be done first; {@link RankSteps#NONE} for nothing
     * @return the one that waits
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
     * States what a step's message does to the memories at its ends.
     *
     * @return the step
     * @throws IllegalArgumentException when the step sends nothing
     */
    public int access(int step, MemoryAccess access) {
      Draft draft = steps.get(step);
      if (!draft.kind.sends()) {
        throw new IllegalArgumentException(where() + ": '" + draft.kind.letters() + "' sends nothing");
      }
      draft.access = STATED | access.trafficClass();
      return step;
    }

    /**
     * States how often a step that sends nothing touches its rank's own memory for each byte.
     *
     * @param reads 0 to {@value RankSteps#MOST_TOUCHES}
     * @param writes 0 to {@value RankSteps#MOST_TOUCHES}
     * @return the step
     * @throws IllegalArgumentException when the step sends, or there are more
     */
    public int touches(int step, int reads, int writes) {
      Draft draft = steps.get(step);
      if (draft.kind.sends() || reads < 0 || reads > MOST_TOUCHES || writes < 0
          || writes > MOST_TOUCHES) {
        throw new IllegalArgumentException(
            where() + ": no step '" + draft.kind.letters() + "' reads " + reads + " and writes " + writes + " times");
      }
      draft.access = STATED | writes << WRITE_SHIFT | reads;
      return step;
    }

    /**
     * Makes a step part of the transfer that a step before it has begun, so that it costs no start of its own.
     *
     * @return the step
     * @throws IllegalStateException when it is not stated what the step does to memories
     */
    public int continuing(int step) {
      return flag(step, CONTINUES);
    }

    /**
     * Lets a step's transfer start while its thread block goes on: it leaves as much later as a start takes, so that many
     * transfers, each of which waits for a signal of its own, start side by side.
     *
     * @return the step
     * @throws IllegalStateException when it is not stated what the step does to memories
     */
    public int overlapping(int step) {
      return flag(step, OVERLAPS);
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

    private static final class Draft {
      private final int index;
      private final int block;
      private final StepKind kind;
      private final @Nullable ChunkRange source;
      private final @Nullable ChunkRange target;
      private final List<Integer> after = new ArrayList<>();
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
}
