package dev.heddle.collectives.msccl;

import dev.heddle.collective.Buffer;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.ScheduleFormatException;
import dev.heddle.collective.Step;
import dev.heddle.collective.StepKind;
import java.util.Optional;

/**
 * Writes schedules as MSCCL XML. A step of MSCCL depends on at most one other; where ours has several, steps that do
 * nothing come before it. The root of an operation is an attribute of ours. Sizes are not part of the format.
 */
public final class MscclWriter {
  private final Schedule schedule;
  private final StringBuilder text = new StringBuilder();

  private MscclWriter(Schedule schedule) {
    this.schedule = schedule;
  }

  /**
   * The XML of a schedule.
   *
   * @throws ScheduleFormatException when the format has no such operation, or the schedule has aggregators
   */
  public static String write(Schedule schedule) {
    if (schedule.collective().op() == CollectiveOp.ALL_TO_ALL_V) {
      throw new ScheduleFormatException("MSCCL XML has no all_to_all_v, whose pairs differ in size");
    }
    if (schedule.layout().aggregators() > 0) {
      throw new ScheduleFormatException("MSCCL XML has GPUs only, but switches add in " + schedule);
    }
    return new MscclWriter(schedule).algorithm();
  }

  /** MSCCL's name of an operation. */
  static String name(CollectiveOp op) {
    return op == CollectiveOp.REDUCE_SCATTER ? op.key() : op.key().replace("_", "");
  }

  private String algorithm() {
    Layout layout = schedule.layout();
    Collective collective = schedule.collective();
    int root = collective.root();
    int chunks = Math.max(layout.slots(root, Buffer.INPUT), layout.slots(root, Buffer.OUTPUT));
    text.append("<algo name=\"").append(escaped(schedule.name())).append("\" proto=\"")
        .append(schedule.protocol().name().isEmpty() ? "Simple" : escaped(schedule.protocol().name()))
        .append("\" nchannels=\"")
        .append(channels()).append("\" nchunksperloop=\"").append(chunks).append("\" ngpus=\"")
        .append(schedule.ranks()).append("\" coll=\"").append(name(collective.op())).append("\" inplace=\"")
        .append(layout.inPlace() ? 1 : 0).append('"');
    if (collective.op().rooted()) {
      text.append(" root=\"").append(root).append('"');
    }
    text.append(">\n");
    for (int rank = 0; rank < schedule.ranks(); rank++) {
      new OfRank(schedule.steps(rank)).write();
    }
    return text.append("</algo>\n").toString();
  }

  private int channels() {
    int channels = 1;
    for (int rank = 0; rank < schedule.ranks(); rank++) {
      RankSteps steps = schedule.steps(rank);
      for (int block = 0; block < steps.threadBlocks(); block++) {
        channels = Math.max(channels, steps.channel(block) + 1);
      }
    }
    return channels;
  }

  private static String escaped(String value) {
    return value.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }

  private final class OfRank {
    private final RankSteps steps;
    // Of each step: its number within its thread block, after the empty steps before it.
    private final int[] place;
    private final boolean[] awaited;

    OfRank(RankSteps steps) {
      this.steps = steps;
      place = new int[steps.size()];
      awaited = new boolean[steps.size()];
      for (int block = 0; block < steps.threadBlocks(); block++) {
        int next = 0;
        for (int step = steps.firstStep(block); step < steps.endStep(block); step++) {
          next += Math.max(0, steps.dependencies(step) - 1);
          place[step] = next++;
          for (int i = 0; i < steps.dependencies(step); i++) {
            awaited[steps.dependency(step, i)] = true;
          }
        }
      }
    }

    void write() {
      Layout layout = schedule.layout();
      int rank = steps.rank();
      text.append("  <gpu id=\"").append(rank).append("\" i_chunks=\"").append(layout.slots(rank, Buffer.INPUT))
          .append("\" o_chunks=\"").append(layout.slots(rank, Buffer.OUTPUT)).append("\" s_chunks=\"")
          .append(layout.slots(rank, Buffer.SCRATCH)).append("\">\n");
      for (int block = 0; block < steps.threadBlocks(); block++) {
        text.append("    <tb id=\"").append(block).append("\" send=\"").append(steps.sendPeer(block))
            .append("\" recv=\"").append(steps.receivePeer(block)).append("\" chan=\"").append(steps.channel(block))
            .append("\">\n");
        for (int step = steps.firstStep(block); step < steps.endStep(block); step++) {
          step(step);
        }
        text.append("    </tb>\n");
      }
      text.append("  </gpu>\n");
    }

    private void step(int step) {
      int count = steps.dependencies(step);
      for (int i = 0; i < count - 1; i++) {
        line(place[step] - count + 1 + i, new Step(StepKind.NO_OP, Optional.empty(), Optional.empty(),
            steps.step(step).dependencies()), steps.dependency(step, i), false);
      }
      line(place[step], steps.step(step), count == 0 ? RankSteps.NONE : steps.dependency(step, count - 1),
          awaited[step]);
    }

    private void line(int number, Step step, int dependency, boolean hasDependents) {
      text.append("      <step s=\"").append(number).append("\" type=\"").append(step.kind().letters()).append('"');
      range("src", step.source());
      range("dst", step.target());
      int block = dependency == RankSteps.NONE ? RankSteps.NONE : steps.threadBlock(dependency);
      text.append(" cnt=\"").append(step.kind() == StepKind.NO_OP ? 0 : step.chunks()).append("\" depid=\"")
          .append(block).append("\" deps=\"").append(dependency == RankSteps.NONE ? -1 : place[dependency])
          .append("\" hasdep=\"").append(hasDependents ? 1 : 0).append("\"/>\n");
    }

    private void range(String role, Optional<ChunkRange> range) {
      text.append(' ').append(role).append("buf=\"").append(range.map(r -> r.buffer().letter()).orElse("i"))
          .append("\" ").append(role).append("off=\"").append(range.map(ChunkRange::slot).orElse(-1)).append('"');
    }
  }
}
