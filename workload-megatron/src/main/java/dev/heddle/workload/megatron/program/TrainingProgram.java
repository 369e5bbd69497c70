package dev.heddle.workload.megatron.program;

import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * One rank's iteration: a cursor over its stage's plan. The first stream computes, receives and sends, and performs the
 * collectives that the computation waits for; each communicator that overlaps it has a stream of its own, and so have
 * copies to the host's memory and the host, which launches the device's work.
 */
final class TrainingProgram implements Program {
  private final Job job;
  private final StagePlan plan;
  private final int rank;
  private final Jitter jitter;
  private final int stage;
  private final int[] streamOf = new int[GroupKind.values().length];
  private final CollectiveStream[] streamCursors;
  private final CopyStream copies;
  private final HostStream host;

  private int slot;
  private Phase phase = Phase.LAUNCH;
  private List<StageOp> ops = List.of();
  private int nextOp;
  private long sendWaitPs;
  private int launched;
  private int copied;

  /**
   * The parameters that all ranks' programs share.
   *
   * @param grid places of the ranks
   * @param micros micro-batches of an iteration
   * @param stages of the pipeline
   * @param chunks of a stage
   * @param messageBytes size of a rank's message to another stage
   * @param host work of the host beside the device's
   * @param sendPs duration of a rank's sends, by stage: to the next stage and to the previous one
   */
  record Job(
      RankGrid grid, int micros, int stages, int chunks, long messageBytes, HostStream.Kind host, long[][] sendPs) {}

  private enum Phase {
    LAUNCH, RECEIVE, REACH, SLOT, SEND, END
  }

  /** The stream of one communicator's collectives: a cursor over those of the plan. */
  private static final class CollectiveStream {
    private final int group;
    private final List<StageOp.Begin> collectives;
    // The stream whose collectives those of this one come after; 0 for none.
    private final int followed;
    private int begun;
    private int taken;
    private Step step = Step.AWAIT;

    private enum Step {
      AWAIT, FOLLOW, COLLECTIVE, SIGNAL
    }

    CollectiveStream(int group, List<StageOp.Begin> collectives, int followed) {
      this.group = group;
      this.collectives = collectives;
      this.followed = followed;
    }
  }

  TrainingProgram(Job job, StagePlan plan, int rank, Jitter pace) {
    this.job = job;
    this.plan = plan;
    this.rank = rank;
    this.jitter = pace;
    stage = job.grid().stage(rank);
    host = new HostStream(plan, job.micros(), job.host());
    List<GroupKind> kinds = overlappingKinds(job.grid());
    streamCursors = new CollectiveStream[1 + kinds.size()];
    copies = new CopyStream(
        plan.copies(), begunSignal(streamCursors.length), endedSignal(streamCursors.length));
    for (int stream = 1; stream < streamCursors.length; stream++) {
      GroupKind kind = kinds.get(stream - 1);
      streamOf[kind.ordinal()] = stream;
      streamCursors[stream] = new CollectiveStream(
          job.grid().group(kind, rank), plan.begins().getOrDefault(kind, List.of()),
          kind.follows().map(before -> streamOf[before.ordinal()]).orElse(0));
    }
  }

  /** The communicators that have streams of their own, in order, from stream 1. */
  static List<GroupKind> overlappingKinds(RankGrid grid) {
    return Arrays.stream(GroupKind.values()).filter(kind -> kind.overlapsCompute() && grid.size(kind) > 1).toList();
  }

  @Override
  public int streams() {
    return hostStream() + (job.host() == HostStream.Kind.NONE ? 0 : 1);
  }

  // Copies have the stream before it, where there are any.
  private int hostStream() {
    return streamCursors.length + (plan.copies().isEmpty() ? 0 : 1);
  }

  // Ranks of a stage do the same, unless kernels take other times on each.
  @Override
  public Optional<Template> template() {
    if (jitter != Jitter.PLANNED) {
      return Optional.empty();
    }
    int[] towards = {-1, 1};
    int[] peers = Arrays.stream(towards)
        .filter(step -> job.chunks() > 1 || stage + step >= 0 && stage + step < job.stages())
        .map(this::peer).distinct().toArray();
    int[] groups = plan.groups().stream().mapToInt(kind -> job.grid().group(kind, rank)).toArray();
    return Optional.of(new Template(plan.slots(), peers, groups));
  }

  @Override
  public boolean next(int stream, Operation operation) {
    if (stream >= streamCursors.length) {
      return stream == hostStream() ? host.next(operation) : copies.next(operation);
    }
    return stream == 0 ? nextOfCompute(operation) : nextOfCollectives(stream, operation);
  }

  // --- the compute stream ---

  private boolean nextOfCompute(Operation operation) {
    while (sendWaitPs == 0) {
      switch (phase) {
        case LAUNCH :
          if (nextOf(plan.launches(slot), Operation.NO_PASS, operation)) {
            return true;
          }
          nextOp = 0;
          phase = Phase.RECEIVE;
          break;
        case RECEIVE :
          if (receive(operation)) {
            return true;
          }
          break;
        case REACH :
          phase = Phase.SLOT;
          operation.pass(Operation.NO_PASS);
          operation.signal(HostStream.REACHED);
          return true;
        case SLOT :
          if (nextOf(ops, plan.slots()[slot], operation)) {
            return true;
          }
          phase = Phase.SEND;
          break;
        case END :
          return nextOf(ops, PipelineSlots.update(), operation);
        default :
          if (send(operation)) {
            return true;
          }
      }
    }
    operation.pass(Operation.NO_PASS);
    operation.compute(sendWaitPs);
    operation.activity(Activity.PIPELINE.ordinal());
    sendWaitPs = 0;
    return true;
  }

