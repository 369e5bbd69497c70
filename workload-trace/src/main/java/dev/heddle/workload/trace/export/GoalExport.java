package dev.heddle.workload.trace.export;

import dev.heddle.collective.Group;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.StepKind;
import dev.heddle.text.WholeFiles;
import dev.heddle.workload.trace.graph.TraceException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes GOAL text. A collective is written as the messages of its schedule, without the slices, windows and costs of
 * the schedule's protocol. A stream is a cpu. Times are whole nanoseconds; the next computation of a stream takes up
 * the remainder of the last.
 */
public final class GoalExport {
  private static final int CPUS = 256;

  /** Tags of collectives are from here on: of each group and channel one. */
  private static final long FIRST_TAG = 1L << 24;

  private static final int CHANNELS = 1 << 10;
  private static final int MOST_GROUPS = 1 << 20;

  private final ExportedJob job;
  private final BufferedWriter out;

  // Of a rank: the labels so far, and the remainder of each stream's time.
  private int labels;
  private Map<Integer, Long> left = new LinkedHashMap<>();

  private GoalExport(ExportedJob job, BufferedWriter out) {
    this.job = job;
    this.out = out;
  }

  /**
   * Writes the file, whole or not at all.
   *
   * @throws TraceException when the workload has operations that GOAL cannot state
   * @throws IOException when the file cannot be written
   */
  public static void write(ExportedJob job, Path file) throws IOException {
    if (job.groups().size() > MOST_GROUPS) {
      throw new TraceException("the workload has " + job.groups().size() + " groups; tags are for " + MOST_GROUPS);
    }
    try (WholeFiles files = new WholeFiles()) {
      try (BufferedWriter out =
          new BufferedWriter(new OutputStreamWriter(files.open(file), StandardCharsets.US_ASCII))) {
        out.write("num_ranks " + job.ranks() + "\n");
        for (int rank = 0; rank < job.ranks(); rank++) {
          out.write("\nrank " + rank + " {\n");
          new GoalExport(job, out).rank(rank);
          out.write("}\n");
        }
      }
      files.commit();
    }
  }

  /** The labels of an operation: those that wait for its predecessors, and the one that ends it. */
  private record Labels(List<Integer> entries, int end) {}

  private void rank(int rank) throws IOException {
    RankOperations operations = job.operations(rank);
    List<Labels> labelled = new ArrayList<>();
    for (int i = 0; i < operations.nodes().size(); i++) {
      Labels own = operation(operations.nodes().get(i), rank);
      for (int before : operations.after().get(i)) {
        for (int entry : own.entries()) {
          requires(entry, labelled.get(before).end());
        }
      }
      labelled.add(own);
    }
  }

  private Labels operation(OperationNode node, int rank) throws IOException {
    String cpu = cpu(node.stream());
    switch (node.kind()) {
      case COMPUTE :
        return single("calc " + nanoseconds(node) + cpu);
      case SEND :
        return single("send " + node.amount() + "b to " + node.peer() + " tag " + node.number() + cpu);
      case RECEIVE :
        return single("recv 0b from " + node.peer() + " tag " + node.number() + cpu);
      default :
        Group group = job.groups().get(node.number());
        return group.size() == 1 ? single("calc 0" + cpu) : collective(node, group, rank);
    }
  }

  private static String cpu(int stream) {
    return stream % CPUS == 0 ? "" : " cpu " + stream % CPUS;
  }

  private long nanoseconds(OperationNode node) {
    long ps = node.amount() + left.getOrDefault(node.stream(), 0L);
    long rounded = (ps + 500) / 1000;
    left.put(node.stream(), ps - 1000 * rounded);
    return rounded;
  }

  private Labels single(String text) throws IOException {
    int label = line(text);
    return new Labels(List.of(label), label);
  }

  private int line(String text) throws IOException {
    out.write("l" + ++labels + ": " + text + "\n");
    return labels;
  }

  private void requires(int label, int before) throws IOException {
    out.write("l" + label + " requires l" + before + "\n");
  }

  private Labels collective(OperationNode node, Group group, int rank) throws IOException {
    Schedule schedule = job.schedule(node);
    int position = 0;
    while (group.member(position) != rank) {
      position++;
    }
    RankSteps steps = schedule.steps(position);
    int[] first = new int[steps.size()];
    int[] last = new int[steps.size()];
    List<Integer> entries = new ArrayList<>();
    List<Integer> ends = new ArrayList<>();
    for (int block = 0; block < steps.threadBlocks(); block++) {
      for (int step = steps.firstStep(block); step < steps.endStep(block); step++) {
        first[step] = labels + 1;
        step(node, schedule, steps, step);
        last[step] = labels;
        if (step == steps.firstStep(block)) {
          entries.add(first[step]);
        } else {
          requires(first[step], last[step - 1]);
        }
      }
      if (steps.endStep(block) > steps.firstStep(block)) {
        ends.add(last[steps.endStep(block) - 1]);
      }
    }
    for (int step = 0; step < steps.size(); step++) {
      for (int i = 0; i < steps.dependencies(step); i++) {
        requires(first[step], last[steps.dependency(step, i)]);
      }
    }
    int end = line("calc 0" + cpu(node.stream()));
    for (int before : ends) {
      requires(end, before);
    }
    if (ends.isEmpty()) {
      entries.add(end);
    }
    return new Labels(entries, end);
  }

  private void step(OperationNode node, Schedule schedule, RankSteps steps, int step) throws IOException {
    Group group = job.groups().get(node.number());
    int block = steps.threadBlock(step);
    StepKind kind = steps.kind(step);
    long bytes = steps.bytes(step, schedule.layout());
    if (steps.channel(block) >= CHANNELS) {
      throw new TraceException(schedule + " has more than " + CHANNELS + " channels");
    }
    String tag = " tag " + (FIRST_TAG + (long) node.number() * CHANNELS + steps.channel(block)) + cpu(node.stream());
    if (kind.receives()) {
      line("recv " + bytes + "b from " + group.member(steps.receivePeer(block)) + tag);
    }
    if (kind.sends()) {
      line("send " + bytes + "b to " + group.member(steps.sendPeer(block)) + tag);
      if (kind.receives()) {
        requires(labels, labels - 1);
      }
    }
    if (!kind.receives() && !kind.sends()) {
      line("calc 0" + cpu(node.stream()));
    }
  }
}
