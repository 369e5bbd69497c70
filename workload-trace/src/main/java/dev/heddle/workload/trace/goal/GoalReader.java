package dev.heddle.workload.trace.goal;

import dev.heddle.text.LineReader;
import dev.heddle.workload.trace.graph.Messages;
import dev.heddle.workload.trace.graph.OperationGraph;
import dev.heddle.workload.trace.graph.TraceException;
import dev.heddle.workload.trace.graph.WaitCircle;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads GOAL text [Hoefler, Siebert, Lumsdaine 2009] in the grammar of LogGOPSim: a block per rank, operations that may
 * have labels, and requirements between labels; and the one-sided operations put, append and test of LogGOPSim 2.
 */
final class GoalReader {
  private static final int ANY = GoalRank.ANY;
  private static final long MOST_NANOSECONDS = OperationGraph.MOST_PS / 1000;

  private final String file;
  private final long overheadPs;
  private final long limit;
  private final GoalLine line;
  private final Messages messages = new Messages();
  private final OneSided oneSided = new OneSided();
  private final List<RankBlock> blocks = new ArrayList<>();
  private long operations;

  /**
   * Reads from a stream.
   *
   * @param file its name, for messages
   * @param in its bytes; the caller closes it
   * @param overheadPs that a processor spends on each message sent and each received
   * @param limit the most operations of the file
   */
  GoalReader(String file, InputStream in, long overheadPs, long limit) {
    this.file = file;
    this.overheadPs = overheadPs;
    this.limit = limit;
    line = new GoalLine(new LineReader(file, in, TraceException::new));
  }

  /** The operations of a rank, and the line of each. */
  private static final class RankBlock {
    private final GoalRank operations;
    private int[] lines = new int[16];

    RankBlock(GoalRank operations) {
      this.operations = operations;
    }

    int at(int number, long line) {
      if (number == lines.length) {
        lines = Arrays.copyOf(lines, 2 * number);
      }
      lines[number] = (int) Math.min(line, Integer.MAX_VALUE);
      return number;
    }

    int lineOf(int node) {
      return lines[operations.number(node)];
    }
  }

  private record Requirement(String after, String before, boolean start, long line) {}

  /** The graph of each rank. */
  List<OperationGraph> read() {
    if (!line.next()) {
      throw line.fail("is empty; GOAL text begins with num_ranks");
    }
    line.expect("num_ranks");
    int ranks = (int) line.number("the number of ranks", 1, Messages.MOST_RANKS);
    line.end();
    while (line.next()) {
      block(ranks);
    }
    if (blocks.size() < ranks) {
      throw line.fail("the file ends after " + blocks.size() + " of " + ranks + " ranks");
    }
    try {
      messages.check();
      oneSided.check();
    } catch (TraceException e) {
      throw new TraceException(file + ": " + e.getMessage());
    }
    List<OperationGraph> graphs = new ArrayList<>();
    for (RankBlock block : blocks) {
      graphs.add(block.operations.graph().build(node -> file + ":" + block.lineOf(node) + ": the operation"));
    }
    if (blocks.stream().noneMatch(block -> block.operations.byArrival())) {
      WaitCircle.refuse(graphs, List.of(), (rank, node) -> file + ":" + blocks.get(rank).lineOf(node));
    }
    return graphs;
  }

  private void block(int ranks) {
    int rank = blocks.size();
    if (rank == ranks) {
      throw line.fail("here must be the end of the file: all " + ranks + " ranks were there");
    }
    line.expect("rank");
    line.number("the rank, as ranks come in order,", rank, rank);
    line.expect("{");
    line.end();
    RankBlock block = new RankBlock(new GoalRank(rank, overheadPs, messages, oneSided));
    blocks.add(block);
    Map<String, Integer> labels = new LinkedHashMap<>();
    List<Requirement> requirements = new ArrayList<>();
    while (true) {
      if (!line.next()) {
        throw line.fail("the file ends within rank " + rank);
      }
      if (line.takeIf("}")) {
        line.end();
        break;
      }
      statement(rank, ranks, labels, requirements);
    }
    requirements.forEach(each -> require(block, labels, each));
  }

  private void statement(int rank, int ranks, Map<String, Integer> labels, List<Requirement> requirements) {
    String second = line.peekSecond();
    if (second.equals("requires") || second.equals("irequires")) {
      String after = line.take("a label");
      line.take("requires");
      requirements.add(new Requirement(after, line.take("a label"), second.equals("irequires"), line.line()));
      line.end();
      return;
    }
    String label = "";
    if (second.equals(":")) {
      label = line.take("a label");
      line.expect(":");
      if (!label.matches("[A-Za-z][A-Za-z0-9_]*")) {
        throw line
            .fail("'" + LineReader.shown(label) + "' is no label: a letter, then letters, digits and underscores");
      }
    }
    if (++operations > limit) {
      throw line.fail("there are more than " + limit + " operations; the setting limit allows more");
    }
    int number = blocks.get(rank).at(operation(rank, ranks), line.line());
    if (!label.isEmpty() && labels.put(label, number) != null) {
      throw line.fail("the label " + LineReader.shown(label) + " stands twice in rank " + rank);
    }
  }

