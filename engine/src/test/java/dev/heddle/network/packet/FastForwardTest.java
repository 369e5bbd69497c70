package dev.heddle.network.packet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.results.Results;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.sim.SimulationOptions.Memoization;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.Topology;
import dev.heddle.units.DataSize;
import dev.heddle.units.RandomStream;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random machines with long messages (permutations, incasts, trees, exchanges of uneven sizes, rings): every result is
 * the same, to the picosecond, whether periods in which the state of packets recurs are skipped or not.
 */
class FastForwardTest {
  private static final int STREAMS = 3;

  private static final List<Double> shares = new ArrayList<>();

  @AfterAll
  static void shouldHaveSkippedMostEvents() {
    if (!Fixtures.replaysOneSeed()) {
      assertThat(shares.stream().filter(share -> share > 0.3).count()).as("runs that skip").isGreaterThan(20);
      assertThat(shares.stream().mapToDouble(share -> share).max().orElse(0)).as("most").isGreaterThan(0.9);
    }
  }

  static LongStream seeds() {
    return Fixtures.seeds(7000, 90);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldYieldEqualResultsWhenPeriodsAreSkipped(long seed) {
    RandomStream random = RandomStream.of(seed, "periods", "shape");
    Fabric fabric = random.nextInt(4) == 0 ? MemoizationTest.machine(random) : machine(random);
    SimulationOptions options = SimulationOptions.defaults()
        .granularity(SimulationOptions.Granularity.BURST, DataSize.ofBytes(512L << random.nextInt(5)))
        .injectionQueue(random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 1024);
    // Long slices under a protocol of small windows would block each other.
    boolean plain = random.nextInt(2) == 0;
    Workload workload = random.nextInt(4) == 0
        ? new Ring(1 + random.nextInt(plain ? 1 << 22 : 1 << 15))
        : new Exchange(seed, Pattern.values()[random.nextInt(4)], random.nextInt(3) * random.nextInt(200));
    Simulation simulation = new Simulation("run", fabric, workload, options, seed)
        .with(plain ? ring(1 + random.nextInt(2)) : MemoizationTest.algorithm(random));
    Results expected = of(simulation, options.memoization(Memoization.NONE)).run();
    Fixtures.Watched model = new Fixtures.Watched();
    Results skipped = of(simulation, options).at(model).run();
    shares.add(model.networks.get(0).skippedEvents() / (double) expected.run().events());
    assertThat(skipped.run().simulatedPs()).as("time, seed %d", seed).isEqualTo(expected.run().simulatedPs());
    assertThat(skipped.metrics()).as("metrics, seed %d", seed).isEqualTo(expected.metrics());
    assertThat(skipped.links()).as("links, seed %d", seed).isEqualTo(expected.links());
    assertThat(skipped.run().fingerprint()).as("times of messages, seed %d", seed)
        .isEqualTo(expected.run().fingerprint());
    assertThat(skipped).as("results, seed %d", seed).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 5, 16})
  void shouldSkipTheStepsOfARingOnAStar(int ranks) {
    Fabric fabric = Fixtures.fastNode(ranks);
    Simulation simulation =
        new Simulation("ring", fabric, new Ring(ranks * 400_000L), SimulationOptions.defaults(), 1).with(ring(1));
    Results expected = of(simulation, SimulationOptions.defaults().memoization(Memoization.NONE)).run();
    Fixtures.Watched model = new Fixtures.Watched();
    assertThat(simulation.at(model).run()).isEqualTo(expected);
    // Both calls are recorded, as the second begins while credits of the first are on their way.
    assertThat(model.networks.get(0).skippedEvents() / (double) expected.run().events()).isBetween(0.7, 1.0);
  }

  @Test
  void shouldSkipMostOfAMessageWhenAllOtherLinksAreIdle() {
    Fabric fabric = Fixtures.fastNode(1000);
    // 512 packets in one, 400 in the other, 300 ns later: four events a packet, none of which others see.
    Workload few = new Few(List.of(new Message(7, 900, 512 << 12, 0), new Message(901, 300, 400 << 12, 300_000)));
    Simulation simulation = new Simulation("pairs", fabric, few, SimulationOptions.defaults(), 1).with(ring(1));
    Results expected = of(simulation, SimulationOptions.defaults().memoization(Memoization.NONE)).run();
    Fixtures.Watched model = new Fixtures.Watched();
    assertThat(simulation.at(model).run()).isEqualTo(expected);
    assertThat(model.networks.get(0).skippedEvents() / (double) expected.run().events()).isBetween(0.8, 1.0);
  }

  private static CollectiveAlgorithm ring(int channels) {
    return new RingAlgorithmProvider().create(new RingAlgorithmProvider.Settings(channels, 1));
  }

