package dev.heddle.collective;

import com.google.common.primitives.ImmutableIntArray;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * The steps of one rank: concurrent thread blocks, each of which executes its steps in order, sends to at most one peer
 * and receives from at most one, over one channel. Steps are numbered thread block by thread block. The messages from
 * one rank to another over one channel keep their order: the first send matches the first receive.
 */
public final class RankSteps {
  /** The most reads, or writes, of a step that sends nothing. */
  public static final int MAX_ACCESSES = 0x3FF;

  /** The value for no peer, and for no slot. */
  public static final int NONE = -1;

  private static final StepKind[] KINDS = StepKind.values();
  private static final Buffer[] BUFFERS = Buffer.values();
  private static final int BLOCK_FIELDS = 6;
  private static final int STEP_FIELDS = 5;
  static final int STATED = Integer.MIN_VALUE;
  static final int CONTINUES = 1 << 30;
  static final int OVERLAPS = 1 << 29;
  static final int WRITE_SHIFT = 10;

  private final int rank;
  // Per thread block: channel, send peer, receive peer, copy engine, rails of the messages that it sends and receives.
  private final int[] blocks;
  private final int[] firstStep;
  // Per step: kind and buffers packed, source slot, target slot, chunks, memory access: the message's, or reads and,
  // from bit 10, writes.
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

  private RankSteps(RankSteps other, int[] blocks, int[] steps) {
    rank = other.rank;
    this.blocks = blocks;
    firstStep = other.firstStep;
    firstDependency = other.firstDependency;
    dependencies = other.dependencies;
    this.steps = steps;
  }

  /**
   * The same steps where some peers write received data directly to their final buffer: a receive that only stores such
   * data accesses no memory.
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
    return new RankSteps(this, blocks, written);
  }

  /** The same steps whose messages take rails. */
  RankSteps onRails(Schedule.Rails rails) {
    int[] railed = blocks.clone();
    for (int block = 0; block < threadBlocks(); block++) {
      int to = sendPeer(block);
      int from = receivePeer(block);
      railed[block * BLOCK_FIELDS + 4] = to == NONE ? NONE : rails.between(rank, to, channel(block));
      railed[block * BLOCK_FIELDS + 5] = from == NONE ? NONE : rails.between(from, rank, channel(block));
    }
    return new RankSteps(this, railed, steps);
  }

  private static void accumulate(int[] counts) {
    for (int i = 1; i < counts.length; i++) {
      counts[i] += counts[i - 1];
    }
  }

  /** The rank that executes these steps. */
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

  /** The peer to which a thread block sends, or {@link #NONE}. */
  public int sendPeer(int threadBlock) {
    return blocks[threadBlock * BLOCK_FIELDS + 1];
  }

  /** The peer from which a thread block receives, or {@link #NONE}. */
  public int receivePeer(int threadBlock) {
    return blocks[threadBlock * BLOCK_FIELDS + 2];
  }

  /**
   * The copy engine that moves the data of a thread block's steps: thread blocks with the same one share it slice by
   * slice. {@link #NONE} for a dedicated one.
   */
  public int copyEngine(int threadBlock) {
    return blocks[threadBlock * BLOCK_FIELDS + 3];
  }

  /** The rail ({@link MessageLabel#rail}) of the messages that a thread block sends, or {@link #NONE}. */
  public int sendRail(int threadBlock) {
    return blocks[threadBlock * BLOCK_FIELDS + 4];
  }

  /** The rail of the messages that a thread block receives, and of its answers; or {@link #NONE}. */
  public int receiveRail(int threadBlock) {
    return blocks[threadBlock * BLOCK_FIELDS + 5];
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

  /** The kind of a step. */
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

  /** The memory access of a step's message. */
  public MemoryAccess access(int step) {
    return MemoryAccess.ofTrafficClass(kind(step).sends() ? touched(step) & MAX_ACCESSES : 0);
  }

  /** Whether a step's memory access is stated; otherwise its message is a copy, and local data movement is free. */
  public boolean hasMemoryAccess(int step) {
    return touched(step) < 0;
  }

  /** The reads of its rank's own memory for each byte of a step that sends nothing. */
  public int reads(int step) {
    return touched(step) & MAX_ACCESSES;
  }

  /** The writes to its rank's own memory for each byte of a step that sends nothing. */
  public int writes(int step) {
    return touched(step) >>> WRITE_SHIFT & MAX_ACCESSES;
  }

  /** Whether a step belongs to the transfer that a step before it has started. */
  public boolean isCoalesced(int step) {
    return (touched(step) & CONTINUES) != 0;
  }

  /** Whether a step's transfer is asynchronous: its thread block continues while the transfer starts. */
  public boolean isAsynchronous(int step) {
    return (touched(step) & OVERLAPS) != 0;
  }

  private int touched(int step) {
    return steps[step * STEP_FIELDS + 4];
  }

  /** The number of chunks that a step moves; 0 when it only waits. */
  public int chunks(int step) {
    return steps[step * STEP_FIELDS + 3];
  }

  /** The number of explicit dependencies of a step, not counting those before it in its thread block. */
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