  private void require(RankBlock block, Map<String, Integer> labels, Requirement requirement) {
    int after = labelled(labels, requirement.after(), requirement.line());
    int before = labelled(labels, requirement.before(), requirement.line());
    block.operations.require(after, before, requirement.start());
  }

  private int labelled(Map<String, Integer> labels, String label, long at) {
    Integer number = labels.get(label);
    if (number == null) {
      throw new TraceException(file + ":" + at + ": no operation of this rank has the label "
          + LineReader.shown(label));
    }
    return number;
  }

  private int operation(int rank, int ranks) {
    String what = line.take("send, recv or calc");
    return switch (what) {
      case "calc" -> calc(rank);
      case "send" -> send(rank, ranks, false);
      case "recv" -> receive(rank, ranks);
      case "put" -> send(rank, ranks, true);
      case "append" -> append(rank, ranks);
      case "test" -> test(rank);
      case "get", "tput", "tget", "tappend", "calcgem5" ->
        throw line.fail("'" + what + "' is not read; of LogGOPSim 2's one-sided operations put, append and test are");
      default -> throw line.fail("here must be send, recv or calc, but is '" + LineReader.shown(what) + "'");
    };
  }

  private int calc(int rank) {
    long nanoseconds = line.number("the time in nanoseconds", 0, MOST_NANOSECONDS);
    int cpu = option("cpu", 0, 0, 255);
    line.end();
    return operations(rank).calc(nanoseconds, cpu);
  }

  private GoalRank operations(int rank) {
    return blocks.get(rank).operations;
  }

  private int send(int rank, int ranks, boolean put) {
    long bytes = line.bytes();
    for (int i = 1; put && i <= 4; i++) {
      if (line.takeIf("arg" + i)) {
        line.number("an argument of handlers", 0, Long.MAX_VALUE);
      }
    }
    line.expect("to");
    int peer = (int) line.number("the receiver", 0, ranks - 1L);
    int counter = put ? counter() : GoalRank.NO_COUNTER;
    long tag = tag();
    int cpu = processor();
    if (peer == rank) {
      throw line.fail("rank " + rank + " sends to itself");
    }
    if (tag == ANY) {
      throw line.fail("a message has a tag of its own; -1 is for receivers");
    }
    return put ? operations(rank).put(peer, bytes, tag, cpu, counter, file + ":" + line.line())
        : operations(rank).send(peer, bytes, tag, cpu);
  }

  private int receive(int rank, int ranks) {
    line.bytes();
    line.expect("from");
    int peer = (int) line.number("the sender", ANY, ranks - 1L);
    long tag = tag();
    int cpu = processor();
    if (peer == rank) {
      throw line.fail("rank " + rank + " receives from itself");
    }
    return operations(rank).receive(peer, tag, cpu);
  }

  private int append(int rank, int ranks) {
    line.bytes();
    line.expect("to");
    boolean overflow = line.takeIf("overflow_list");
    if (!overflow) {
      line.expect("priority_list");
    }
    if (!line.takeIf("allowed")) {
      throw line.fail("here must be 'allowed', but is '" + LineReader.shown(line.peek())
          + "'; handlers of packets are not simulated");
    }
    int peer = (int) line.number("the rank whose puts are allowed", ANY, ranks - 1L);
    int counter = counter();
    boolean once = line.takeIf("use_once");
    long tag = tag();
    int cpu = processor();
    return operations(rank).append(peer, tag, cpu, counter, new GoalRank.EntryKind(overflow, once));
  }

  private int test(int rank) {
    int counter = (int) line.number("the counter", 0, GoalRank.MOST_COUNTERS - 1);
    line.expect("for");
    long value = line.number("the value of the counter", 0, Long.MAX_VALUE);
    int cpu = option("cpu", 0, 0, 255);
    line.end();
    return operations(rank).test(counter, value, cpu);
  }

  private int counter() {
    return option("ct", GoalRank.NO_COUNTER, 0, GoalRank.MOST_COUNTERS - 1);
  }

  private long tag() {
    return line.takeIf("tag") ? line.number("the tag", ANY, (1L << 32) - 1) : 0;
  }

  private int processor() {
    int cpu = option("cpu", 0, 0, 255);
    option("nic", 0, 0, 255);
    line.end();
    return cpu;
  }

  private int option(String name, int otherwise, int least, int most) {
    return line.takeIf(name) ? (int) line.number(name, least, most) : otherwise;
  }
}
