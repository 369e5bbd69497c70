package dev.heddle.collective;

import com.google.common.primitives.ImmutableIntArray;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntPredicate;

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
  static final int STATED = Integer.MIN_VALUE;
  static final int CONTINUES = 1 << 30;
  static final int OVERLAPS = 1 << 29;
  static final int WRITE_SHIFT = 10;

  private final int rank;
  // Per thread block: channel, send peer, receive peer, copier.
  private final int[] blocks;
  private final int[] firstStep;
  // Per step: kind and buffers packed, source slot, target slot, chunks, what it does to memories: the message's access,
  // or reads and, from bit 10, writes.
  private final int[] steps;
  private final int[] firstDependency;
  private final int[] dependencies;

  RankSteps(RankStepsBuilder builder) {
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
    for (RankStepsBuilder.Draft step : builder.steps) {
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
}
