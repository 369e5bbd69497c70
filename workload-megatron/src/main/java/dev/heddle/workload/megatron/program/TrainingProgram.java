package dev.heddle.workload.megatron.program;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.Arrays;
import java.util.List;

/**
 * One rank's iteration: a cursor over its stage's plan. The first stream computes, receives and sends, and does the
 * collectives that the computation waits for; each communicator that runs beside it has a stream of its own.
 */
final class TrainingProgram implements Program {
  private final Job job;
  private final StagePlan plan;
  private final int rank;
  private final Jitter pace;
  private final int stage;
  private final int[] streamOf = new int[GroupKind.values().length];
  private final Beside[] beside;

  private int slot;
  private Phase phase = Phase.LAUNCH;
  private List<StageOp> pieces = List.of();
  private int piece;
  private long waits;

  /**
   * What all ranks' programs share.
   *
   * @param grid who does what
   * @param micros micro-batches of an iteration
   * @param stages of the pipeline
   * @param chunks of a stage
   * @param messageBytes that a rank passes on to another stage
   * @param sendPs what a rank waits for each message that it sends, to the next stage and to the one before
   */
  record Job(RankGrid grid, int micros, int stages, int chunks, long messageBytes, long[][] sendPs) {}

  private enum Phase {
    LAUNCH, RECEIVE, PIECES, SEND, END
  }

  /** The collectives of one communicator, in a stream of their own: it looks for them in the plan by itself. */
  private static final class Beside {
    private final GroupKind kind;
    private final int group;
    private int slot;
    private boolean launching = true;
    private int piece;
    private int begun;
    private int taken;
    private StageOp.Begin current = NOTHING;
    private Step step = Step.AWAIT;

    private static final StageOp.Begin NOTHING = new StageOp.Begin(GroupKind.DATA, CollectiveOp.ALL_REDUCE, 0);

    private enum Step {
      AWAIT, COLLECTIVE, SIGNAL
    }

    Beside(GroupKind kind, int group) {
      this.kind = kind;
      this.group = group;
    }

    // Whether there is another collective, and which.
    boolean find(StagePlan plan, int micros) {
      while (slot <= plan.slots().length) {
        List<StageOp> pieces = launching ? plan.launches(slot)
            : slot < plan.slots().length ? plan.pieces(slot, micros) : plan.end();
        while (piece < pieces.size()) {
          if (pieces.get(piece++) instanceof StageOp.Begin begin && begin.group() == kind) {
            current = begin;
            return true;
          }
        }
        piece = 0;
        slot += launching ? 0 : 1;
        launching = !launching;
      }
      return false;
    }
  }

  TrainingProgram(Job job, StagePlan plan, int rank, Jitter pace) {
    this.job = job;
    this.plan = plan;
    this.rank = rank;
    this.pace = pace;
    stage = job.grid().stage(rank);
    List<GroupKind> kinds = beside(job.grid());
    beside = new Beside[1 + kinds.size()];
    for (int stream = 1; stream < beside.length; stream++) {
      GroupKind kind = kinds.get(stream - 1);
      streamOf[kind.ordinal()] = stream;
      beside[stream] = new Beside(kind, job.grid().group(kind, rank));
    }
  }

  /** The communicators that have streams of their own, in order, from stream 1. */
  static List<GroupKind> beside(RankGrid grid) {
    return Arrays.stream(GroupKind.values()).filter(kind -> kind.overlapsCompute() && grid.size(kind) > 1).toList();
  }

  @Override
  public int streams() {
    return beside.length;
  }

  @Override
  public boolean next(int stream, Operation operation) {
    return stream == 0 ? main(operation) : beside(stream, operation);
  }

  // --- the stream of the computation ---