  private boolean nextOf(List<StageOp> list, int pass, Operation operation) {
    while (nextOp < list.size() && list.get(nextOp) instanceof StageOp.Synchronise) {
      nextOp++;
    }
    if (nextOp == list.size()) {
      return false;
    }
    operation.pass(pass);
    describe(list.get(nextOp++), operation);
    return true;
  }

  private boolean receive(Operation operation) {
    if (slot == plan.slots().length) {
      ops = plan.end();
      phase = Phase.END;
      return false;
    }
    ops = plan.ops(slot, job.micros());
    phase = job.host() == HostStream.Kind.SYNCHRONOUS ? Phase.REACH : Phase.SLOT;
    if (!receives()) {
      return false;
    }
    operation.pass(Operation.NO_PASS);
    operation.receive(peer(-direction()), tag(0));
    operation.activity(Activity.PIPELINE.ordinal());
    return true;
  }

  private boolean send(Operation operation) {
    boolean sends = sends();
    if (sends) {
      operation.pass(Operation.NO_PASS);
      operation.send(peer(direction()), job.messageBytes(), tag(direction()), 0);
      operation.activity(Activity.PIPELINE.ordinal());
      sendWaitPs = job.sendPs()[stage][direction() > 0 ? 0 : 1];
    }
    nextOp = 0;
    phase = Phase.LAUNCH;
    slot++;
    return sends;
  }

  private void describe(StageOp next, Operation operation) {
    if (next instanceof StageOp.Compute compute) {
      operation.compute(jitter.stretch(compute.ps()));
      operation.activity(compute.activity().ordinal());
    } else if (next instanceof StageOp.Launch) {
      launched++;
      operation.await(HostStream.LAUNCHED, launched);
      operation.activity(Activity.HOST.ordinal());
    } else if (next instanceof StageOp.Reach) {
      operation.signal(HostStream.REACHED);
    } else if (next instanceof StageOp.Blocking blocking) {
      operation.collective(job.grid().group(blocking.group(), rank), blocking.op(), blocking.bytes(), 0);
      operation.activity(blocking.activity().ordinal());
    } else if (next instanceof StageOp.Begin begin) {
      int stream = streamOf[begin.group().ordinal()];
      streamCursors[stream].begun++;
      operation.signal(begunSignal(stream));
    } else if (next instanceof StageOp.Copy) {
      copied++;
      operation.signal(begunSignal(streamCursors.length));
    } else if (next instanceof StageOp.JoinCopies) {
      operation.await(endedSignal(streamCursors.length), copied);
      operation.activity(Activity.OFFLOAD.ordinal());
    } else if (next instanceof StageOp.Await await) {
      operation.await(endedSignal(streamOf[await.group().ordinal()]), await.ended());
      operation.activity(await.activity().ordinal());
    } else if (next instanceof StageOp.Join join) {
      int stream = streamOf[join.group().ordinal()];
      operation.await(endedSignal(stream), Math.max(0, streamCursors[stream].begun - join.leave()));
      operation.activity(join.activity().ordinal());
    }
  }

  // --- messages between stages ---

  private int kind() {
    return PipelineSlots.kind(plan.slots()[slot]);
  }

  private int direction() {
    return kind() == PipelineSlots.FORWARD ? 1 : -1;
  }

  private int virtualStage() {
    return PipelineSlots.chunk(plan.slots()[slot]) * job.stages() + stage;
  }

  private boolean receives() {
    return kind() == PipelineSlots.FORWARD ? virtualStage() > 0
        : kind() == PipelineSlots.BACKWARD && virtualStage() < job.stages() * job.chunks() - 1;
  }

  private boolean sends() {
    return kind() == PipelineSlots.FORWARD ? virtualStage() < job.stages() * job.chunks() - 1
        : kind() == PipelineSlots.BACKWARD && virtualStage() > 0;
  }

  private int peer(int towards) {
    return job.grid().atStage(rank, Math.floorMod(stage + towards, job.stages()));
  }

  // A message is identified by its direction, its micro-batch and the chunk of its receiver.
  private int tag(int towards) {
    int chunk = Math.floorDiv(virtualStage() + towards, job.stages());
    int micro = PipelineSlots.micro(plan.slots()[slot]);
    return 2 * (micro * job.chunks() + chunk) + (direction() > 0 ? 0 : 1);
  }

  // --- streams of collectives ---

  private boolean nextOfCollectives(int stream, Operation operation) {
    CollectiveStream cursor = streamCursors[stream];
    switch (cursor.step) {
      case AWAIT :
        if (cursor.taken == cursor.collectives.size()) {
          return false;
        }
        cursor.taken++;
        operation.await(begunSignal(stream), cursor.taken);
        cursor.step = cursor.followed > 0 ? CollectiveStream.Step.FOLLOW : CollectiveStream.Step.COLLECTIVE;
        return true;
      case FOLLOW :
        operation.await(endedSignal(cursor.followed), cursor.taken);
        cursor.step = CollectiveStream.Step.COLLECTIVE;
        return true;
      case COLLECTIVE :
        StageOp.Begin begin = cursor.collectives.get(cursor.taken - 1);
        operation.collective(cursor.group, begin.op(), begin.bytes(), 0);
        cursor.step = CollectiveStream.Step.SIGNAL;
        return true;
      default :
        operation.signal(endedSignal(stream));
        cursor.step = CollectiveStream.Step.AWAIT;
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
