package dev.heddle.workload.trace.chakra;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.workload.trace.graph.GraphBuilder;
import dev.heddle.workload.trace.graph.Messages;
import dev.heddle.workload.trace.graph.OperationGraph;
import dev.heddle.workload.trace.graph.TraceException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Reads one rank's trace by the rules of ASTRA-sim's feeder: a node starts when all that it depends on, by control or
 * by data, is done and its resource is free; of several ready nodes the one of the least number.
 */
final class ChakraReader {
  /** Resources that compute: the accelerator, its host, the engine of remote memory; then others. */
  private static final int ACCELERATOR = 0;

  private static final int HOST = 1;
  private static final int REMOTE_MEMORY = 2;
  private static final int OTHERS = 3;
  private static final int MOST_PROCESSORS = 1000;

  private final ChakraWorkloadProvider.Settings settings;
  private final GroupTable groups;
  private final Messages messages;
  private final int ranks;
  private long nodes;

  /**
   * A reader of the files of one workload.
   *
   * @param groups that collectives name
   * @param messages receives sends and receives
   * @param ranks of the workload
   */
  ChakraReader(ChakraWorkloadProvider.Settings settings, GroupTable groups, Messages messages, int ranks) {
    this.settings = settings;
    this.groups = groups;
    this.messages = messages;
    this.ranks = ranks;
  }

  /**
   * A rank's operations.
   *
   * @param graph operations and dependencies
   * @param builder the same with the order of the collectives
   * @param place of an operation: file and node
   */
  record RankTrace(OperationGraph graph, GraphBuilder builder, IntFunction<String> place) {}

  /** Nodes and their dependencies by number: nodes may come before those that they depend on. */
  private static final class Pending {
    private final Map<Long, Integer> operations = new LinkedHashMap<>();
    private long[] ids = new long[16];
    private int[] operationOf = new int[16];
    private long[][] dependencies = new long[16][];
    private int size;

    void add(ChakraNode node, int operation) {
      if (operations.put(node.id(), operation) != null) {
        throw node.fail("has the number of a node before it");
      }
      if (size == ids.length) {
        ids = Arrays.copyOf(ids, 2 * size);
        operationOf = Arrays.copyOf(operationOf, 2 * size);
        dependencies = Arrays.copyOf(dependencies, 2 * size);
      }
      ids[size] = node.id();
      operationOf[size] = operation;
      dependencies[size++] = node.dependencies();
    }
  }

  /** Reads a rank's file, of protobuf messages or JSON. */
  RankTrace read(int rank, String file, InputStream in) {
    Pending pending = new Pending();
    GraphBuilder graph = new GraphBuilder(settings.communication() == ChakraWorkloadProvider.Communication.ONE);
    InputStream peekable = JsonTrace.peekable(in);
    if (JsonTrace.isJson(peekable)) {
      JsonTrace.read(file, peekable, byData(), node -> add(graph, pending, node, rank));
    } else {
      readMessages(file, peekable, node -> add(graph, pending, node, rank));
    }
    OperationGraph built = build(graph, pending, file);
    long[] ids = Arrays.copyOf(pending.ids, pending.size);
    int[] operationOf = Arrays.copyOf(pending.operationOf, pending.size);
    return new RankTrace(built, graph, operation -> file + ": node "
        + Long.toUnsignedString(ids[Arrays.binarySearch(operationOf, operation)]));
  }

  private void readMessages(String file, InputStream in, Consumer<ChakraNode> nodesOfFile) {
    WireFile messagesOfFile = new WireFile(file, in);
    if (messagesOfFile.next() == WireMessage.none()) {
      throw new TraceException(file + ": is empty; a trace begins with its metadata");
    }
    WireMessage message = messagesOfFile.next();
    while (message != WireMessage.none()) {
      nodesOfFile.accept(ChakraNode.read(file, message, byData()));
      message = messagesOfFile.next();
    }
  }

  private void add(GraphBuilder graph, Pending pending, ChakraNode node, int rank) {
    if (++nodes > settings.limit()) {
      throw node.fail("is one of more than " + settings.limit() + " nodes; the setting limit allows more");
    }
    pending.add(node, operation(graph, node, rank));
  }

  private boolean byData() {
    return settings.dependencies() == ChakraWorkloadProvider.Dependencies.DATA;
  }

  private String hint() {
    return byData() ? "" : "; dependencies: data leaves out those by control";
  }

  private OperationGraph build(GraphBuilder graph, Pending pending, String file) {
    for (int i = 0; i < pending.size; i++) {
      for (long dependency : pending.dependencies[i]) {
        Integer before = pending.operations.get(dependency);
        if (before == null) {
          throw new TraceException(file + ": node " + Long.toUnsignedString(pending.ids[i]) + " depends on node "
              + Long.toUnsignedString(dependency) + ", which the file does not have" + hint());
        }
        graph.after(pending.operationOf[i], before);
      }
    }
    try {
      return graph.build(operation -> file + ": node " + Long.toUnsignedString(pending.operations.entrySet().stream()
          .filter(entry -> entry.getValue() == operation).findFirst().orElseThrow().getKey()));
    } catch (TraceException e) {
      throw new TraceException(e.getMessage() + hint());
    }
  }

