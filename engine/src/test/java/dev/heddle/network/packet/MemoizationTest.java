package dev.heddle.network.packet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.MessageLabel;
import dev.heddle.collective.TransportModel;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.results.Results;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.sim.SimulationOptions.Memoization;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.standard.collective.DirectAlgorithmProvider;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.standard.link.GenericSwitchProvider;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.Topology;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.RandomStream;
import dev.heddle.units.SimTime;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random machines with random collectives of two divisions of the ranks into groups, and messages between: every result
 * is the same whether calls that recur are replayed or not.
 */
class MemoizationTest {
  private static final int CALLS = 12;

  private static PacketNetwork.MemoizedCalls callsOfAll = PacketNetwork.MemoizedCalls.NONE;
  private static PacketNetwork.MemoizedCalls callsWithMessages = PacketNetwork.MemoizedCalls.NONE;

  @AfterAll
  static void shouldHaveReplayedAndDisturbedCalls() {
    if (!Fixtures.replaysOneSeed()) {
      assertThat(callsOfAll.replayed()).as("calls replayed").isGreaterThan(4 * callsOfAll.recorded());
      assertThat(callsOfAll.disturbed()).as("calls disturbed").isGreaterThan(20);
      assertThat(callsWithMessages.withMessages()).as("calls replayed with messages").isGreaterThan(100);
      assertThat(callsWithMessages.disturbed()).as("calls disturbed beside messages").isGreaterThan(20);
    }
  }

