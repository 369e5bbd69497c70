package dev.heddle.collectives.nccl.schedule;

import static dev.heddle.collective.ChunkRange.input;
import static dev.heddle.collective.ChunkRange.output;

import dev.heddle.collective.Buffer;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.StepKind;
import java.util.stream.IntStream;

/**
 * Ring schedules. Every channel has its part of the data and processes it in loops. A loop moves one chunk for each
 * rank (all_reduce), one chunk of every rank's block (all_gather, reduce_scatter), or one chunk along the ring, which
 * is cut at the root (broadcast, reduce).
 *
 * <p>Where a ring leaves a node by the NIC of another rank (PXN), that rank forwards slice by slice through scratch
 * memory, without work of its threads, as the sender writes into that rank's memory and the NIC reads there.
 *
 * <p>NCCL gives all loops but the last the largest chunk; here all loops of a collective have chunks of equal size.
 */
public final class RingSteps {
  // Sizes of chunks, which differ by at most two bytes: blocks by one, and the chunks of a block by one.
  private static final int SIZES = 3;

  private final Rings rings;
  private final Layout layout;
  private final int loops;
  private final int rank;
  private final int ranks;
  private final RankStepsBuilder steps;

  private RingSteps(Rings rings, Layout layout, int loops, int rank) {
    this.rings = rings;
    this.layout = layout;
    this.loops = loops;
    this.rank = rank;
    ranks = layout.ranks();
    steps = new RankStepsBuilder(layout, rank);
  }

  /**
   * Schedules a collective of at least two ranks.
   *
   * @param rings of all channels
   * @param collective an all_reduce, all_gather, reduce_scatter, broadcast or reduce
   * @param loops of each channel, at least 1
   */
  public static Schedule schedule(Rings rings, Collective collective, int loops) {
    int perChannel = collective.op() == CollectiveOp.ALL_REDUCE ? Math.multiplyExact(loops, collective.ranks()) : loops;
    Layout plain = Layout.of(collective, Math.multiplyExact(rings.channels(), perChannel));
    Layout layout = relays(rings, collective.ranks()) ? plain.withScratch(scratch(plain, rings.channels())) : plain;
    return Schedule.planned("Ring", layout, rank -> new RingSteps(rings, layout, loops, rank).steps());
  }

  private static boolean relays(Rings rings, int ranks) {
    return IntStream.range(0, rings.channels()).anyMatch(channel -> IntStream.range(0, ranks)
        .anyMatch(rank -> rings.relay(channel, rank) != rank));
  }

  // A slot for each size of a chunk on each channel. Rank 0 has a buffer with blocks of all sizes.
  private static long[] scratch(Layout plain, int channels) {
    Buffer all = plain.collective().op().reduces() ? Buffer.INPUT : Buffer.OUTPUT;
    int chunks = plain.chunksPerBlock();
    long least = IntStream.range(0, plain.slots(0, all) / chunks)
        .mapToLong(block -> plain.bytes(0, new ChunkRange(all, block * chunks, chunks))).min().orElse(0) / chunks;
    return IntStream.range(0, channels * SIZES).mapToLong(slot -> least + slot % SIZES).toArray();
  }

  private RankSteps steps() {
    for (int channel = 0; channel < rings.channels(); channel++) {
      ringSteps(channel);
    }
    for (int channel = 0; channel < rings.channels(); channel++) {
      int sender = sender(channel);
      if (sender != RankSteps.NONE) {
        forward(channel, sender);
      }
    }
    return steps.build();
  }

  private void ringSteps(int channel) {
    switch (layout.collective().op()) {
      case ALL_REDUCE -> allReduce(channel);
      case ALL_GATHER -> allGather(channel);
      case REDUCE_SCATTER -> reduceScatter(channel);
      case BROADCAST -> chain(channel, layout.collective().root());
      case REDUCE -> chain(channel, rings.behind(channel, layout.collective().root(), -1));
      default -> throw new IllegalStateException("no ring does " + layout.collective());
    }
  }

  // The rank of a channel that sends to the next one through this rank; NONE without any.
  private int sender(int channel) {
    for (int other = 0; other < ranks; other++) {
      if (other != rank && rings.relay(channel, other) == rank) {
        return other;
      }
    }
    return RankSteps.NONE;
  }

  // Forwards all that another rank sends on a channel, in its order.
  private void forward(int channel, int sender) {
    RingSteps sent = new RingSteps(rings, layout, loops, sender);
    sent.ringSteps(channel);
    RankSteps all = sent.steps.build();
    long least = layout.bytes(rank, ChunkRange.scratch(channel * SIZES, 1));
    int block = RankSteps.NONE;
    for (int step = 0; step < all.size(); step++) {
      if (all.kind(step).sends()) {
        block = block == RankSteps.NONE
            ? steps.threadBlock(channel, rings.behind(channel, sender, -1), sender) : block;
        int size = Math.toIntExact(all.bytes(step, layout) - least);
        int passed = steps.step(
            block, StepKind.RECEIVE_COPY_SEND, null, ChunkRange.scratch(channel * SIZES + size, 1));
        steps.asynchronous(steps.access(passed, MemoryAccess.COPY));
      }
    }
  }

