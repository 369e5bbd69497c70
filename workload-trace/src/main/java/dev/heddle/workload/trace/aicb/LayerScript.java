package dev.heddle.workload.trace.aicb;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Operations of every rank, stream by stream, in the order of SimAI's simulation: forward from the first layer to the
 * last, each computes and waits for its collective; backward from the last to the first, each computes the gradient of
 * its input and waits, then that of its weights, whose collective overlaps. Ranks differ in their groups alone, so one
 * script serves all. A kind of group whose collectives overlap has a separate stream, which executes them one after the
 * other.
 */
final class LayerScript {
  private static final GroupKind[] KINDS = GroupKind.values();

  /** Activity of the first stream: computation, or waiting for a kind of group. */
  static final int COMPUTE = 0;

  private final List<List<Line>> streams = new ArrayList<>();
  private final int[] streamOf = new int[KINDS.length];
  private final int[] begun = new int[KINDS.length];

  /**
   * An operation.
   *
   * @param kind kind of operation
   * @param amount picoseconds, bytes, or the value awaited
   * @param number of the signal, or of the kind of group
   * @param op of the collective
   * @param activity to which its time counts
   */
  private record Line(Operation.Kind kind, long amount, int number, CollectiveOp op, int activity) {}

  /**
   * Writes the script.
   *
   * @param layers in the order of the file
   * @param once whether the two gradients of a layer took, together, the time that the file has for each
   */
  LayerScript(List<Layer> layers, boolean once) {
    streams.add(new ArrayList<>());
    for (GroupKind kind : KINDS) {
      if (layers.stream().anyMatch(layer -> layer.weights().call().filter(call -> call.kind() == kind).isPresent())) {
        streamOf[kind.ordinal()] = streams.size();
        streams.add(new ArrayList<>());
      }
    }
    for (Layer layer : layers) {
      compute(layer.forward().ps());
      block(layer.forward().call(), layer.delayPs());
    }
    for (int i = layers.size() - 1; i >= 0; i--) {
      Layer layer = layers.get(i);
      boolean twice = once && layer.input().ps() == layer.weights().ps();
      compute(layer.input().ps());
      block(layer.input().call(), layer.delayPs());
      compute(twice ? 0 : layer.weights().ps());
      layer.weights().call().ifPresent(call -> begin(call, layer.delayPs()));
    }
    for (GroupKind kind : KINDS) {
      if (begun[kind.ordinal()] > 0) {
        join(kind);
      }
    }
  }

  private void compute(long ps) {
    if (ps > 0) {
      main(new Line(Operation.Kind.COMPUTE, ps, 0, CollectiveOp.ALL_REDUCE, COMPUTE));
    }
  }

  private void main(Line line) {
    streams.get(0).add(line);
  }

  private void block(Optional<Layer.Call> called, long delayPs) {
    if (called.isEmpty()) {
      return;
    }
    Layer.Call call = called.get();
    if (streamOf[call.kind().ordinal()] > 0) {
      begin(call, delayPs);
      join(call.kind());
      return;
    }
    int activity = 1 + call.kind().ordinal();
    main(new Line(Operation.Kind.COLLECTIVE, call.bytes(), call.kind().ordinal(), call.op(), activity));
    if (delayPs > 0) {
      main(new Line(Operation.Kind.COMPUTE, delayPs, 0, CollectiveOp.ALL_REDUCE, activity));
    }
  }

  private void begin(Layer.Call call, long delayPs) {
    int kind = call.kind().ordinal();
    int activity = 1 + kind;
    List<Line> beside = streams.get(streamOf[kind]);
    begun[kind]++;
    main(new Line(Operation.Kind.SIGNAL, 0, 2 * kind, call.op(), activity));
    beside.add(new Line(Operation.Kind.AWAIT, begun[kind], 2 * kind, call.op(), activity));
    beside.add(new Line(Operation.Kind.COLLECTIVE, call.bytes(), kind, call.op(), activity));
    if (delayPs > 0) {
      beside.add(new Line(Operation.Kind.COMPUTE, delayPs, 0, call.op(), activity));
    }
    beside.add(new Line(Operation.Kind.SIGNAL, 0, 2 * kind + 1, call.op(), activity));
  }

  private void join(GroupKind kind) {
    main(new Line(
        Operation.Kind.AWAIT, begun[kind.ordinal()], 2 * kind.ordinal() + 1, CollectiveOp.ALL_REDUCE,
        1 + kind.ordinal()));
  }

  int streams() {
    return streams.size();
  }

  int length(int stream) {
    return streams.get(stream).size();
  }

  /** Fills an operation in, with a rank's groups by kind. */
  void fill(int stream, int at, int[] groups, Operation operation) {
    Line line = streams.get(stream).get(at);
    operation.activity(line.activity());
    switch (line.kind()) {
      case COMPUTE :
        operation.compute(line.amount());
        break;
      case SIGNAL :
        operation.signal(line.number());
        break;
      case AWAIT :
        operation.await(line.number(), line.amount());
        break;
      default :
        operation.collective(groups[line.number()], line.op(), line.amount(), 0);
    }
  }
}
