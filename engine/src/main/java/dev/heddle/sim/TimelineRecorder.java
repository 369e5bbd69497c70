package dev.heddle.sim;

import dev.heddle.fabric.Fabric;
import dev.heddle.observe.ActivityObserver;
import dev.heddle.results.Timeline;
import dev.heddle.results.Timeline.Lane;
import dev.heddle.results.Timeline.Span;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Workload.Activity;
import dev.heddle.spi.Workload.Pass;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.units.DataSize;
import dev.heddle.workload.Operation;
import java.util.ArrayList;
import java.util.List;

/** Recorder of the operations of some ranks over time. Each rank's spans are written by one thread. */
final class TimelineRecorder implements ActivityObserver {
  private static final Pass NO_PASS = new Pass("", "");

  private final WorkloadPlan workload;
  private final List<Activity> activities;
  private final int[] terminals;
  private final List<Integer> ranks;
  // Per rank of the run; null for one that is not kept.
  private final Kept[] kept;

  /** A rank's spans by stream. Their lanes are the streams until the timeline is put together. */
  private static final class Kept {
    private final List<List<Span>> streams = new ArrayList<>();

    List<Span> of(int stream) {
      while (streams.size() <= stream) {
        streams.add(new ArrayList<>());
      }
      return streams.get(stream);
    }
  }

  /**
   * Keeps nothing yet.
   *
   * @throws InvalidSettingException when a rank is not of the run
   */
  TimelineRecorder(WorkloadPlan workload, int[] terminals, List<Integer> ranks) {
    this.workload = workload;
    activities = workload.activities();
    this.terminals = terminals;
    this.ranks = ranks.stream().sorted().distinct().toList();
    kept = new Kept[terminals.length];
    for (int rank : ranks) {
      SimulationOptions.refusedTrace(rank, terminals.length).ifPresent(reason -> {
        throw new InvalidSettingException("run.trace", "trace: " + reason);
      });
      kept[rank] = new Kept();
    }
  }

  @Override
  public void spent(int rank, int stream, Operation operation, long startPs, long endPs) {
    if (kept.length <= rank || kept[rank] == null) {
      return;
    }
    Pass pass = operation.pass() == Operation.NO_PASS ? NO_PASS : workload.pass(operation.pass());
    // As with the activities' sums, only the first stream's time counts to any.
    String activity = activities.isEmpty() || stream > 0 ? "" : activities.get(operation.activity()).title();
    kept[rank].of(stream).add(
        new Span(stream, what(operation), activity, pass.kind(), pass.label(), startPs, endPs));
  }

  private static String what(Operation operation) {
    return switch (operation.kind()) {
      case COMPUTE -> "compute";
      case SEND -> "send " + DataSize.ofBytes(operation.bytes()) + " to rank " + operation.peer();
      case RECEIVE -> "receive from rank " + operation.peer();
      case GENERATE -> "write " + DataSize.ofBytes(operation.bytes()) + " to rank " + operation.peer();
      case SIGNAL -> "signal";
      case AWAIT -> "wait";
      case COLLECTIVE -> operation.collectiveOp().key() + " of " + DataSize.ofBytes(operation.bytes());
    };
  }

  /** The recorded operations. */
  Timeline timeline(Fabric fabric) {
    List<Lane> lanes = new ArrayList<>();
    List<Span> spans = new ArrayList<>();
    for (int rank : ranks) {
      List<List<Span>> streams = kept[rank].streams;
      for (int stream = 0; stream < streams.size(); stream++) {
        if (!streams.get(stream).isEmpty()) {
          int lane = lanes.size();
          lanes.add(new Lane(rank, fabric.name(terminals[rank]), stream, workload.stream(rank, stream)));
          streams.get(stream).forEach(span -> spans.add(new Span(
              lane, span.what(), span.activity(), span.pass(), span.label(), span.startPs(), span.endPs())));
        }
      }
    }
    return new Timeline(lanes, spans);
  }
}
