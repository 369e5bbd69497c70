package dev.heddle.workload.megatron.program;

import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import dev.heddle.workload.megatron.parallel.GroupKind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The operations of all ranks of a pipeline stage in an iteration. Immutable, shared by the ranks.
 *
 * @param slots order of the passes, as {@link PipelineSlots} packs them
 * @param launches operations before a slot's message is received, by the slot's place in the order, or before those of
 *     the end: gathers and reductions that all stages begin together
 * @param forward forward passes; that of the first micro-batch differs
 * @param backward backward passes; that of the last micro-batch differs
 * @param weights gradients of weights, per chunk, where they have slots of their own
 * @param end operations that follow the last pass
 * @param begins concurrent collectives of the iteration, in their order, by communicator
 * @param groups communicators of all collectives of the iteration
 * @param copies between the device's and the host's memory of the iteration, in their order
 */
record StagePlan(
    int[] slots,
    Map<Integer, List<StageOp>> launches,
    Passes forward,
    Passes backward,
    List<List<StageOp>> weights,
    List<StageOp> end,
    Map<GroupKind, List<StageOp.Begin>> begins,
    Set<GroupKind> groups,
    List<StageOp.Copy> copies) {
  /**
   * The passes of one direction, per chunk.
   *
   * @param plain of most micro-batches
   * @param special of the first or last micro-batch, with its communication of parameters or gradients
   * @param paired of the steady state, where a forward and a backward pass run together
   */
  record Passes(List<List<StageOp>> plain, List<List<StageOp>> special, List<List<StageOp>> paired) {}

  /** The plan with more operations before slots, after those that are there. */
  StagePlan withLaunches(Map<Integer, List<StageOp>> more) {
    Map<Integer, List<StageOp>> all = new TreeMap<>(launches);
    more.forEach((place, ops) -> all.merge(place, ops,
        (before, after) -> Stream.concat(before.stream(), after.stream()).toList()));
    return new StagePlan(slots, all, forward, backward, weights, end, begins, groups, copies);
  }

  /** The plan with the collectives that its passes begin, for a number of micro-batches. */
  StagePlan withBegins(int micros) {
    Map<GroupKind, List<StageOp.Begin>> all = new EnumMap<>(GroupKind.class);
    Set<GroupKind> kinds = EnumSet.noneOf(GroupKind.class);
    List<StageOp.Copy> copied = new ArrayList<>();
    for (int place = 0; place <= slots.length; place++) {
      addCollectives(all, kinds, launches(place));
      List<StageOp> ops = place < slots.length ? ops(place, micros) : end;
      addCollectives(all, kinds, ops);
      ops.stream().filter(StageOp.Copy.class::isInstance).map(StageOp.Copy.class::cast).forEach(copied::add);
    }
    return new StagePlan(slots, launches, forward, backward, weights, end, Maps.immutableEnumMap(all),
        Sets.immutableEnumSet(kinds), List.copyOf(copied));
  }

  private static void addCollectives(
      Map<GroupKind, List<StageOp.Begin>> begins, Set<GroupKind> kinds, List<StageOp> ops) {
    for (StageOp op : ops) {
      if (op instanceof StageOp.Begin begin) {
        begins.computeIfAbsent(begin.group(), group -> new ArrayList<>()).add(begin);
        kinds.add(begin.group());
      } else if (op instanceof StageOp.Blocking blocking) {
        kinds.add(blocking.group());
      }
    }
  }

  /**
   * The number of operations of the passes.
   *
   * @param micros micro-batches
   */
  long operations(int micros) {
    long count = 0;
    for (int place = 0; place < slots.length; place++) {
      count += ops(place, micros).size();
    }
    return count;
  }

  /** The operations before the slot at a place, or before those of the end. */
  List<StageOp> launches(int place) {
    return launches.getOrDefault(place, List.of());
  }

  /** The operations of the slot at a place. */
  List<StageOp> ops(int place, int micros) {
    int slot = slots[place];
    int chunk = PipelineSlots.chunk(slot);
    int micro = PipelineSlots.micro(slot);
    return switch (PipelineSlots.kind(slot)) {
      case PipelineSlots.FORWARD -> (micro == 0 ? forward.special()
          : isKind(place + 1, PipelineSlots.BACKWARD) ? forward.paired() : forward.plain()).get(chunk);
      case PipelineSlots.BACKWARD -> (micro == micros - 1 ? backward.special()
          : isKind(place - 1, PipelineSlots.FORWARD) ? backward.paired() : backward.plain()).get(chunk);
      default -> weights.get(chunk);
    };
  }

  private boolean isKind(int place, int kind) {
    return place >= 0 && place < slots.length && PipelineSlots.kind(slots[place]) == kind;
  }
}