  private boolean main(Operation operation) {
    while (true) {
      if (waits > 0) {
        operation.pass(Operation.NO_PASS);
        operation.compute(waits);
        operation.activity(Activity.PIPELINE.ordinal());
        waits = 0;
        return true;
      }
      switch (phase) {
        case LAUNCH :
          List<StageOp> launches = plan.launches(slot);
          if (piece < launches.size()) {
            operation.pass(Operation.NO_PASS);
            carry(launches.get(piece++), operation);
            return true;
          }
          piece = 0;
          phase = Phase.RECEIVE;
          continue;
        case RECEIVE :
          if (slot == plan.slots().length) {
            pieces = plan.end();
            piece = 0;
            phase = Phase.END;
            continue;
          }
          pieces = plan.pieces(slot, job.micros());
          piece = 0;
          phase = Phase.PIECES;
          if (receives()) {
            operation.pass(Operation.NO_PASS);
            operation.receive(peer(-direction()), tag(0));
            operation.activity(Activity.PIPELINE.ordinal());
            return true;
          }
          continue;
        case PIECES :
        case END :
          if (piece < pieces.size()) {
            operation.pass(phase == Phase.END ? PipelineSlots.update() : plan.slots()[slot]);
            carry(pieces.get(piece++), operation);
            return true;
          }
          if (phase == Phase.END) {
            return false;
          }
          phase = Phase.SEND;
          continue;
        default :
          phase = Phase.LAUNCH;
          piece = 0;
          boolean sends = sends();
          if (sends) {
            operation.pass(Operation.NO_PASS);
            operation.send(peer(direction()), job.messageBytes(), tag(direction()), 0);
            operation.activity(Activity.PIPELINE.ordinal());
          }
          waits = sends ? job.sendPs()[stage][direction() > 0 ? 0 : 1] : 0;
          slot++;
          if (sends) {
            return true;
          }
      }
    }
  }

  private void carry(StageOp next, Operation operation) {
    if (next instanceof StageOp.Compute compute) {
      operation.compute(pace.stretch(compute.ps()));
      operation.activity(compute.activity().ordinal());
    } else if (next instanceof StageOp.Blocking blocking) {
      operation.collective(job.grid().group(blocking.group(), rank), blocking.op(), blocking.bytes(), 0);
      operation.activity(blocking.activity().ordinal());
    } else if (next instanceof StageOp.Begin begin) {
      int stream = streamOf[begin.group().ordinal()];
      beside[stream].begun++;
      operation.signal(begunSignal(stream));
    } else if (next instanceof StageOp.Await await) {
      operation.await(endedSignal(streamOf[await.group().ordinal()]), await.ended());
      operation.activity(await.activity().ordinal());
    } else if (next instanceof StageOp.Join join) {
      int stream = streamOf[join.group().ordinal()];
      operation.await(endedSignal(stream), Math.max(0, beside[stream].begun - join.leave()));
      operation.activity(join.activity().ordinal());
    }
  }

  // --- passing on ---

  private int kind() {
    return PipelineSlots.kind(plan.slots()[slot]);
  }

  private int direction() {
    return kind() == PipelineSlots.FORWARD ? 1 : -1;
  }

  private int virtual() {
    return PipelineSlots.chunk(plan.slots()[slot]) * job.stages() + stage;
  }

  private boolean receives() {
    return kind() == PipelineSlots.FORWARD ? virtual() > 0
        : kind() == PipelineSlots.BACKWARD && virtual() < job.stages() * job.chunks() - 1;
  }

  private boolean sends() {
    return kind() == PipelineSlots.FORWARD ? virtual() < job.stages() * job.chunks() - 1
        : kind() == PipelineSlots.BACKWARD && virtual() > 0;
  }

  private int peer(int towards) {
    return job.grid().atStage(rank, Math.floorMod(stage + towards, job.stages()));
  }

  // A message is known by its direction, its micro-batch and the chunk of its receiver.
  private int tag(int towards) {
    int chunk = Math.floorDiv(virtual() + towards, job.stages());
    int micro = PipelineSlots.micro(plan.slots()[slot]);
    return 2 * (micro * job.chunks() + chunk) + (direction() > 0 ? 0 : 1);
  }

  // --- streams beside ---

  private boolean beside(int stream, Operation operation) {
    Beside of = beside[stream];
    switch (of.step) {
      case AWAIT :
        if (!of.find(plan, job.micros())) {
          return false;
        }
        of.taken++;
        operation.await(begunSignal(stream), of.taken);
        of.step = Beside.Step.COLLECTIVE;
        return true;
      case COLLECTIVE :
        operation.collective(of.group, of.current.op(), of.current.bytes(), 0);
        of.step = Beside.Step.SIGNAL;
        return true;
      default :
        operation.signal(endedSignal(stream));
        of.step = Beside.Step.AWAIT;
        return true;
    }
  }

  private static int begunSignal(int stream) {
    return 2 * stream;
  }

  private static int endedSignal(int stream) {
    return 2 * stream + 1;
  }
}