  // In the last ones a message meets a call in an instant in which the call has events of its own.
  static LongStream seeds() {
    LongStream seeds = Fixtures.seeds(5000, 60);
    return Fixtures.replaysOneSeed() ? seeds : LongStream.concat(seeds, LongStream.of(5706, 5840, 5965, 6330));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldYieldEqualResultsWhenRanksSendAsTheyArriveAtCalls(long seed) {
    RandomStream random = RandomStream.of(seed, "memoization", "shape");
    Fabric fabric = machine(random);
    SimulationOptions options = SimulationOptions.defaults()
        .granularity(SimulationOptions.Granularity.BURST, DataSize.ofBytes(512L << random.nextInt(5)))
        .injectionQueue(random.nextInt(4) == 0 ? 1 + random.nextInt(8) : 1024);
    CollectiveAlgorithm algorithm = algorithm(random);
    Workload workload = new Pipeline(seed, random.nextInt(4) == 0);
    callsWithMessages = callsWithMessages.plus(shouldBeEqual(
        changed -> new Simulation("run", fabric, workload, changed, seed).with(algorithm), options, 2));
  }

  /**
   * Two groups of ranks that take turns: those of one begin a collective beside their own stream, and each sends a
   * message or two to its partner in the other group in the same instant; some partners send one a little later.
   *
   * @param jitter whether some members are late
   */
  private record Pipeline(long seed, boolean jitter) implements Workload {
    @Override
    public WorkloadPlan plan(Cluster cluster) {
      int[] ranks = cluster.terminals(DeviceKind.ACCELERATOR);
      int half = ranks.length / 2;
      return WorkloadPlan.of(ranks, this::program)
          .withGroups(List.of(Group.of(Training.range(0, half, 1)), Group.of(Training.range(half, 2 * half, 1))));
    }

    private Program program(int rank, WorkloadContext context) {
      return new Turns(this, rank, context.ranks() / 2, context.ranks());
    }
  }

  private static final class Turns implements Program {
    private static final int STEPS = 8;
    private final Pipeline pipeline;
    private final int rank;
    private final int half;
    private final int ranks;
    private final RandomStream common;
    private final RandomStream own;
    private int turn;
    private int step;
    private int begun;
    private int called;

    Turns(Pipeline pipeline, int rank, int half, int ranks) {
      this.pipeline = pipeline;
      this.rank = rank;
      this.half = half;
      this.ranks = ranks;
      common = RandomStream.of(pipeline.seed, "turns", "memoization");
      own = RandomStream.of(pipeline.seed, "rank " + rank, "turns");
    }

    @Override
    public int streams() {
      return 2;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      if (half == 0 || rank >= 2 * half || ranks < 2) {
        return false;
      }
      return stream == 0 ? turn(operation) : call(operation);
    }

    // A pause, the signal for the collective, one or two messages, and the wait for the partner's.
    private boolean turn(Operation operation) {
      if (turn == CALLS) {
        return false;
      }
      boolean first = (rank < half) == (turn % 2 == 0);
      int partner = rank < half ? rank + half : rank - half;
      switch (step++) {
        case 0 -> operation.compute(
            (1 + common.nextInt(30)) * 1_000_000L + (pipeline.jitter && own.nextInt(5) == 0 ? own.nextInt(9000) : 0));
        case 1 -> operation.signal(first ? 0 : 1);
        case 2 -> {
          if (first) {
            operation.send(partner, 1L << 6 + turn % 3 * 5, turn, turn % 2);
          } else {
            operation.compute(own.nextInt(8) * 100_000L);
          }
        }
        case 3 -> {
          if (first && turn % 4 < 2) {
            operation.send(partner, 700, CALLS + turn, 0);
          } else if (!first && turn % 3 != 0) {
            operation.send(partner, 500, 2 * CALLS + turn, 0);
          } else {
            operation.signal(1);
          }
        }
        case 4 -> {
          if (first) {
            operation.signal(1);
          } else {
            operation.receive(partner, turn);
          }
        }
        case 5 -> {
          if (first || turn % 4 >= 2) {
            operation.signal(1);
          } else {
            operation.receive(partner, CALLS + turn);
          }
        }
        case 6 -> {
          if (first && turn % 3 != 0) {
            operation.receive(partner, 2 * CALLS + turn);
          } else {
            operation.signal(1);
          }
        }
        default -> operation.signal(1);
      }
      if (step == STEPS) {
        step = 0;
        turn++;
      }
      return true;
    }

    private boolean call(Operation operation) {
      if (begun > called) {
        called++;
        operation.collective(
            rank < half ? 0 : 1, called % 3 == 0 ? CollectiveOp.ALL_TO_ALL : CollectiveOp.ALL_REDUCE, 8192, 0);
        return true;
      }
      if (begun == CALLS / 2) {
        return false;
      }
      begun++;
      operation.await(0, begun);
      return true;
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldYieldEqualResultsWhenCallsAreReplayed(long seed) {
    RandomStream random = RandomStream.of(seed, "memoization", "shape");
    Fabric fabric = machine(random);
    SimulationOptions options = SimulationOptions.defaults()
        .granularity(SimulationOptions.Granularity.BURST, DataSize.ofBytes(512L << random.nextInt(5)))
        .injectionQueue(random.nextInt(3) == 0 ? 1 + random.nextInt(8) : 1024);
    CollectiveAlgorithm algorithm = algorithm(random);
    Workload workload = new Training(seed, random.nextInt(3), random.nextInt(3) == 0);
    callsOfAll = callsOfAll.plus(shouldBeEqual(
        changed -> new Simulation("run", fabric, workload, changed, seed).with(algorithm), options, 3));
  }

  /**
   * Compares a job that replays its calls, on one and more partitions, with the same message by message.
   *
   * @param mostPartitions of the runs
   * @return the calls of all runs
   */
  static PacketNetwork.MemoizedCalls shouldBeEqual(
      Function<SimulationOptions, Simulation> job, SimulationOptions options, int mostPartitions) {
    Simulation full = job.apply(options.memoization(Memoization.NONE));
    Results expected = full.run();
    PacketNetwork.MemoizedCalls calls = PacketNetwork.MemoizedCalls.NONE;
    for (int partitions = 1; partitions <= mostPartitions; partitions++) {
      Fixtures.Watched model = new Fixtures.Watched();
      Results replayed = job.apply(options.parallel(partitions, 1)).at(model).run();
      calls = calls.plus(model.networks.get(0).memoizedCalls());
      String run = "seed " + full.seed() + ", " + partitions + " partitions";
      assertThat(replayed.metrics()).as("metrics, %s", run).isEqualTo(expected.metrics());
      assertThat(replayed.links()).as("links, %s", run).isEqualTo(expected.links());
      assertThat(replayed.run().fingerprint()).as("fingerprint, %s", run).isEqualTo(expected.run().fingerprint());
      assertThat(replayed).as("results, %s", run).isEqualTo(expected);
    }
    return calls;
  }

  private record Under(CollectiveAlgorithm algorithm, TransportModel protocol) implements CollectiveAlgorithm {
    @Override
    public Communicator communicator(Cluster cluster, Group group) {
      Communicator plain = algorithm.communicator(cluster, group);
      return collective -> CollectivePlan.of(plain.plan(collective).schedule().withProtocol(protocol));
    }
  }

  static CollectiveAlgorithm algorithm(RandomStream random) {
    int channels = 1 + random.nextInt(3);
    CollectiveAlgorithm direct =
        new DirectAlgorithmProvider().create(new DirectAlgorithmProvider.Settings(channels));
    CollectiveAlgorithm ring =
        new RingAlgorithmProvider().create(new RingAlgorithmProvider.Settings(channels, 1 + random.nextInt(4)));
    CollectiveAlgorithm plain = (cluster, group) -> {
      Communicator exchange = direct.communicator(cluster, group);
      Communicator other = ring.communicator(cluster, group);
      return call -> (call.op() == CollectiveOp.ALL_TO_ALL ? exchange : other).plan(call);
    };
    if (random.nextInt(4) == 0) {
      return plain;
    }
    TransportModel.Costs costs = new TransportModel.Costs(
        random.nextInt(2) * 50_000L, random.nextInt(2) * 20_000L, random.nextInt(2) * 3.5, 0,
        random.nextInt(2) * 7_000L, random.nextInt(2) * 90_000L, 0, 0, random.nextInt(2) * 29_989L);
    TransportModel protocol = new TransportModel(
        "test", 1, 1, 1000L << random.nextInt(4), random.nextInt(2) * 40, costs);
    if (random.nextInt(2) == 0) {
      protocol = protocol.with(new TransportModel.Connections(
          1 + random.nextInt(3), random.nextInt(3) == 0, random.nextInt(4) == 0 ? 2000 : Long.MAX_VALUE,
          random.nextInt(2), MessageLabel.SAME_CLASS,
          new TransportModel.Headers(1000, random.nextInt(2) * 16, random.nextInt(2) == 0), 1 + random.nextInt(2)));
    }
    return new Under(plain, protocol);
  }

  static Fabric machine(RandomStream random) {
    int tierCount = 1 + random.nextInt(2);
    Map<DeviceKind, Integer> terminals = new LinkedHashMap<>();
    terminals.put(DeviceKind.ACCELERATOR, 2 + random.nextInt(4));
    if (tierCount > 1) {
      terminals.put(DeviceKind.NIC, 1 + random.nextInt(3));
    }
    List<Tier> tiers = new ArrayList<>();
    tiers.add(new Tier("node", 1, terminals, Optional.of(forwarding(random)), topology(random)));
    for (int tier = 1; tier < tierCount; tier++) {
      tiers.add(new Tier("cluster", 2 + random.nextInt(3), Map.of(), Optional.empty(), topology(random)));
    }
    return Fabric.of(tiers);
  }

  private static Link link(RandomStream random) {
    Optional<DataSize> buffer =
        random.nextInt(4) == 0 ? Optional.empty() : Optional.of(DataSize.ofBytes(40_000 + random.nextInt(60_000)));
    return new GenericLinkProvider().create(new GenericLinkProvider.Settings(
        DataRate.ofGigabitsPerSecond(20 + random.nextInt(400)), SimTime.ofNanos(1 + random.nextInt(60)),
        DataSize.ofBytes(128L << random.nextInt(6)), DataSize.ofBytes(random.nextInt(64)), buffer, Optional.empty(),
        1 + random.nextInt(3)));
  }

  static Switch forwarding(RandomStream random) {
    long output = random.nextInt(2) == 0 ? 0 : 2000 + random.nextInt(20_000);
    return new GenericSwitchProvider().create(new GenericSwitchProvider.Settings(
        SimTime.ofNanos(random.nextInt(100)), Switch.Switching.values()[random.nextInt(3)],
        Switch.Buffering.values()[random.nextInt(3)], Switch.Arbitration.values()[random.nextInt(3)], DataSize.ZERO,
        DataSize.ofBytes(output)));
  }

  // One switch, or two leaves under one or two spines.
  private static Topology topology(RandomStream random) {
    Switch forwarding = forwarding(random);
    Link edge = random.nextInt(4) == 0 ? Fixtures.halfDuplex(link(random)) : link(random);
    Link trunk = link(random);
    boolean byArrival = random.nextInt(3) == 0;
    int spines = random.nextInt(3);
    TierPlan.Selection selection = random.nextInt(5) == 0
        ? TierPlan.Selection.values()[random.nextInt(TierPlan.Selection.values().length)]
        : TierPlan.Selection.SOURCE;
    return new Fixtures.Leaves(forwarding, edge, trunk, spines, selection, byArrival);
  }

  /**
   * Streams of collectives, one for each division of the ranks, and one of messages now and then.
   *
   * @param messages number of messages of a rank
   * @param jitter whether members arrive at different times
   */
  private record Training(long seed, int messages, boolean jitter) implements Workload {
    private static final CollectiveOp[] OPS = {
        CollectiveOp.ALL_REDUCE, CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER, CollectiveOp.ALL_TO_ALL};

    @Override
    public WorkloadPlan plan(Cluster cluster) {
      int[] ranks = cluster.terminals(DeviceKind.ACCELERATOR);
      int width = width(ranks.length);
      List<Group> groups = new ArrayList<>();
      for (int first = 0; first < ranks.length; first += width) {
        groups.add(Group.of(range(first, Math.min(ranks.length, first + width), 1)));
      }
      for (int first = 0; first < width; first++) {
        groups.add(Group.of(range(first, ranks.length, width)));
      }
      return WorkloadPlan.of(ranks, this::program).withGroups(groups);
    }

    private int width(int ranks) {
      return 1 + RandomStream.of(seed, "memoization", "width").nextInt(ranks);
    }

    private static int[] range(int first, int end, int step) {
      return LongStream.iterate(first, at -> at < end, at -> at + step).mapToInt(at -> (int) at).toArray();
    }

    private Program program(int rank, WorkloadContext context) {
      int width = width(context.ranks());
      int rows = (context.ranks() + width - 1) / width;
      return new Calls(this, rank, new int[] {rank / width, rows + rank % width}, context);
    }
  }

  private static final class Calls implements Program {
    private final Training training;
    private final int rank;
    private final int[] groups;
    private final WorkloadContext context;
    private final RandomStream[] random = new RandomStream[3];
    private final RandomStream own;
    private final int[] done = new int[3];
    private final boolean[] paused = new boolean[3];
    private long timePs;

    Calls(Training training, int rank, int[] groups, WorkloadContext context) {
      this.training = training;
      this.rank = rank;
      this.groups = groups;
      this.context = context;
      own = RandomStream.of(training.seed, "rank " + rank, "memoization");
      for (int stream = 0; stream < 2; stream++) {
        random[stream] = RandomStream.of(training.seed, "division " + stream, "memoization");
      }
    }

    @Override
    public int streams() {
      return 3;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      if (stream == 2) {
        return message(operation);
      }
      if (done[stream] == CALLS) {
        return false;
      }
      paused[stream] = !paused[stream];
      if (paused[stream]) {
        long pause = random[stream].nextInt(4) * 1_000_000L;
        operation.compute(pause + (training.jitter && own.nextInt(4) == 0 ? own.nextInt(300_000) : 0));
      } else {
        done[stream]++;
        CollectiveOp op = Training.OPS[random[stream].nextInt(2) * (1 + random[stream].nextInt(3))];
        operation.collective(groups[stream], op, 4096L << 2 * random[stream].nextInt(2), 0);
      }
      return true;
    }

    private boolean message(Operation operation) {
      if (done[2]++ == training.messages || context.ranks() < 2) {
        return false;
      }
      timePs += own.nextInt(20) * 1_000_000L;
      operation.generate(timePs, Fixtures.uniform(rank, context.ranks(), own), 1 + own.nextInt(9000), 0);
      return true;
    }
  }
}
