package dev.heddle.workload.trace.chakra;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.workload.trace.chakra.PytorchWorkloadProvider.Computation;
import dev.heddle.workload.trace.graph.GraphBuilder;
import dev.heddle.workload.trace.graph.Messages;
import dev.heddle.workload.trace.graph.OperationGraph;
import dev.heddle.workload.trace.graph.TraceException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads one rank's PyTorch execution trace. GPU kernels and communications follow one another in the order of the calls
 * that launched them: a kernel or a message starts when all before it is done; a collective starts then as well, runs
 * beside what follows on its process group's stream, and a wait lets what follows start when it is done.
 */
final class PytorchReader {
  private static final String GROUPS = "## process_group:init ##";
  private static final Pattern BACK_END = Pattern.compile(
      "\"pg_name\":\\s*\"([^\"]*)\"[^}]*?\"backend_id\":\\s*([0-9]+)");
  private static final double MOST_MICROS = OperationGraph.MOST_PS / 1e6;

  private final PytorchWorkloadProvider.Settings settings;
  private final GroupTable groups;
  private final Messages messages;
  private long nodes;

  PytorchReader(PytorchWorkloadProvider.Settings settings, GroupTable groups, Messages messages) {
    this.settings = settings;
    this.groups = groups;
    this.messages = messages;
  }

  /** A rank's trace as it is read. */
  private final class Rank {
    private final int rank;
    private final String file;
    private final GraphBuilder graph = new GraphBuilder();
    private final List<PytorchNode> places = new ArrayList<>();
    private final Map<String, String> backEnds = new LinkedHashMap<>();
    private final Map<Long, Integer> calls = new LinkedHashMap<>();
    private final List<Integer> before = new ArrayList<>();

    Rank(int rank, String file) {
      this.rank = rank;
      this.file = file;
    }

    void add(PytorchNode node) {
      if (isKernel(node)) {
        start(node, graph.compute(0, micros(node)), true);
        return;
      }
      PytorchCommunication.of(node, file).ifPresent(call -> {
        switch (call.kind()) {
          case WAIT -> {
            Integer collective = calls.get(call.call());
            if (collective != null) {
              before.add(collective);
            }
          }
          case SEND, RECEIVE -> start(node, message(node, call), true);
          default -> {
            int collective = collective(node, call);
            start(node, collective, call.kind() == PytorchCommunication.Kind.BARRIER);
            calls.put(call.call(), collective);
          }
        }
      });
    }

    private void start(PytorchNode node, int operation, boolean blocks) {
      before.forEach(each -> graph.after(operation, each));
      if (blocks) {
        before.clear();
        before.add(operation);
      }
      places.add(node);
    }

    private long micros(PytorchNode node) {
      double micros = node.number("exclusive_dur", node.number("inclusive_dur", node.number("dur", -1)));
      if (!(micros >= 0 && micros <= MOST_MICROS)) {
        throw node.fail(file, "is a kernel with the duration " + micros + " us; 0 to " + (long) MOST_MICROS
            + " us are possible");
      }
      return Math.round(micros * 1e6);
    }

    private int group(PytorchNode node, PytorchCommunication call) {
      String name = backEnds.getOrDefault(call.group(), call.group());
      ChakraNode named = new ChakraNode(file).identity(node.id(), node.name(), ChakraNames.COLLECTIVE);
      named.add(Attribute.of(name).named(ChakraNames.PG_NAME));
      return groups.of(named, rank);
    }

    private int collective(PytorchNode node, PytorchCommunication call) {
      int number = group(node, call);
      Group group = groups.groups().get(number);
      if (!call.even()) {
        throw node.fail(file, "is an all_to_all with a size per pair, which is not read from traces");
      }
      CollectiveOp op = call.op();
      double input = PytorchNode.bytes(node.inputs());
      double bytes = op == CollectiveOp.SCATTER ? PytorchNode.bytes(node.outputs()) * group.size()
          : op == CollectiveOp.ALL_GATHER || op == CollectiveOp.GATHER ? input * group.size() : input;
      if (call.kind() == PytorchCommunication.Kind.BARRIER) {
        bytes = 0;
      }
      int root = op.rooted() ? call.rank() : 0;
      if (root < 0 || root >= group.size()) {
        throw node.fail(file, "has the root " + root + " in a group of " + group.size() + " ranks");
      }
      return graph.collective(number, op, size(node, bytes), root);
    }

    private long size(PytorchNode node, double bytes) {
      if (!(bytes >= 0 && bytes <= OperationGraph.MOST_BYTES)) {
        throw node.fail(file, "moves " + bytes + " bytes; at most " + OperationGraph.MOST_BYTES + " are possible");
      }
      return (long) bytes;
    }

    private int message(PytorchNode node, PytorchCommunication call) {
      int number = group(node, call);
      Group group = groups.groups().get(number);
      if (call.rank() < 0 || call.rank() >= group.size() || group.member(call.rank()) == rank) {
        throw node.fail(file, "has the peer " + call.rank() + ", which is no other rank of its group of "
            + group.size());
      }
      int peer = group.member(call.rank());
      return call.kind() == PytorchCommunication.Kind.SEND
          ? graph.send(peer, size(node, PytorchNode.bytes(node.inputs())), messages.send(rank, peer, number))
          : graph.receive(peer, messages.receive(peer, rank, number));
    }
  }

  private static boolean isKernel(PytorchNode node) {
    return switch (node.text("cat")) {
      case "kernel", "gpu_memcpy", "gpu_memset" -> true;
      default -> false;
    };
  }

  /** Reads a rank's file. */
  ChakraReader.RankTrace read(int rank, String file, InputStream in) {
    Rank trace = new Rank(rank, file);
    List<PytorchNode> used = new ArrayList<>();
    PytorchTrace.read(file, in, node -> {
      if (++nodes > settings.limit()) {
        throw node.fail(file, "is one of more than " + settings.limit() + " nodes; the setting limit allows more");
      }
      if (node.name().equals(GROUPS)) {
        addGroups(trace, node);
      } else if (node.name().equals(PytorchCommunication.NODE)) {
        used.add(node);
      } else if (isKernel(node) && !node.name().startsWith("nccl") && settings.computation() == Computation.RECORDED) {
        used.add(node);
      }
    });
    if (settings.computation() == Computation.RECORDED && used.stream().noneMatch(PytorchReader::isKernel)) {
      throw new TraceException(file + ": has no GPU kernels with durations, which chakra_trace_link adds from Kineto's"
          + " trace; computation: none runs the communication alone");
    }
    // A kernel follows the call that launched it, several of one call their times.
    used.sort(Comparator.comparingLong((PytorchNode node) -> isKernel(node) ? node.parent() : node.id())
        .thenComparingDouble(node -> isKernel(node) ? node.number("ts", 0) : -1));
    used.forEach(trace::add);
    OperationGraph graph = trace.graph.build(operation -> place(trace, operation));
    return new ChakraReader.RankTrace(graph, trace.graph, operation -> place(trace, operation));
  }

  private static String place(Rank trace, int operation) {
    return trace.file + ": node " + trace.places.get(operation).id();
  }

  private void addGroups(Rank trace, PytorchNode node) {
    String text = String.join("", node.inputs().stream().map(Object::toString).toList());
    groups.addProcessGroups(
        new ChakraNode(trace.file).identity(node.id(), node.name(), ChakraNames.METADATA).inputs(text));
    Matcher backEnd = BACK_END.matcher(text);
    while (backEnd.find()) {
      trace.backEnds.put(backEnd.group(2), backEnd.group(1));
    }
  }
}