  // The rank to which this one sends on a channel: the next, or the one that forwards to it.
  private int to(int channel) {
    int relay = rings.relay(channel, rank);
    return relay == rank ? rings.behind(channel, rank, -1) : relay;
  }

  // The rank from which this one receives on a channel: the one before, or the one that forwards its data.
  private int from(int channel) {
    return rings.relay(channel, rings.behind(channel, rank, 1));
  }

  private int ringBlock(int channel) {
    return steps.threadBlock(channel, to(channel), from(channel));
  }

  // Adds the steps of an all_reduce. A chunk has the number of the ring position at which its sum is complete; the sums
  // then go around the ring once more.
  private void allReduce(int channel) {
    int block = ringBlock(channel);
    int position = rings.position(channel, rank);
    for (int loop = 0; loop < loops; loop++) {
      int base = (channel * loops + loop) * ranks;
      steps.send(block, input(base + Math.floorMod(position - 1, ranks), 1));
      for (int i = 2; i < ranks; i++) {
        steps.step(block, StepKind.RECEIVE_REDUCE_SEND, input(base + Math.floorMod(position - i, ranks), 1), null);
      }
      steps.step(block, StepKind.RECEIVE_REDUCE_COPY_SEND, input(base + position, 1), output(base + position, 1));
      for (int i = 1; i < ranks - 1; i++) {
        steps.step(block, StepKind.RECEIVE_COPY_SEND, null, output(base + Math.floorMod(position - i, ranks), 1));
      }
      steps.receive(block, output(base + (position + 1) % ranks, 1));
    }
  }

  private int slot(int ofRank, int channel, int loop) {
    return (ofRank * rings.channels() + channel) * loops + loop;
  }

  // A thread block that copies a rank's own block; the ring does not wait for it.
  private int copyBlock(int channel) {
    return steps.threadBlock(channel, RankSteps.NONE, RankSteps.NONE);
  }

  private void allGather(int channel) {
    int block = ringBlock(channel);
    int aside = copyBlock(channel);
    for (int loop = 0; loop < loops; loop++) {
      int own = channel * loops + loop;
      steps.send(block, input(own, 1));
      steps.copy(aside, input(own, 1), output(slot(rank, channel, loop), 1));
      for (int i = 1; i < ranks - 1; i++) {
        steps.step(
            block, StepKind.RECEIVE_COPY_SEND, null, output(slot(rings.behind(channel, rank, i), channel, loop), 1));
      }
      steps.receive(block, output(slot(rings.behind(channel, rank, -1), channel, loop), 1));
    }
  }

  private void reduceScatter(int channel) {
    int block = ringBlock(channel);
    for (int loop = 0; loop < loops; loop++) {
      steps.send(block, input(slot(rings.behind(channel, rank, 1), channel, loop), 1));
      for (int i = 2; i < ranks; i++) {
        steps.step(
            block, StepKind.RECEIVE_REDUCE_SEND, input(slot(rings.behind(channel, rank, i), channel, loop), 1), null);
      }
      steps.step(
          block, StepKind.RECEIVE_REDUCE_COPY, input(slot(rank, channel, loop), 1),
          output(channel * loops + loop, 1));
    }
  }

  // Adds the steps of a chain from the first rank of the cut ring to its last.
  private void chain(int channel, int first) {
    int place = Math.floorMod(rings.position(channel, rank) - rings.position(channel, first), ranks);
    boolean last = place == ranks - 1;
    boolean reduces = layout.collective().op() == CollectiveOp.REDUCE;
    int block = steps.threadBlock(
        channel, last ? RankSteps.NONE : to(channel), place == 0 ? RankSteps.NONE : from(channel));
    if (place == 0 && !reduces) {
      steps.copy(copyBlock(channel), input(channel * loops, loops), output(channel * loops, loops));
    }
    for (int slot = channel * loops; slot < (channel + 1) * loops; slot++) {
      if (place == 0) {
        steps.send(block, input(slot, 1));
      } else if (reduces) {
        steps.step(
            block, last ? StepKind.RECEIVE_REDUCE_COPY : StepKind.RECEIVE_REDUCE_SEND, input(slot, 1),
            last ? output(slot, 1) : null);
      } else {
        steps.step(block, last ? StepKind.RECEIVE : StepKind.RECEIVE_COPY_SEND, null, output(slot, 1));
      }
    }
  }
}
