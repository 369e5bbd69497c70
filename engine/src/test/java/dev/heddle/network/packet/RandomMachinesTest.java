package dev.heddle.network.packet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.results.Results;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.sim.SimulationOptions.Granularity;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Switch.Arbitration;
import dev.heddle.spi.Switch.Buffering;
import dev.heddle.spi.Switch.Switching;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.standard.link.GenericSwitchProvider;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.Topology;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.RandomStream;
import dev.heddle.units.SimTime;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random machines of one to three tiers under random traffic: everything is delivered, bytes and credits are conserved
 * (the network audits itself), and no division into partitions and threads changes a result.
 */
class RandomMachinesTest {
  private static final int MESSAGES = 25;

  static LongStream seeds() {
    return Fixtures.seeds(1000, 60);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldDeliverEverythingAlikeInEveryDivision(long seed) {
    RandomStream random = RandomStream.of(seed, "machine", "shape");
    Fabric fabric = machine(random);
    Granularity granularity = random.nextInt(3) == 0 ? Granularity.PACKET : Granularity.BURST;
    SimulationOptions options =
        SimulationOptions.defaults().granularity(granularity, DataSize.ofBytes(512L << random.nextInt(5)))
            .injectionQueue(1 + random.nextInt(4));
    Workload workload = new MixedTraffic();
    Results one = new Simulation("one", fabric, workload, options, seed).run();
    int ranks = fabric.terminals(DeviceKind.ACCELERATOR).length;
    double refused = one.metric("messages.refused").orElseThrow().value();
    double delivered = one.metric("messages.delivered").orElseThrow().value();
    assertThat(delivered + refused).as("messages, seed %d", seed).isEqualTo(2.0 * ranks * MESSAGES);
    for (int partitions : new int[] {2, 3, 7}) {
      Results many =
          new Simulation("many", fabric, workload, options.parallel(partitions, 1 + partitions % 2), seed).run();
      assertThat(many.run().fingerprint()).as("fingerprint, seed %d", seed).isEqualTo(one.run().fingerprint());
      assertThat(many.metrics()).as("metrics, seed %d, %d partitions", seed, partitions).isEqualTo(one.metrics());
      assertThat(many.links()).as("links, seed %d, %d partitions", seed, partitions).isEqualTo(one.links());
      assertThat(many.distributions()).as("distributions, seed %d", seed).isEqualTo(one.distributions());
    }
  }

  private static Fabric machine(RandomStream random) {
    int tierCount = 1 + random.nextInt(3);
    Map<DeviceKind, Integer> terminals = new LinkedHashMap<>();
    terminals.put(DeviceKind.ACCELERATOR, 2 + random.nextInt(4));
    if (tierCount > 1) {
      terminals.put(DeviceKind.NIC, 1 + random.nextInt(3));
    }
    List<Tier> tiers = new ArrayList<>();
    tiers.add(new Tier("node", 1, terminals, Optional.of(nic(random)), topology(random)));
    for (int tier = 1; tier < tierCount; tier++) {
      boolean last = tier == tierCount - 1;
      tiers.add(
          new Tier(
              "tier" + tier, 2 + random.nextInt(3), Map.of(), last ? Optional.empty() : Optional.of(nic(random)),
              topology(random)));
    }
    return Fabric.of(tiers);
  }

  private static Link link(RandomStream random) {
    long payload = 128L << random.nextInt(6);
    // No less than a unit of every source may hold while a NIC collects it.
    Optional<DataSize> buffer =
        random.nextInt(4) == 0 ? Optional.empty() : Optional.of(DataSize.ofBytes(40_000 + random.nextInt(60_000)));
    return new GenericLinkProvider()
        .create(
            new GenericLinkProvider.Settings(
                DataRate.ofGigabitsPerSecond(20 + random.nextInt(400)), SimTime.ofNanos(1 + random.nextInt(60)),
                DataSize.ofBytes(payload), DataSize.ofBytes(random.nextInt(64)), buffer, Optional.empty(),
                1 + random.nextInt(3)).loss(Fraction.of(random.nextInt(3) == 0 ? random.nextDouble() / 50 : 0)));
  }

  private static Switch nic(RandomStream random) {
    return forwarding(random, Switching.values()[random.nextInt(3)]);
  }

  private static Switch forwarding(RandomStream random, Switching switching) {
    Buffering buffering = Buffering.values()[random.nextInt(3)];
    Arbitration arbitration = Arbitration.values()[random.nextInt(3)];
    long output = random.nextInt(2) == 0 ? 0 : 2000 + random.nextInt(20_000);
    return new GenericSwitchProvider()
        .create(
            new GenericSwitchProvider.Settings(
                SimTime.ofNanos(random.nextInt(100)), switching, buffering, arbitration, DataSize.ZERO,
                DataSize.ofBytes(output)));
  }

  // One switch, or two leaves of terminals under one to three spines, chosen in any of the ways there are.
  private static Topology topology(RandomStream random) {
    Switch forwarding = forwarding(random, Switching.values()[random.nextInt(3)]);
    Link edge = random.nextInt(4) == 0 ? Fixtures.halfDuplex(link(random)) : link(random);
    boolean byArrival = random.nextInt(3) == 0;
    Link trunk = link(random);
    int spines = random.nextInt(4);
    TierPlan.Selection selection = TierPlan.Selection.values()[random.nextInt(TierPlan.Selection.values().length)];
    return new Fixtures.Leaves(forwarding, edge, trunk, spines, selection, byArrival);
  }

  /** Two streams a rank: one-sided messages at random times, and sends that wait for room in the injection queue. */
  private static final class MixedTraffic implements Workload {
    @Override
    public WorkloadPlan plan(Cluster cluster) {
      return WorkloadPlan.of(ranks(cluster), this::program);
    }

    private int[] ranks(Cluster cluster) {
      return cluster.terminals(DeviceKind.ACCELERATOR);
    }

    private Program program(int rank, WorkloadContext context) {
      RandomStream random = context.random(rank, "mixed");
      return new Program() {
        private final int[] sent = new int[2];
        private long timePs;

        @Override
        public int streams() {
          return 2;
        }

        @Override
        public boolean next(int stream, Operation operation) {
          if (sent[stream]++ == MESSAGES) {
            return false;
          }
          int peer = Fixtures.uniform(rank, context.ranks(), random);
          long bytes = 1 + random.nextInt(random.nextInt(4) == 0 ? 20_000 : 600);
          int trafficClass = random.nextInt(3);
          if (stream == 0) {
            timePs += random.nextInt(4) * 50_000L;
            operation.generate(timePs, peer, bytes, trafficClass);
          } else {
            operation.send(peer, bytes, Operation.ONE_SIDED, trafficClass);
          }
          return true;
        }
      };
    }
  }
}