  private int operation(GraphBuilder graph, ChakraNode node, int rank) {
    boolean host = node.optional(ChakraNames.IS_CPU_OP, 0, 1, 0) == 1;
    switch ((int) Math.min(node.type(), Integer.MAX_VALUE)) {
      case ChakraNames.METADATA :
        groups.addProcessGroups(node);
        return graph.nothing();
      case ChakraNames.MEMORY_LOAD :
      case ChakraNames.MEMORY_STORE :
        return graph.compute(REMOTE_MEMORY, remotePs(node));
      case ChakraNames.COMPUTE :
        return host ? graph.compute(HOST, node.recordedPs()) : graph.compute(processor(node), computePs(node));
      case ChakraNames.SEND :
        return host ? graph.compute(HOST, node.recordedPs()) : send(graph, node, rank);
      case ChakraNames.RECEIVE :
        return host ? graph.compute(HOST, node.recordedPs()) : receive(graph, node, rank);
      case ChakraNames.COLLECTIVE :
        return host ? graph.compute(HOST, node.recordedPs()) : collective(graph, node, rank);
      default :
        throw node.fail("has the type " + Long.toUnsignedString(node.type()) + "; types are 1 to 7");
    }
  }

  private static int processor(ChakraNode node) {
    long processor = node.optional(ChakraNames.PROCESSOR, 0, MOST_PROCESSORS, 0);
    return processor == 0 ? ACCELERATOR : (int) (OTHERS + processor - 1);
  }

  private long computePs(ChakraNode node) {
    if (settings.roofline().isEmpty() || node.has(ChakraNames.DURATION_PS)) {
      long recorded = node.recordedPs();
      if (recorded == 0 && node.optional(ChakraNames.NUM_OPS, 0, Long.MAX_VALUE, 0) > 0
          && !node.has(ChakraNames.DURATION_PS)) {
        throw node.fail("says how much it computes, but not how long; the setting roofline says how fast that is");
      }
      return recorded;
    }
    long bytes = node.optional(ChakraNames.TENSOR_SIZE, 0, OperationGraph.MOST_BYTES, 0);
    long operations = node.optional(ChakraNames.NUM_OPS, 0, Long.MAX_VALUE, 0);
    return bytes == 0 ? 0 : bounded(node, settings.roofline().get().ps(operations, bytes));
  }

  private long remotePs(ChakraNode node) {
    if (settings.remoteMemory().isEmpty()) {
      if (node.recordedPs() == 0) {
        throw node.fail("moves data from or to remote memory; the setting remote-memory says how fast that is");
      }
      return node.recordedPs();
    }
    long bytes = node.required(ChakraNames.TENSOR_SIZE, 0, OperationGraph.MOST_BYTES);
    return bounded(node, settings.remoteMemory().get().ps(bytes));
  }

  private static long bounded(ChakraNode node, long ps) {
    if (ps > OperationGraph.MOST_PS) {
      throw node.fail("would take longer than 50 days");
    }
    return ps;
  }

  private int send(GraphBuilder graph, ChakraNode node, int rank) {
    node.optional(ChakraNames.COMM_SRC, rank, rank, rank);
    int peer = (int) node.required(ChakraNames.COMM_DST, 0, ranks - 1L);
    long bytes = node.required(ChakraNames.COMM_SIZE, 0, OperationGraph.MOST_BYTES);
    requireOther(node, peer, rank);
    return graph.send(peer, bytes, messages.send(rank, peer, tag(node)));
  }

  private int receive(GraphBuilder graph, ChakraNode node, int rank) {
    node.optional(ChakraNames.COMM_DST, rank, rank, rank);
    int peer = (int) node.required(ChakraNames.COMM_SRC, 0, ranks - 1L);
    requireOther(node, peer, rank);
    return graph.receive(peer, messages.receive(peer, rank, tag(node)));
  }

  private static void requireOther(ChakraNode node, int peer, int rank) {
    if (peer == rank) {
      throw node.fail("passes a message from rank " + rank + " to itself");
    }
  }

  private static long tag(ChakraNode node) {
    return node.optional(ChakraNames.COMM_TAG, Integer.MIN_VALUE, (1L << 32) - 1, 0);
  }

  private int collective(GraphBuilder graph, ChakraNode node, int rank) {
    int type = (int) node.required(ChakraNames.COMM_TYPE, 0, ChakraNames.BARRIER);
    CollectiveOp op = ChakraNames.op(type);
    int number = groups.of(node, rank);
    Group group = groups.groups().get(number);
    long bytes = type == ChakraNames.BARRIER ? 0 : ChakraNames.largestBuffer(
        op, node.required(ChakraNames.COMM_SIZE, 0, OperationGraph.MOST_BYTES / group.size()), group.size());
    return graph.collective(number, op, bytes, (int) node.optional(ChakraNames.ROOT, 0, group.size() - 1L, 0));
  }
}
