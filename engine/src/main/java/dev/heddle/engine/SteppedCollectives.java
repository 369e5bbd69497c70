package dev.heddle.engine;

import dev.heddle.collective.MessageLabel;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.TransportModel;
import dev.heddle.internal.collect.EventQueue;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;

/**
 * Carries out collectives step by step: each member runs its steps of the schedule as soon as it comes to the
 * collective, and messages are all that it learns of the others.
 */
public final class SteppedCollectives implements Collectives {
  /** Tags from here on belong to collectives. */
  private static final int FIRST_TAG = 1 << 23;

  private static final int CHANNELS = 1 << 10;

  private final CollectiveGroups communicators;
  private final CollectiveLog log;
  private final EventQueue clock;
  private final CallCache<Schedule> schedules = new CallCache<>();

  /**
   * Carries out the collectives of the ranks of one part of the network.
   *
   * @param communicators of the run
   * @param log where their times go
   * @param clock the part's time
   */
  public SteppedCollectives(CollectiveGroups communicators, CollectiveLog log, EventQueue clock) {
    this.communicators = communicators;
    this.log = log;
    this.clock = clock;
  }

  @Override
  public boolean arrive(ProgramRunner runner, int slot, int rank, Operation operation) {
    int group = operation.tag();
    int position = communicators.position(group, rank);
    Schedule schedule = schedule(CollectiveCall.of(operation));
    for (int aggregator = 0; aggregator < schedule.layout().aggregators(); aggregator++) {
      if (schedule.host(aggregator) == position) {
        runner.spawnBeside(
            communicators.rankOf(schedule.aggregators().get(aggregator)),
            program(group, schedule, schedule.ranks() + aggregator));
      }
    }
    return runner.spawn(
        slot, new Timed(program(group, schedule, position), entry(group, rank, operation)));
  }

  /** The schedule of a call. */
  public Schedule schedule(CollectiveCall call) {
    return schedules.get(call, each -> ofClass(communicators.plan(each).schedule(), each.networkClass()));
  }

  // The traffic classes that an algorithm chooses for messages between nodes stay: those of NCCL's variables, for one.
  private Schedule ofClass(Schedule schedule, int networkClass) {
    TransportModel.Connections own = schedule.protocol().connections();
    boolean all = communicators.isOneNode();
    int data = all ? networkClass : either(own.dataClass(), networkClass);
    int credit = all ? networkClass : either(own.creditClass(), networkClass);
    return data == own.dataClass() && credit == own.creditClass() ? schedule
        : schedule.withProtocol(schedule.protocol().with(new TransportModel.Connections(
            own.paths(), own.splitsMessages(), own.adaptiveAbove(), data, credit, own.headers(), own.buffers())));
  }

  private static int either(int chosen, int networkClass) {
    return chosen == MessageLabel.SAME_CLASS ? networkClass : chosen;
  }

  /** The program of a member of a schedule, or after those of an aggregator, which has no costs. */
  public Program program(int group, Schedule schedule, int position) {
    TransportModel protocol = schedule.protocol();
    return program(group, schedule, position, position < schedule.ranks() ? protocol : protocol.withoutCosts());
  }

  /** A member's program that notes its end in the log. */
  public Program timed(Program program, CollectiveLog.Call part) {
    return new Timed(program, part);
  }

  /** Notes the end of a member's part in the log. */
  public void ended(CollectiveLog.Call part) {
    log.add(new CollectiveLog.Call(
        part.group(), part.sequence(), part.op(), part.ranks(), part.bytes(), part.startPs(), clock.now(), 1));
  }

  private ScheduleProgram program(int group, Schedule schedule, int participant, TransportModel protocol) {
    RankSteps steps = schedule.steps(participant);
    // A rank's thread blocks are tags of its accesses to memory, of which an aggregator has none.
    if (participant < schedule.ranks() && steps.threadBlocks() > 2 * CHANNELS) {
      throw new IllegalArgumentException("a rank has at most " + 2 * CHANNELS + " thread blocks: " + schedule);
    }
    for (int block = 0; block < steps.threadBlocks(); block++) {
      if (steps.channel(block) >= CHANNELS - 1) {
        throw new IllegalArgumentException("a schedule has at most " + (CHANNELS - 1) + " channels: " + schedule);
      }
    }
    return new ScheduleProgram(
        steps, schedule.layout(), protocol, peers(group, schedule, participant), firstTag(group));
  }

  /** The first tag of a group's messages. */
  public static int firstTag(int group) {
    return FIRST_TAG + group % CollectiveGroups.TAGGED_GROUPS * 2 * CHANNELS;
  }

  /** Whether a message to another rank with a tag tells a sender that its connection has room again. */
  public static boolean makesRoom(int tag) {
    return tag >= FIRST_TAG && (tag - FIRST_TAG) % 2 == 1;
  }

  /** The label of a route of a connection that spreads its messages over some. */
  public static int route(int dataTag, int peer, long number) {
    return ScheduleProgram.route(dataTag, peer, number);
  }

  private ScheduleProgram.Peers peers(int group, Schedule schedule, int participant) {
    int terminal = terminal(group, schedule, participant);
    int node = communicators.node(terminal);
    int self = communicators.rankOf(terminal);
    boolean hasMemory = communicators.hasMemory(terminal);
    return new ScheduleProgram.Peers() {
      @Override
      public int rank(int member) {
        return member < schedule.ranks()
            ? communicators.group(group).member(member)
            : communicators.rankOf(terminal(group, schedule, member));
      }

      @Override
      public boolean apart(int member) {
        return node < 0 || communicators.node(terminal(group, schedule, member)) != node;
      }

      @Override
      public boolean isOneNode() {
        return communicators.isOneNode();
      }

      @Override
      public int self() {
        return self;
      }

      @Override
      public boolean hasMemory() {
        return hasMemory;
      }
    };
  }

  private int terminal(int group, Schedule schedule, int participant) {
    return participant < schedule.ranks()
        ? communicators.terminal(group, participant)
        : schedule.aggregators().get(participant - schedule.ranks());
  }

  /** A member's part of a call, which begins now. */
  public CollectiveLog.Call entry(int group, int rank, Operation operation) {
    return new CollectiveLog.Call(
        group, log.begin(group, rank), operation.collectiveOp(), communicators.group(group).size(), operation.bytes(),
        clock.now(),
        clock.now(), 1);
  }

  /** A member's program that notes in the log when its last stream has ended. */
  private final class Timed implements Program {
    private final Program program;
    private final CollectiveLog.Call part;
    private int running;

    Timed(Program program, CollectiveLog.Call part) {
      this.program = program;
      this.part = part;
      running = program.streams();
      if (running == 0) {
        log.add(part);
      }
    }

    @Override
    public int streams() {
      return program.streams();
    }

    @Override
    public boolean next(int stream, Operation operation) {
      if (program.next(stream, operation)) {
        return true;
      }
      running--;
      if (running == 0) {
        ended(part);
      }
      return false;
    }
  }
}
