package dev.heddle.standard.collective;

import static dev.heddle.collective.ChunkRange.input;
import static dev.heddle.collective.ChunkRange.output;

import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.StepKind;

/** One rank's steps in rings of at least two ranks. */
final class RingSteps {
  private final Layout layout;
  private final int ranks;
  private final int rank;
  private final int channels;
  private final RankStepsBuilder steps;

  RingSteps(Layout layout, int rank, int channels) {
    this.layout = layout;
    this.ranks = layout.ranks();
    this.rank = rank;
    this.channels = channels;
    steps = new RankStepsBuilder(layout, rank);
  }

  /** The steps of all channels. */
  RankSteps steps() {
    int root = layout.collective().root();
    for (int channel = 0; channel < channels; channel++) {
      switch (layout.collective().op()) {
        case ALL_REDUCE -> allReduce(channel);
        case ALL_GATHER -> allGather(channel);
        case REDUCE_SCATTER -> reduceScatter(channel);
        case BROADCAST -> broadcast(channel, Math.floorMod(rank - root, ranks));
        case REDUCE -> reduce(channel, Math.floorMod(rank - root - 1, ranks));
        default -> throw new IllegalStateException("no ring does " + layout.collective());
      }
    }
    return steps.build();
  }

  private int neighbour(int distance) {
    return Math.floorMod(rank + distance, ranks);
  }

  private int ringBlock(int channel) {
    return steps.threadBlock(channel, neighbour(1), neighbour(-1));
  }

  // Chunk p of a channel travels the ring once from rank p, accumulating, and is complete at p - 1; then it travels the
  // ring again.
  private void allReduce(int channel) {
    int block = ringBlock(channel);
    int base = channel * ranks;
    steps.send(block, input(base + rank, 1));
    for (int i = 1; i < ranks - 1; i++) {
      steps.step(block, StepKind.RECEIVE_REDUCE_SEND, input(base + neighbour(-i), 1), null);
    }
    int whole = base + neighbour(1);
    steps.step(block, StepKind.RECEIVE_REDUCE_COPY_SEND, input(whole, 1), output(whole, 1));
    for (int i = 0; i < ranks - 2; i++) {
      steps.step(block, StepKind.RECEIVE_COPY_SEND, null, output(base + neighbour(-i), 1));
    }
    steps.receive(block, output(base + neighbour(2), 1));
  }

  private void allGather(int channel) {
    int block = ringBlock(channel);
    steps.send(block, input(channel, 1));
    steps.copy(block, input(channel, 1), output(rank * channels + channel, 1));
    for (int i = 1; i < ranks - 1; i++) {
      steps.step(block, StepKind.RECEIVE_COPY_SEND, null, output(neighbour(-i) * channels + channel, 1));
    }
    steps.receive(block, output(neighbour(1) * channels + channel, 1));
  }

  private void reduceScatter(int channel) {
    int block = ringBlock(channel);
    steps.send(block, input(neighbour(-1) * channels + channel, 1));
    for (int i = 2; i < ranks; i++) {
      steps.step(block, StepKind.RECEIVE_REDUCE_SEND, input(neighbour(-i) * channels + channel, 1), null);
    }
    steps.step(block, StepKind.RECEIVE_REDUCE_COPY, input(rank * channels + channel, 1), output(channel, 1));
  }

  private void broadcast(int channel, int position) {
    boolean last = position == ranks - 1;
    int block = chain(channel, position);
    int pieces = layout.chunksPerBlock() / channels;
    for (int slot = channel * pieces; slot < (channel + 1) * pieces; slot++) {
      if (position == 0) {
        steps.send(block, input(slot, 1));
      } else if (last) {
        steps.receive(block, output(slot, 1));
      } else {
        steps.step(block, StepKind.RECEIVE_COPY_SEND, null, output(slot, 1));
      }
    }
    if (position == 0) {
      steps.copy(block, input(channel * pieces, pieces), output(channel * pieces, pieces));
    }
  }

  private void reduce(int channel, int position) {
    boolean last = position == ranks - 1;
    int block = chain(channel, position);
    int pieces = layout.chunksPerBlock() / channels;
    for (int slot = channel * pieces; slot < (channel + 1) * pieces; slot++) {
      if (position == 0) {
        steps.send(block, input(slot, 1));
      } else if (last) {
        steps.step(block, StepKind.RECEIVE_REDUCE_COPY, input(slot, 1), output(slot, 1));
      } else {
        steps.step(block, StepKind.RECEIVE_REDUCE_SEND, input(slot, 1), null);
      }
    }
  }

  private int chain(int channel, int position) {
    return steps.threadBlock(
        channel, position == ranks - 1 ? RankSteps.NONE : neighbour(1),
        position == 0 ? RankSteps.NONE : neighbour(-1));
  }
}
