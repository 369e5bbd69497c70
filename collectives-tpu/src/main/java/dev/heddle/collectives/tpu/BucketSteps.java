package dev.heddle.collectives.tpu;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.StepKind;
import java.util.Arrays;
import java.util.List;

/** One rank's steps of gathers and reductions around the rings of all axes; buffers are in place. */
final class BucketSteps {
  private static final int NONE = RankSteps.NONE;
  private static final boolean[] WAYS = {true, false};

  private final Layout layout;
  private final List<Colour> colours;
  private final int rank;
  private final RankStepsBuilder steps;

  BucketSteps(Layout layout, List<Colour> colours, int rank) {
    this.layout = layout;
    this.colours = colours;
    this.rank = rank;
    steps = new RankStepsBuilder(layout, rank);
  }

  RankSteps steps() {
    CollectiveOp op = layout.collective().op();
    for (int colour = 0; colour < colours.size(); colour++) {
      // Of each owner's chunk, the last step here that wrote or read it.
      int[] last = new int[layout.ranks()];
      Arrays.fill(last, NONE);
      if (op != CollectiveOp.ALL_GATHER) {
        reduce(colour, last);
      }
      if (op != CollectiveOp.REDUCE_SCATTER) {
        gather(colour, last);
      }
    }
    return steps.build();
  }

  private void reduce(int channel, int[] last) {
    Colour colour = colours.get(channel);
    for (int stage = colour.stages() - 1; stage >= 0; stage--) {
      for (boolean forward : WAYS) {
        reduce(channel, stage, forward, last);
      }
    }
  }

  // From the farthest owners one way to the nearest, which the rank is itself, or on whose behalf it goes on.
  private void reduce(int channel, int stage, boolean forward, int[] last) {
    Colour colour = colours.get(channel);
    int reach = colour.reach(stage, forward);
    if (reach == 0) {
      return;
    }
    boolean begins = colour.onward(stage, !forward).get(rank) == NONE;
    int block = block(colour, 2 * channel, stage, forward);
    for (int distance = reach; distance >= 0; distance--) {
      ImmutableIntArray owners = colour.ahead(rank, stage);
      for (int step = 0; step < distance; step++) {
        owners = Colour.moved(owners, colour.onward(stage, forward));
      }
      if (begins && distance == 0) {
        return;
      }
      for (int owner : owners.asList()) {
        ChunkRange sum = sum(owner, channel);
        int step = distance == reach || begins ? steps.send(block, sum)
            : distance > 0 ? steps.step(block, StepKind.RECEIVE_REDUCE_SEND, sum, null)
            : steps.step(block, StepKind.RECEIVE_REDUCE_COPY, sum, sum);
        last[owner] = steps.after(step, last[owner]);
      }
    }
  }

  private void gather(int channel, int[] last) {
    Colour colour = colours.get(channel);
    for (int stage = 0; stage < colour.stages(); stage++) {
      int[] held = last.clone();
      for (boolean forward : WAYS) {
        gather(channel, stage, forward, held, last);
      }
    }
  }

  private void gather(int channel, int stage, boolean forward, int[] held, int[] last) {
    Colour colour = colours.get(channel);
    int reach = colour.reach(stage, forward);
    if (reach == 0) {
      return;
    }
    int block = block(colour, 2 * (colours.size() + channel), stage, forward);
    boolean ends = colour.onward(stage, forward).get(rank) == NONE;
    ImmutableIntArray owners = colour.behind(rank, stage);
    for (int owner : ends ? List.<Integer>of() : owners.asList()) {
      steps.after(steps.send(block, ChunkRange.output(slot(owner, channel), 1)), held[owner]);
    }
    for (int distance = 1; distance <= reach; distance++) {
      owners = Colour.moved(owners, colour.onward(stage, !forward));
      for (int owner : owners.asList()) {
        int step = steps.step(
            block, distance < reach && !ends ? StepKind.RECEIVE_COPY_SEND : StepKind.RECEIVE, null,
            ChunkRange.output(slot(owner, channel), 1));
        last[owner] = steps.after(step, last[owner]);
      }
    }
  }

  private int block(Colour colour, int channel, int stage, boolean forward) {
    return steps.threadBlock(
        channel + (forward ? 0 : 1), colour.onward(stage, forward).get(rank),
        colour.onward(stage, !forward).get(rank));
  }

  private int slot(int owner, int channel) {
    return owner * colours.size() + channel;
  }

  // In place, a contribution becomes the sum: the owner's part of the input is its output.
  private ChunkRange sum(int owner, int channel) {
    return layout.collective().op() == CollectiveOp.REDUCE_SCATTER
        ? ChunkRange.input(slot(owner, channel), 1) : ChunkRange.output(slot(owner, channel), 1);
  }
}
