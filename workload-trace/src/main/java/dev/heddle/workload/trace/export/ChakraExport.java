package dev.heddle.workload.trace.export;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.text.WholeFiles;
import dev.heddle.workload.Operation;
import dev.heddle.workload.trace.chakra.ChakraNames;
import dev.heddle.workload.trace.graph.TraceException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Writes Chakra execution traces: {@code trace.RANK.et} for each rank, and {@code groups.json}. Durations are in whole
 * microseconds, as the schema has them, and in an attribute of our own exactly.
 */
public final class ChakraExport {
  private static final String SCHEMA = "0.0.4";
  private static final int PS_PER_MICRO = 1_000_000;

  private final ExportedJob job;
  private final TreeSet<Integer> used = new TreeSet<>();

  private ChakraExport(ExportedJob job) {
    this.job = job;
  }

  /**
   * Writes the files, all or none.
   *
   * @param folder that exists
   * @throws TraceException when the workload has operations that a trace cannot hold
   * @throws IOException when a file cannot be written
   */
  public static void write(ExportedJob job, Path folder) throws IOException {
    ChakraExport export = new ChakraExport(job);
    try (WholeFiles files = new WholeFiles()) {
      for (int rank = 0; rank < job.ranks(); rank++) {
        try (OutputStream out = new BufferedOutputStream(
            files.open(folder.resolve("trace." + rank + ".et")), 1 << 16)) {
          new WireWriter().text(ChakraNames.VERSION, SCHEMA).writeTo(out);
          export.rank(rank, out);
        }
      }
      try (OutputStream out = files.open(folder.resolve("groups.json"))) {
        out.write(export.groups().getBytes(StandardCharsets.UTF_8));
      }
      files.commit();
    }
  }

  private void rank(int rank, OutputStream out) throws IOException {
    RankOperations operations = job.operations(rank);
    List<Integer> processors = new ArrayList<>();
    for (int i = 0; i < operations.nodes().size(); i++) {
      OperationNode node = operations.nodes().get(i);
      WireWriter message = new WireWriter().number(ChakraNames.NODE_ID, i);
      switch (node.kind()) {
        case COMPUTE :
          // Streams that compute side by side are processors of their own.
          if (!processors.contains(node.stream())) {
            processors.add(node.stream());
          }
          compute(message, node, processors.indexOf(node.stream()));
          break;
        case SEND :
        case RECEIVE :
          passes(message, node, rank);
          break;
        default :
          collective(message, node);
      }
      message.message(ChakraNames.NODE_ATTRIBUTE, flag("is_cpu_op"));
      message.numbers(ChakraNames.NODE_DATA_DEPENDENCIES, operations.after().get(i)).writeTo(out);
    }
  }

  private static void compute(WireWriter message, OperationNode node, int processor) {
    message.text(ChakraNames.NODE_NAME, "compute").number(ChakraNames.NODE_TYPE, ChakraNames.COMPUTE)
        .number(ChakraNames.NODE_DURATION_MICROS, (node.amount() + PS_PER_MICRO / 2) / PS_PER_MICRO)
        .message(ChakraNames.NODE_ATTRIBUTE, number("heddle_duration_ps", node.amount()));
    if (processor > 0) {
      message.message(ChakraNames.NODE_ATTRIBUTE, number("heddle_processor", processor));
    }
  }

  private static void passes(WireWriter message, OperationNode node, int rank) {
    boolean sends = node.kind() == Operation.Kind.SEND;
    message.text(ChakraNames.NODE_NAME, sends ? "send" : "receive")
        .number(ChakraNames.NODE_TYPE, sends ? ChakraNames.SEND : ChakraNames.RECEIVE)
        .message(ChakraNames.NODE_ATTRIBUTE, number("comm_src", sends ? rank : node.peer()))
        .message(ChakraNames.NODE_ATTRIBUTE, number("comm_dst", sends ? node.peer() : rank))
        .message(ChakraNames.NODE_ATTRIBUTE, number("comm_tag", node.number()))
        .message(ChakraNames.NODE_ATTRIBUTE, number("comm_size", sends ? node.amount() : 0));
  }

  private void collective(WireWriter message, OperationNode node) {
    Group group = job.groups().get(node.number());
    int type = ChakraNames.type(node.op()).orElseThrow(() -> new TraceException(
        "Chakra has no " + node.op().key() + "; its collectives are those of MPI, with one size for all ranks"));
    used.add(node.number());
    message.text(ChakraNames.NODE_NAME, node.op().key()).number(ChakraNames.NODE_TYPE, ChakraNames.COLLECTIVE)
        .message(ChakraNames.NODE_ATTRIBUTE, number("comm_type", type))
        .message(ChakraNames.NODE_ATTRIBUTE, number("comm_size", input(node.op(), node.amount(), group.size())))
        .message(ChakraNames.NODE_ATTRIBUTE, new WireWriter().text(ChakraNames.ATTRIBUTE_NAME, "pg_name")
            .text(ChakraNames.ATTRIBUTE_STRING, name(node.number())));
    if (node.op().rooted() && node.peer() > 0) {
      message.message(ChakraNames.NODE_ATTRIBUTE, number("heddle_root", node.peer()));
    }
  }

  // The input of each rank; where ranks cannot share evenly, that of the first of them.
  private static long input(CollectiveOp op, long largest, int ranks) {
    boolean gathers = op == CollectiveOp.ALL_GATHER || op == CollectiveOp.GATHER;
    return gathers ? (largest + ranks - 1) / ranks : largest;
  }

  // "0" stands for all ranks with ASTRA-sim, so names begin at 1.
  private static String name(int group) {
    return Integer.toString(group + 1);
  }

  private static WireWriter number(String name, long value) {
    return new WireWriter().text(ChakraNames.ATTRIBUTE_NAME, name).number(ChakraNames.ATTRIBUTE_INT64, value);
  }

  private static WireWriter flag(String name) {
    return new WireWriter().text(ChakraNames.ATTRIBUTE_NAME, name).number(ChakraNames.ATTRIBUTE_BOOL, 0);
  }

  private String groups() {
    return used.stream()
        .map(number -> "\"" + name(number) + "\": " + Arrays.toString(job.groups().get(number).members()))
        .collect(Collectors.joining(",\n ", "{", "}\n"));
  }
}
