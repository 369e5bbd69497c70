package dev.heddle.training;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.engine.Collectives;
import dev.heddle.engine.Events;
import dev.heddle.engine.ProgramRunner;
import dev.heddle.engine.Transport;
import dev.heddle.internal.collect.EventQueue;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.workload.Operation;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.RankGrid;
import dev.heddle.workload.megatron.program.Activity;
import dev.heddle.workload.megatron.program.Iteration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * An iteration with one rank per pipeline stage: the programs are those of the whole job, but other ranks are left out,
 * and communication takes its time in isolation. The estimate takes milliseconds for any number of ranks.
 */
public final class RepresentativeRanks implements Transport, Collectives {
  private final RankGrid grid;
  private final CommunicationTimes times;
  private final EventQueue queue = new EventQueue();
  private final ProgramRunner runner;
  private final int stages;
  private final long[] sendsUntil;
  private final long[][] spentPs;

  // Messages in flight, and slots that wait for a collective, by the event's argument.
  private final List<int[]> messages = new ArrayList<>();
  private final SharedLinks[] links;
  private final List<Calls> calls = new ArrayList<>();
  private final List<Integer> meeting = new ArrayList<>();
  private final List<Integer> embedding = new ArrayList<>();

  /**
   * Prepares a run.
   *
   * @param iteration that is run
   * @param times of its communication
   */
  private RepresentativeRanks(Iteration iteration, CommunicationTimes times) {
    this.times = times;
    grid = iteration.grid();
    stages = iteration.training().parallel().pipeline();
    sendsUntil = new long[stages];
    spentPs = new long[stages][Activity.values().length];
    links = new SharedLinks[stages];
    Arrays.setAll(links, stage -> new SharedLinks(queue, stage));
    runner = new ProgramRunner(queue, this, this, stages, (rank, stream, operation, start, end) -> {
      if (stream == 0) {
        spentPs[rank][operation.activity()] += end - start;
      }
    });
    for (int stage = 0; stage < stages; stage++) {
      runner.add(stage, iteration.program(grid.atStage(0, stage)));
      calls.add(new Calls(stage));
    }
  }

  /** A collective of a stage, with its time and use of links in isolation. */
  private record Call(int group, CollectiveOp op, long bytes, GroupKind kind, long ps, LinkUse use) {
    boolean is(Operation operation) {
      return group == operation.tag() && bytes == operation.bytes() && op == operation.collectiveOp();
    }
  }

  /** The collectives of a stage, which are few, the last one that was asked for first. */
  private final class Calls {
    private final int stage;
    private final List<Call> known = new ArrayList<>();

    Calls(int stage) {
      this.stage = stage;
    }

    Call find(Operation operation) {
      for (int i = 0; i < known.size(); i++) {
        if (known.get(i).is(operation)) {
          Collections.swap(known, 0, i);
          return known.get(0);
        }
      }
      int rank = grid.atStage(0, stage);
      GroupKind kind = grid.kind(operation.tag());
      CollectiveOp op = operation.collectiveOp();
      Call call = new Call(operation.tag(), op, operation.bytes(), kind,
          times.collectivePs(kind, rank, op, operation.bytes()), times.use(kind, rank, op, operation.bytes()));
      known.add(0, call);
      return call;
    }
  }

  /**
   * Estimates an iteration.
   *
   * @param iteration that is run
   * @param times of its communication
   * @throws InvalidSettingException when it takes 2^63 ps or more
   */
  public static Estimate of(Iteration iteration, CommunicationTimes times) {
    RepresentativeRanks folded = new RepresentativeRanks(iteration, times);
    try {
      folded.run();
    } catch (ArithmeticException e) {
      Training training = iteration.training();
      throw new InvalidSettingException("sequence", "an iteration of " + training.batch().sequences(folded.grid.data())
          + " sequences of " + training.shape().sequence() + " tokens passes the end of simulated time, 2^63 ps (about"
          + " 106 days); take shorter or fewer sequences, or more accelerators (" + e.getMessage() + ")");
    }
    return new Estimate(iteration, folded.queue.now(), folded.spentPs);
  }

  private void run() {
    runner.start();
    while (queue.pop()) {
      long event = queue.event();
      int target = Events.target(event);
      switch (Events.kind(event)) {
        case Events.DELIVER :
          int[] message = messages.get(target);
          runner.onDelivered(message[1], grid.atStage(0, message[0]), message[2]);
          break;
        case Events.COLLECTIVE :
          runner.resume(target);
          break;
        case Events.FINISH :
          int slot = links[target].ended(Events.argument(event));
          if (slot >= 0) {
            runner.resume(slot);
          }
          break;
        default :
          runner.onTimer(target, Events.argument(event));
      }
    }
    if (runner.running() > 0) {
      throw new IllegalStateException("the iteration stalls:\n" + runner.waiting());
    }
  }

  @Override
  public boolean hasRoom(int rank) {
    return true;
  }

  @Override
  public void submit(int rank, int peer, long bytes, int tag, int service) {
    long start = Math.max(queue.now(), sendsUntil[rank]);
    sendsUntil[rank] = Math.addExact(start, times.messagePs(grid.atStage(0, rank), peer, bytes));
    messages.add(new int[] {rank, grid.stage(peer), tag});
    queue.push(sendsUntil[rank], Events.pack(Events.DELIVER, messages.size() - 1, 0));
  }

  @Override
  public void refuse(int rank, int peer, long bytes) {
    throw new IllegalStateException("an iteration offers nothing");
  }

  @Override
  public boolean arrive(ProgramRunner asking, int slot, int rank, Operation operation) {
    Call call = calls.get(rank).find(operation);
    long ps = call.ps;
    int present = call.kind == GroupKind.MODEL ? stages : call.kind == GroupKind.EMBEDDING ? 2 : 1;
    if (present == 1) {
      links[rank].begin(slot, ps, call.use);
      return false;
    }
    // First and last stage synchronise once for the embedding's gradients, then all stages for the norm.
    List<Integer> at = call.kind == GroupKind.MODEL ? meeting : embedding;
    at.add(slot);
    if (at.size() == present) {
      long end = Math.addExact(queue.now(), ps);
      at.forEach(waiting -> queue.push(end, Events.pack(Events.COLLECTIVE, waiting, 0)));
      at.clear();
    }
    return false;
  }
}
