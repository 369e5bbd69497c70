package dev.heddle.workload.trace.goal;

import dev.heddle.text.LineReader;
import dev.heddle.workload.trace.graph.GraphBuilder;
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
 * have labels, and requirements between labels. An operation with an overhead is a computation as well: of a message
 * before it is sent, and after it is received.
 */
final class GoalReader {
  private static final long ANY = -1;
  private static final long MOST_NANOSECONDS = OperationGraph.MOST_PS / 1000;

  private final String file;
  private final long overheadPs;
  private final long limit;
  private final GoalLine line;
  private final Messages messages = new Messages();
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

  /**
   * The operations of a rank, by their numbers in the file; each begins with one operation of the graph and ends with
   * one.
   */
  private static final class RankBlock {
    private final GraphBuilder graph = new GraphBuilder();
    private final List<Wildcard> wildcards = new ArrayList<>();
    private int[] first = new int[16];
    private int[] last = new int[16];
    private int[] lines = new int[16];
    private int count;

    int add(int begin, int end, long at) {
      if (count == first.length) {
        first = Arrays.copyOf(first, 2 * count);
        last = Arrays.copyOf(last, 2 * count);
        lines = Arrays.copyOf(lines, 2 * count);
      }
      first[count] = begin;
      last[count] = end;
      lines[count] = (int) Math.min(at, Integer.MAX_VALUE);
      return count++;
    }

    int lineOf(int node) {
      int at = Arrays.binarySearch(first, 0, count, node);
      return lines[at >= 0 ? at : -2 - at];
    }
  }

  private record Wildcard(int node, long from, long tag, long line) {}

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
    resolveWildcards();
    try {
      messages.check();
    } catch (TraceException e) {
      throw new TraceException(file + ": " + e.getMessage());
    }
    List<OperationGraph> graphs = new ArrayList<>();
    for (int rank = 0; rank < blocks.size(); rank++) {
      RankBlock block = blocks.get(rank);
      graphs.add(block.graph.build(node -> file + ":" + block.lineOf(node) + ": the operation"));
    }
    WaitCircle.refuse(graphs, List.of(), (rank, node) -> file + ":" + blocks.get(rank).lineOf(node));
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
    RankBlock block = new RankBlock();
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
    int number = operation(rank, ranks);
    if (!label.isEmpty() && labels.put(label, number) != null) {
      throw line.fail("the label " + LineReader.shown(label) + " stands twice in rank " + rank);
    }
  }

  private void require(RankBlock block, Map<String, Integer> labels, Requirement requirement) {
    int after = labelled(labels, requirement.after(), requirement.line());
    int before = labelled(labels, requirement.before(), requirement.line());
    if (requirement.start()) {
      block.graph.afterStart(block.first[after], block.first[before]);
    } else {
      block.graph.after(block.first[after], block.last[before]);
    }
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
    switch (what) {
      case "calc" :
        return calc(rank);
      case "send" :
        return send(rank, ranks);
      case "recv" :
        return receive(rank, ranks);
      case "put", "append", "tput" :
        throw line.fail("'" + what + "' writes into another rank's memory without its taking part, which is not read; "
            + "write it as a send and a recv");
      default :
        throw line.fail("here must be send, recv or calc, but is '" + LineReader.shown(what) + "'");
    }
  }

  private int calc(int rank) {
    long nanoseconds = line.number("the time in nanoseconds", 0, MOST_NANOSECONDS);
    int cpu = option("cpu", 0, 255);
    line.end();
    RankBlock block = blocks.get(rank);
    int node = block.graph.compute(cpu, 1000 * nanoseconds);
    return block.add(node, node, line.line());
  }

  private int send(int rank, int ranks) {
    long bytes = line.bytes();
    line.expect("to");
    int peer = (int) line.number("the receiver", 0, ranks - 1L);
    long tag = tag();
    int cpu = processor();
    if (peer == rank) {
      throw line.fail("rank " + rank + " sends to itself");
    }
    if (tag == ANY) {
      throw line.fail("a message has a tag of its own; -1 is for receivers");
    }
    GraphBuilder graph = blocks.get(rank).graph;
    int number = messages.send(rank, peer, tag);
    int begin = overheadPs > 0 ? graph.compute(cpu, overheadPs) : graph.size();
    int end = graph.send(peer, bytes, number);
    if (begin < end) {
      graph.after(end, begin);
    }
    return blocks.get(rank).add(begin, end, line.line());
  }

  private int receive(int rank, int ranks) {
    line.bytes();
    line.expect("from");
    long peer = line.number("the sender", ANY, ranks - 1L);
    long tag = tag();
    int cpu = processor();
    if (peer == rank) {
      throw line.fail("rank " + rank + " receives from itself");
    }
    RankBlock block = blocks.get(rank);
    boolean known = peer != ANY && tag != ANY;
    int begin = block.graph.receive((int) Math.max(0, peer), known ? messages.receive((int) peer, rank, tag) : 0);
    if (!known) {
      block.wildcards.add(new Wildcard(begin, peer, tag, line.line()));
    }
    int end = begin;
    if (overheadPs > 0) {
      end = block.graph.compute(cpu, overheadPs);
      block.graph.after(end, begin);
    }
    return block.add(begin, end, line.line());
  }

  private long tag() {
    return line.takeIf("tag") ? line.number("the tag", ANY, (1L << 32) - 1) : 0;
  }

  private int processor() {
    int cpu = option("cpu", 0, 255);
    option("nic", 0, 255);
    line.end();
    return cpu;
  }

  private int option(String name, int least, int most) {
    return line.takeIf(name) ? (int) line.number(name, least, most) : 0;
  }

  // A receipt from anyone is settled where only one message is left that it can take.
  private void resolveWildcards() {
    if (blocks.stream().allMatch(block -> block.wildcards.isEmpty())) {
      return;
    }
    long[] left = messages.left();
    int begin = 0;
    for (int rank = 0; rank < blocks.size(); rank++) {
      int end = begin;
      while (end < left.length && Messages.to(left[end]) == rank) {
        end++;
      }
      long[] own = Arrays.copyOfRange(left, begin, end);
      for (Wildcard wildcard : blocks.get(rank).wildcards) {
        resolve(rank, wildcard, own);
      }
      begin = end;
    }
  }

  private void resolve(int rank, Wildcard wildcard, long[] left) {
    int found = -1;
    for (int i = 0; i < left.length; i++) {
      if (left[i] >= 0 && takes(wildcard, left[i])) {
        if (found >= 0 && left[found] != left[i]) {
          throw new TraceException(
              file + ":" + wildcard.line() + ": this receipt could take messages of several senders"
                  + " or tags; which one comes first is not known before it runs, so say sender and tag");
        }
        found = i;
      }
    }
    if (found < 0) {
      throw new TraceException(file + ":" + wildcard.line() + ": no message is left for this receipt");
    }
    long message = left[found];
    left[found] = -1;
    messages.receive(Messages.from(message), rank, messages.tag(Messages.tagNumber(message)));
    blocks.get(rank).graph.resolve(wildcard.node(), Messages.from(message), Messages.tagNumber(message));
  }

  private boolean takes(Wildcard wildcard, long message) {
    return (wildcard.from() == ANY || wildcard.from() == Messages.from(message))
        && (wildcard.tag() == ANY || wildcard.tag() == messages.tag(Messages.tagNumber(message)));
  }
}
