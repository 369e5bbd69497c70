package dev.heddle.workload.trace.htsim;

import dev.heddle.text.LineReader;
import dev.heddle.workload.trace.graph.GraphBuilder;
import dev.heddle.workload.trace.graph.Messages;
import dev.heddle.workload.trace.graph.OperationGraph;
import dev.heddle.workload.trace.graph.TraceException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A connection matrix of htsim [uet-htsim connection_matrix.cpp]. Starts are in microseconds, sizes in bytes. A
 * trigger lets
 * flows start when others are done: the receiver of the last one sends a byte to the source of the flow that starts,
 * in the
 * place of the acknowledgement that htsim waits for.
 */
final class ConnectionMatrix {
  private static final Pattern FLOW = Pattern.compile("(\\d+)->(\\d+)((?:\\s+[a-z_]+\\s+\\S+)+)\\s*");
  // The number of a message of its connection: all flows between two nodes share one, whether it is stated or not.
  private static final Pattern MESSAGE = Pattern.compile("\\s+msg(\\s+\\d+)?(?=\\s)");
  private static final Pattern OPTION = Pattern.compile("([a-z_]+)\\s+(\\S+)");
  private static final Pattern TRIGGER = Pattern.compile(
      "trigger\\s+id\\s+(\\d{1,18})\\s+(oneshot|multishot|barrier)(?:\\s+count\\s+(\\d+))?\\s*");
  private static final Pattern HEADER = Pattern.compile("(Nodes|Connections|Triggers|Failures)\\s+(\\d{1,18})\\s*");
  private static final long PS_PER_US = 1_000_000;
  private static final int PROCESSORS = 1 << 16;
  private static final long MOST_NODES = 1 << 18;
  private static final long MOST_BYTES = 1L << 40;
  private static final double MOST_US = 1e12;

  private final String file;
  private final Map<String, Long> header = new TreeMap<>();
  private final List<Flow> flows = new ArrayList<>();
  private final Map<Long, String> triggers = new TreeMap<>();

  /** One flow; a trigger of 0 stands for none. */
  private record Flow(int source, int destination, long startPs, long bytes, long startedBy, long fires) {}

  ConnectionMatrix(String file) {
    this.file = file;
  }

  /** Reads the matrix; errors are {@link TraceException}s with the line. */
  ConnectionMatrix read(InputStream in) {
    LineReader lines = new LineReader(file, in, TraceException::new);
    while (lines.next()) {
      String text = lines.text().strip();
      if (!text.isEmpty() && !text.startsWith("#")) {
        line(text, lines.line());
      }
    }
    if (!header.containsKey("Nodes")) {
      throw new TraceException(file + ": no line 'Nodes N'");
    }
    long announced = header.getOrDefault("Connections", (long) flows.size());
    if (announced != flows.size()) {
      throw new TraceException(file + ": 'Connections " + announced + "', but " + flows.size() + " flows follow");
    }
    return this;
  }

  private void line(String text, long number) {
    Matcher head = HEADER.matcher(text);
    Matcher flow = FLOW.matcher(MESSAGE.matcher(text).replaceAll(""));
    Matcher trigger = TRIGGER.matcher(text);
    if (head.matches()) {
      long value = Long.parseLong(head.group(2));
      if (head.group(1).equals("Nodes") && value > MOST_NODES) {
        throw new TraceException(file + ":" + number + ": " + value + " nodes; at most " + MOST_NODES + " are read");
      }
      header.put(head.group(1), value);
    } else if (trigger.matches()) {
      triggers.put(Long.parseLong(trigger.group(1)), trigger.group(2));
    } else if (flow.matches()) {
      flows.add(flow(flow, number));
    } else if (text.startsWith("failure")) {
      throw new TraceException(file + ":" + number + ": failures are a scenario's own, not a workload's");
    } else {
      throw new TraceException(file + ":" + number + ": '" + text + "' is neither a flow, such as '0->1 start 0 size "
          + "2000000', nor a trigger, such as 'trigger id 1 oneshot'");
    }
  }

