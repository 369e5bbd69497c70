package dev.heddle.workload.trace.chakra;

import com.google.common.collect.ImmutableList;
import dev.heddle.collective.CollectiveOp;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The arguments of a {@code record_param_comms} node [PyTorch, ParamCommsUtils]: tensors (not for a wait or a barrier),
 * number of the call, process group, rank (the root, or the peer of a message), name, input splits, output splits.
 *
 * @param kind of communication
 * @param op operation of a collective; all_reduce otherwise
 * @param call number of the call, which a wait repeats
 * @param group name or number of the process group; empty where the node has none
 * @param rank the argument rank
 * @param even whether the splits of an all_to_all are equal
 */
record PytorchCommunication(
    Kind kind, CollectiveOp op, long call, String group, int rank, boolean even) {
  enum Kind {
    COLLECTIVE, BARRIER, SEND, RECEIVE, WAIT
  }

  /** The name of the node. */
  static final String NODE = "record_param_comms";

  // By the begin of the name without underscores; longer names come first.
  private static final List<Map.Entry<String, CollectiveOp>> OPS = ImmutableList.of(
      Map.entry("reducescatter", CollectiveOp.REDUCE_SCATTER), Map.entry("allreduce", CollectiveOp.ALL_REDUCE),
      Map.entry("allgather", CollectiveOp.ALL_GATHER), Map.entry("alltoall", CollectiveOp.ALL_TO_ALL),
      Map.entry("broadcast", CollectiveOp.BROADCAST), Map.entry("reduce", CollectiveOp.REDUCE),
      Map.entry("gather", CollectiveOp.GATHER), Map.entry("scatter", CollectiveOp.SCATTER));

  private static final int BEFORE_NAME = 3;

  /** Reads the arguments of a node; none for a name that moves nothing, such as {@code init}. */
  static Optional<PytorchCommunication> of(PytorchNode node, String file) {
    List<Object> values = node.inputs();
    int at = 0;
    while (at < values.size() && !(values.get(at) instanceof String text && !text.isEmpty())) {
      at++;
    }
    if (at == values.size() || at < BEFORE_NAME) {
      throw node.fail(file, "has no name of a collective after three arguments");
    }
    String name = values.get(at).toString().replace("_", "").toLowerCase(Locale.ROOT);
    Kind kind = kind(name);
    Optional<CollectiveOp> op = OPS.stream().filter(each -> name.startsWith(each.getKey())).map(Map.Entry::getValue)
        .findFirst();
    if (name.equals("init") || name.startsWith("comm")) {
      return Optional.empty();
    }
    if (kind == Kind.COLLECTIVE && op.isEmpty()) {
      throw node.fail(file, "names the communication '" + values.get(at)
          + "'; known are all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, gather, scatter,"
          + " send, recv, barrier and wait");
    }
    return Optional.of(new PytorchCommunication(kind, op.orElse(CollectiveOp.ALL_REDUCE),
        number(values.get(at - BEFORE_NAME), -1), group(node, values.get(at - 2)), (int) number(values.get(at - 1), 0),
        even(values, at + 1) && even(values, at + 2)));
  }

  private static Kind kind(String name) {
    return switch (name) {
      case "wait" -> Kind.WAIT;
      case "barrier" -> Kind.BARRIER;
      case "send", "isend" -> Kind.SEND;
      case "recv", "irecv" -> Kind.RECEIVE;
      default -> Kind.COLLECTIVE;
    };
  }

  // A number, or the first of a list, as newer versions write (number, whether of a message).
  private static long number(Object value, long otherwise) {
    Object first = value instanceof List<?> list && !list.isEmpty() ? list.get(0) : value;
    return first instanceof Number number ? number.longValue() : otherwise;
  }

  // The attribute pg_name, or (name, description), or the number of the back end.
  private static String group(PytorchNode node, Object value) {
    if (node.has(ChakraNames.PG_NAME)) {
      return node.text(ChakraNames.PG_NAME);
    }
    Object first = value instanceof List<?> list && !list.isEmpty() ? list.get(0) : value;
    return first.toString();
  }

  private static boolean even(List<Object> values, int at) {
    return at >= values.size() || !(values.get(at) instanceof List<?> splits)
        || splits.stream().distinct().count() <= 1;
  }
}
