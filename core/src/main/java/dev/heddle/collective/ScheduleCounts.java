package dev.heddle.collective;

import java.util.Arrays;

/** Counts of a schedule: steps, messages and bytes per rank, bytes per pair of ranks. */
public final class ScheduleCounts {
  private final int ranks;
  private final int[] steps;
  private final int[] messages;
  private final long[] pairBytes;
  private final long[] reducedBytes;
  private int channels;
  private int threadBlocks;

  private ScheduleCounts(int ranks) {
    this.ranks = ranks;
    steps = new int[ranks];
    messages = new int[ranks];
    pairBytes = new long[ranks * ranks];
    reducedBytes = new long[ranks];
  }

  /** Counts a schedule; memory grows with the square of the ranks. */
  public static ScheduleCounts of(Schedule schedule) {
    ScheduleCounts counts = new ScheduleCounts(schedule.participants());
    for (int rank = 0; rank < schedule.participants(); rank++) {
      counts.add(schedule.steps(rank), schedule.layout());
    }
    return counts;
  }

  private void add(RankSteps rank, Layout layout) {
    steps[rank.rank()] = rank.size();
    threadBlocks += rank.threadBlocks();
    for (int block = 0; block < rank.threadBlocks(); block++) {
      channels = Math.max(channels, rank.channel(block) + 1);
      for (int step = rank.firstStep(block); step < rank.endStep(block); step++) {
        long bytes = rank.bytes(step, layout);
        if (rank.kind(step).sends()) {
          messages[rank.rank()]++;
          pairBytes[rank.rank() * ranks + rank.sendPeer(block)] += bytes;
        }
        if (rank.kind(step).reduces()) {
          reducedBytes[rank.rank()] += bytes;
        }
      }
    }
  }

  /** The number of ranks and aggregators. */
  public int ranks() {
    return ranks;
  }

  /** The number of channels. */
  public int channels() {
    return channels;
  }

  /** The thread blocks of all ranks. */
  public int threadBlocks() {
    return threadBlocks;
  }

  /** The steps of a rank. */
  public int steps(int rank) {
    return steps[rank];
  }

  /** The steps of all ranks. */
  public long steps() {
    return Arrays.stream(steps).asLongStream().sum();
  }

  /** The messages that a rank sends. */
  public int messages(int rank) {
    return messages[rank];
  }

  /** The messages that all ranks send. */
  public long messages() {
    return Arrays.stream(messages).asLongStream().sum();
  }

  /** The bytes that one rank sends to another. */
  public long bytes(int from, int to) {
    return pairBytes[from * ranks + to];
  }

  /** The bytes that a rank sends. */
  public long bytesSent(int rank) {
    return Arrays.stream(pairBytes, rank * ranks, (rank + 1) * ranks).sum();
  }

  /** The bytes that all ranks send. */
  public long bytesSent() {
    return Arrays.stream(pairBytes).sum();
  }

  /** The bytes that a rank adds to others. */
  public long bytesReduced(int rank) {
    return reducedBytes[rank];
  }
}