  // One switch of links of one rate, or two leaves under one or two spines, whose links have twice or half the rate.
  private static Fabric machine(RandomStream random) {
    double rate = 100 + 100 * random.nextInt(3);
    int payload = 256 << random.nextInt(5);
    int overhead = random.nextInt(64);
    Link edge = Fixtures.link(rate, 1 + random.nextInt(500), payload, overhead, buffer(random));
    Link trunk = Fixtures.link(
        rate * (1 << random.nextInt(3)) / 2, 1 + random.nextInt(500), payload, overhead, buffer(random));
    Switch forwarding = MemoizationTest.forwarding(random);
    int spines = random.nextInt(3);
    Topology topology =
        new Fixtures.Leaves(forwarding, edge, trunk, spines, TierPlan.Selection.SOURCE, random.nextInt(4) == 0);
    return Fabric.of(List.of(new Tier(
        "node", 1, Map.of(DeviceKind.ACCELERATOR, 2 + random.nextInt(10)), Optional.empty(), topology)));
  }

  private static int buffer(RandomStream random) {
    return random.nextInt(8) == 0 ? 0 : 20_000 + random.nextInt(50_000);
  }

  private static Simulation of(Simulation run, SimulationOptions options) {
    return new Simulation(
        run.name(), run.fabric(), run.workload(), options, run.seed(), run.fidelity(), run.collectives());
  }

  private record Ring(long bytes) implements Workload {
    @Override
    public WorkloadPlan plan(Cluster cluster) {
      int[] ranks = cluster.terminals(DeviceKind.ACCELERATOR);
      return WorkloadPlan.of(ranks, (rank, context) -> new Calls(bytes))
          .withGroups(List.of(Group.of(IntStream.range(0, ranks.length).toArray())));
    }
  }

  private static final class Calls implements Program {
    private final long bytes;
    private int calls;

    Calls(long bytes) {
      this.bytes = bytes;
    }

    @Override
    public int streams() {
      return 1;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      operation.collective(0, CollectiveOp.ALL_REDUCE, bytes, 0);
      return calls++ < 2;
    }
  }

  private enum Pattern {
    PERMUTATION, INCAST, TREE, UNEVEN
  }

  private record Message(int from, int to, long bytes, long pausePs) {}

  /** Long messages between ranks, which begin at different times, while ranks compute now and then. */
  private record Exchange(long seed, Pattern pattern, int ticks) implements Workload {
    @Override
    public WorkloadPlan plan(Cluster cluster) {
      int[] ranks = cluster.terminals(DeviceKind.ACCELERATOR);
      List<Message> messages = messages(ranks.length);
      return WorkloadPlan.of(ranks, (rank, context) -> new Messenger(rank, messages, ticks));
    }

    private List<Message> messages(int ranks) {
      RandomStream random = RandomStream.of(seed, "periods", "messages");
      List<Message> messages = new ArrayList<>();
      int shift = ranks == 1 ? 0 : 1 + random.nextInt(ranks - 1);
      long bytes = 200_000 + random.nextInt(2_000_000);
      for (int round = 0; round < 2; round++) {
        for (int rank = 0; rank < ranks; rank++) {
          int to = switch (pattern) {
            case PERMUTATION -> (rank + shift) % ranks;
            case INCAST -> round % ranks;
            case TREE -> (rank - 1) / 2;
            default -> random.nextInt(ranks);
          };
          long own = pattern == Pattern.UNEVEN ? 1 + random.nextInt(2_000_000) : bytes;
          if (to != rank) {
            messages.add(new Message(rank, to, own, random.nextInt(3) == 0 ? random.nextInt(20_000_000) : 0));
          }
        }
      }
      return messages;
    }
  }

  private record Few(List<Message> messages) implements Workload {
    @Override
    public WorkloadPlan plan(Cluster cluster) {
      return WorkloadPlan.of(
          cluster.terminals(DeviceKind.ACCELERATOR), (rank, context) -> new Messenger(rank, messages, 0));
    }
  }

  // Sends in all streams but the last two, which receive and compute.
  private static final class Messenger implements Program {
    private final int rank;
    private int ticks;
    private final List<List<Message>> streams = new ArrayList<>();
    private final int[] done = new int[STREAMS];
    private final boolean[] paused = new boolean[STREAMS];

    Messenger(int rank, List<Message> messages, int ticks) {
      this.rank = rank;
      this.ticks = ticks;
      List<Message> sent = messages.stream().filter(message -> message.from() == rank).toList();
      for (int stream = 0; stream < STREAMS - 1; stream++) {
        int own = stream;
        streams.add(IntStream.range(0, sent.size()).filter(i -> i % (STREAMS - 1) == own).mapToObj(sent::get).toList());
      }
      streams.add(messages.stream().filter(message -> message.to() == rank).toList());
    }

    @Override
    public int streams() {
      return STREAMS + 1;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      if (stream == STREAMS) {
        operation.compute(400_000 + 100_000L * (rank % 3));
        return ticks-- > 0;
      }
      List<Message> own = streams.get(stream);
      if (done[stream] == own.size()) {
        return false;
      }
      Message message = own.get(done[stream]);
      if (stream == STREAMS - 1) {
        operation.receive(message.from(), 0);
        done[stream]++;
      } else if (!paused[stream] && message.pausePs() > 0) {
        operation.compute(message.pausePs());
        paused[stream] = true;
      } else {
        operation.send(message.to(), message.bytes(), 0, 0);
        paused[stream] = false;
        done[stream]++;
      }
      return true;
    }
  }
}
