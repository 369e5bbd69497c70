package dev.heddle.workload.trace.export;

import dev.heddle.collective.RankSteps;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.StepKind;

/**
 * Writes schedules as GOAL text [Hoefler, Siebert, Lumsdaine 2009], which LogGOPSim and its kin simulate. The tag of a
 * message is its channel. A step waits until its predecessor in its thread block is done, or, where that sends, has
 * begun: a message is handed over, not awaited. Local work is a {@code calc} of no time, as a schedule does not state
 * the speed of a rank.
 */
public final class GoalWriter {
  private final Schedule schedule;
  private final StringBuilder text = new StringBuilder();
  private int labels;

  private GoalWriter(Schedule schedule) {
    this.schedule = schedule;
  }

  /** The GOAL text of a schedule. */
  public static String write(Schedule schedule) {
    GoalWriter writer = new GoalWriter(schedule);
    writer.text.append("num_ranks ").append(schedule.participants()).append('\n');
    for (int rank = 0; rank < schedule.participants(); rank++) {
      writer.text.append("\nrank ").append(rank).append(" {\n");
      writer.rank(schedule.steps(rank));
      writer.text.append("}\n");
    }
    return writer.text.toString();
  }

  private void rank(RankSteps steps) {
    labels = 0;
    int[] last = new int[steps.size()];
    int[] first = new int[steps.size()];
    for (int block = 0; block < steps.threadBlocks(); block++) {
      for (int step = steps.firstStep(block); step < steps.endStep(block); step++) {
        first[step] = labels + 1;
        operations(steps, block, step);
        last[step] = labels;
        if (step > steps.firstStep(block)) {
          order(steps, step - 1, first[step], last[step - 1]);
        }
      }
    }
    for (int step = 0; step < steps.size(); step++) {
      for (int i = 0; i < steps.dependencies(step); i++) {
        order(steps, steps.dependency(step, i), first[step], last[steps.dependency(step, i)]);
      }
    }
  }

  private void order(RankSteps steps, int before, int label, int labelBefore) {
    text.append('l').append(label).append(steps.kind(before).sends() ? " irequires l" : " requires l")
        .append(labelBefore).append('\n');
  }

  private void operations(RankSteps steps, int block, int step) {
    StepKind kind = steps.kind(step);
    long bytes = steps.bytes(step, schedule.layout());
    String tag = " tag " + steps.channel(block);
    if (kind.receives()) {
      line("recv " + bytes + "b from " + steps.receivePeer(block) + tag);
    }
    if (!kind.receives() && !kind.sends()) {
      line("calc 0");
    }
    if (kind.sends()) {
      line("send " + bytes + "b to " + steps.sendPeer(block) + tag);
      if (kind.receives()) {
        text.append('l').append(labels).append(" requires l").append(labels - 1).append('\n');
      }
    }
  }

  private void line(String operation) {
    text.append('l').append(++labels).append(": ").append(operation).append('\n');
  }
}