  private Flow flow(Matcher flow, long number) {
    Map<String, String> options = new TreeMap<>();
    Matcher option = OPTION.matcher(flow.group(3));
    while (option.find()) {
      options.put(option.group(1), option.group(2));
    }
    if (options.containsKey("start") == options.containsKey("trigger") || !options.containsKey("size")) {
      throw new TraceException(file + ":" + number + ": a flow has a size, and either a start or a trigger");
    }
    try {
      int source = Integer.parseInt(flow.group(1));
      int destination = Integer.parseInt(flow.group(2));
      long nodes = header.getOrDefault("Nodes", 0L);
      if (source >= nodes || destination >= nodes || source == destination) {
        throw new TraceException(file + ":" + number + ": " + source + "->" + destination
            + " are not two of the " + nodes + " nodes");
      }
      double micros = Double.parseDouble(options.getOrDefault("start", "0"));
      long bytes = Long.parseLong(options.get("size"));
      if (!(micros >= 0 && micros <= MOST_US) || bytes < 0 || bytes > MOST_BYTES) {
        throw new TraceException(file + ":" + number + ": start is " + micros + " and size " + bytes
            + "; they are from 0 to 10^12 us and to 2^40 B");
      }
      long start = (long) micros * PS_PER_US;
      long fires = Long.parseLong(options.getOrDefault("send_done_trigger",
          options.getOrDefault("recv_done_trigger", "0")));
      return new Flow(source, destination, start, bytes,
          Long.parseLong(options.getOrDefault("trigger", "0")), fires);
    } catch (NumberFormatException e) {
      throw new TraceException(file + ":" + number + ": a value of " + options + " is no number");
    }
  }

  /** The operations of each node. */
  List<OperationGraph> graphs(String name) {
    int nodes = Math.toIntExact(header.getOrDefault("Nodes", 0L));
    List<GraphBuilder> builders = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      builders.add(new GraphBuilder());
    }
    Messages messages = new Messages();
    int[] sends = new int[flows.size()];
    int[] receipts = new int[flows.size()];
    for (int i = 0; i < flows.size(); i++) {
      Flow flow = flows.get(i);
      GraphBuilder source = builders.get(flow.source());
      int begin = flow.startPs() > 0 ? source.compute(i % PROCESSORS, flow.startPs()) : source.nothing();
      sends[i] = source.send(flow.destination(), flow.bytes(), messages.send(flow.source(), flow.destination(), i));
      source.after(sends[i], begin);
      receipts[i] = builders.get(flow.destination())
          .receive(flow.source(), messages.receive(flow.source(), flow.destination(), i));
    }
    trigger(builders, messages, sends, receipts);
    messages.check();
    return builders.stream().map(builder -> builder.build(node -> name + ": operation " + node)).toList();
  }

  // Lets flows start by triggers: all flows of a one-shot or a barrier, and one more at each firing of a multi-shot.
  private void trigger(List<GraphBuilder> builders, Messages messages, int[] sends, int[] receipts) {
    long tag = flows.size();
    for (Map.Entry<Long, String> trigger : triggers.entrySet()) {
      List<Integer> firing = numbers(trigger.getKey(), true);
      List<Integer> started = numbers(trigger.getKey(), false);
      boolean each = trigger.getValue().equals("multishot");
      for (int i = 0; i < firing.size(); i++) {
        for (int j = 0; j < started.size(); j++) {
          if (!each || i == j) {
            int done = firing.get(i);
            int next = started.get(j);
            int from = flows.get(done).destination();
            int to = flows.get(next).source();
            int known = from == to ? receipts[done]
                : notice(builders, receipts[done], from, to, messages.send(from, to, tag));
            int heard = from == to ? known : builders.get(to).receive(from, messages.receive(from, to, tag));
            builders.get(to).after(sends[next], heard);
            tag++;
          }
        }
      }
    }
  }

  private List<Integer> numbers(long trigger, boolean firing) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < flows.size(); i++) {
      if ((firing ? flows.get(i).fires() : flows.get(i).startedBy()) == trigger) {
        numbers.add(i);
      }
    }
    return numbers;
  }

  // A byte that the destination of a flow sends once the flow has been received.
  private static int notice(List<GraphBuilder> builders, int receipt, int from, int to, int tag) {
    int notice = builders.get(from).send(to, 1, tag);
    builders.get(from).after(notice, receipt);
    return notice;
  }
}
