package dev.heddle.network.packet;

import com.google.common.collect.ImmutableMap;
import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.network.Network;
import dev.heddle.network.NetworkModel;
import dev.heddle.network.RunOptions;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.spi.Credits;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Switch.Arbitration;
import dev.heddle.spi.Switch.Buffering;
import dev.heddle.spi.Switch.Switching;
import dev.heddle.spi.Terminal;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.standard.link.GenericSwitchProvider;
import dev.heddle.standard.topology.DirectTopologyProvider;
import dev.heddle.standard.topology.StarTopologyProvider;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import dev.heddle.tier.Topology;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.RandomStream;
import dev.heddle.units.SimTime;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Small machines and workloads, built by hand. */
final class Fixtures {
  private static final String SEED = "heddle.test.seed";

  private Fixtures() {}

  /**
   * The seeds of random cases: from {@code first} on, {@code count} of them or as many as {@code -Dheddle.test.seeds=N}
   * says, or the one of {@code -Dheddle.test.seed=N}.
   */
  static LongStream seeds(long first, int count) {
    Long replay = Long.getLong(SEED);
    return replay == null
        ? LongStream.range(first, first + Long.getLong("heddle.test.seeds", count)) : LongStream.of(replay);
  }

  /** Whether one case is replayed, which does not show what all cases have in common. */
  static boolean replaysOneSeed() {
    return Long.getLong(SEED) != null;
  }

  static Link link(double gigabitsPerSecond, double latencyNanos, int maxPayload, int overhead, int buffer) {
    return new GenericLinkProvider()
        .create(
            new GenericLinkProvider.Settings(
                DataRate.ofGigabitsPerSecond(gigabitsPerSecond), SimTime.ofNanos(latencyNanos),
                DataSize.ofBytes(maxPayload), DataSize.ofBytes(overhead),
                buffer == 0 ? Optional.empty() : Optional.of(DataSize.ofBytes(buffer)), Optional.empty(), 1));
  }

  /** A link of unlimited buffers that loses packets. */
  static Link losing(double gigabitsPerSecond, double latencyNanos, int maxPayload, double share) {
    return new GenericLinkProvider()
        .create(
            new GenericLinkProvider.Settings(
                DataRate.ofGigabitsPerSecond(gigabitsPerSecond), SimTime.ofNanos(latencyNanos),
                DataSize.ofBytes(maxPayload), DataSize.ZERO, Optional.empty(), Optional.empty(), 1)
                .loss(Fraction.of(share)));
  }

  /**
   * One switch, or two leaves under one or two spines.
   *
   * @param forwarding of the switches
   * @param edge link of a terminal
   * @param trunk link between a leaf and a spine
   * @param spines 0 for one switch
   * @param selection among the spines
   * @param byArrival whether virtual channels go by the links by which messages come
   */
  record Leaves(
      Switch forwarding, Link edge, Link trunk, int spines, TierPlan.Selection selection, boolean byArrival)
      implements Topology {
    @Override
    public TierPlan plan(List<Terminal> terminals) {
      TierPlanBuilder plan = new TierPlanBuilder(terminals).selection(selection);
      int leaves = spines == 0 ? 1 : 2;
      int[] leaf = new int[leaves];
      for (int i = 0; i < leaves; i++) {
        leaf[i] = plan.addDevice("leaf" + i, DeviceKind.SWITCH, forwarding);
      }
      for (int terminal = 0; terminal < terminals.size(); terminal++) {
        int up = plan.connect(terminal, leaf[terminal % leaves], edge);
        if (byArrival) {
          plan.vcByInputPort(Fabric.opposite(up));
        }
      }
      int[][] trunks = new int[leaves][spines];
      for (int spine = 0; spine < spines; spine++) {
        int top = plan.addDevice("spine" + spine, DeviceKind.SWITCH, forwarding);
        for (int i = 0; i < leaves; i++) {
          trunks[i][spine] = TierPlan.channel(plan.connect(leaf[i], top, trunk), 0);
        }
      }
      for (int terminal = 0; spines > 0 && terminal < terminals.size(); terminal++) {
        plan.route(leaf[1 - terminal % leaves], terminal, trunks[1 - terminal % leaves]);
      }
      return plan.routeByShortestPaths().build();
    }
  }

  /** Both directions on one wire. */
  static Link halfDuplex(Link link) {
    return new Derived(link) {
      @Override
      public boolean halfDuplex() {
        return true;
      }

      @Override
      public long ackPs(int payloadBytes, int trafficClass) {
        return wirePs(payloadBytes, trafficClass);
      }
    };
  }

  /** A link that delegates to another one. */
  static class Derived implements Link {
    private final Link link;

    Derived(Link link) {
      this.link = link;
    }

    @Override
    public DataRate rate() {
      return link.rate();
    }

    @Override
    public long latencyPs() {
      return link.latencyPs();
    }

    @Override
    public int maxPayloadBytes() {
      return link.maxPayloadBytes();
    }

    @Override
    public long wirePs(int payloadBytes, int trafficClass) {
      return link.wirePs(payloadBytes, trafficClass);
    }

    @Override
    public long wireBytes(int payloadBytes, int trafficClass) {
      return link.wireBytes(payloadBytes, trafficClass);
    }

    @Override
    public long headPs(int payloadBytes, int trafficClass) {
      return link.headPs(payloadBytes, trafficClass);
    }

    @Override
    public long ackPs(int payloadBytes, int trafficClass) {
      return link.ackPs(payloadBytes, trafficClass);
    }

    @Override
    public double loss() {
      return link.loss();
    }

    @Override
    public List<Credits> credits() {
      return link.credits();
    }
  }

  static Switch device(double latencyNanos, Switching switching, Buffering buffering, Arbitration arbitration) {
    return new GenericSwitchProvider()
        .create(
            new GenericSwitchProvider.Settings(
                SimTime.ofNanos(latencyNanos), switching, buffering, arbitration, DataSize.ZERO, DataSize.ZERO));
  }

  static Switch device(double latencyNanos, Switching switching) {
    return device(latencyNanos, switching, Buffering.VIRTUAL_OUTPUT, Arbitration.ROUND_ROBIN);
  }

  static Topology star(Link link, Switch centre) {
    return new StarTopologyProvider().create(new StarTopologyProvider.Settings(link, Map.of(), centre));
  }

  static Topology direct(Link link) {
    return new DirectTopologyProvider().create(new DirectTopologyProvider.Settings(link));
  }

  static Fabric node(int accelerators, Topology topology) {
    return Fabric.of(
        List.of(
            new Tier("node", 1, Map.of(DeviceKind.ACCELERATOR, accelerators), Optional.empty(), topology)));
  }

  /** Accelerators on one switch, by links of 400 Gb/s, packets of 4 KiB and buffers of 128 KiB. */
  static Fabric fastNode(int accelerators) {
    return node(accelerators, star(link(400, 500, 4096, 64, 128 << 10), device(200, Switch.Switching.CUT_THROUGH)));
  }

  static Fabric cluster(int nodes, int accelerators, Topology node, Switch nic, Topology network) {
    return Fabric.of(
        List.of(
            Tier.inner(
                "node", ImmutableMap.of(DeviceKind.ACCELERATOR, accelerators, DeviceKind.NIC, 1), nic, node),
            Tier.outer("cluster", nodes, network)));
  }

  /** Where a rank's next message goes. */
  interface Destination {
    int next(int rank, int ranks, RandomStream random);
  }

  /** Open-loop traffic: Poisson or, with a negative rate sign, periodic. */
  static Workload openLoop(double messagesPerNano, boolean poisson, long bytes, Destination destination) {
    return onAccelerators((rank, context) -> {
      RandomStream random = context.random(rank, "traffic");
      return new Program() {
        private double timePs = poisson ? 0 : random.nextDouble() * 1e3 / messagesPerNano;

        @Override
        public int streams() {
          return 1;
        }

        @Override
        public boolean next(int stream, Operation operation) {
          timePs += (poisson ? random.nextExponential() : 1) * 1e3 / messagesPerNano;
          if (timePs >= context.end().ps()) {
            return false;
          }
          operation.generate((long) timePs, destination.next(rank, context.ranks(), random), bytes, 0);
          return true;
        }
      };
    });
  }

  /** Every rank sends a number of messages of one size, back to back. */
  static Workload burst(int count, long bytes, Destination destination) {
    return onAccelerators((rank, context) -> {
      RandomStream random = context.random(rank, "burst");
      return new Program() {
        private int sent;

        @Override
        public int streams() {
          return 1;
        }

        @Override
        public boolean next(int stream, Operation operation) {
          if (sent == count) {
            return false;
          }
          int to = destination.next(rank, context.ranks(), random);
          if (to == rank) {
            return false;
          }
          sent++;
          operation.generate(0, to, bytes, 0);
          return true;
        }
      };
    });
  }

  /** A message that is generated at a time. */
  record Shot(long atNanos, int to, long bytes) {}

  /** The first ranks send one message each, the others none. */
  static Workload each(Shot... shots) {
    return onAccelerators((rank, context) -> {
      return new Program() {
        private boolean sent = rank >= shots.length;

        @Override
        public int streams() {
          return 1;
        }

        @Override
        public boolean next(int stream, Operation operation) {
          if (sent) {
            return false;
          }
          sent = true;
          operation.generate(1000 * shots[rank].atNanos(), shots[rank].to(), shots[rank].bytes(), 0);
          return true;
        }
      };
    });
  }

  private static Workload onAccelerators(WorkloadPlan.Programs programs) {
    return cluster -> WorkloadPlan.of(cluster.terminals(DeviceKind.ACCELERATOR), programs);
  }

  static int uniform(int rank, int ranks, RandomStream random) {
    int other = random.nextInt(ranks - 1);
    return other < rank ? other : other + 1;
  }

  /** A program whose streams each do a list of operations. */
  static final class Steps implements Program {
    private final List<List<Consumer<Operation>>> streams;
    private final int[] done;

    Steps(List<List<Consumer<Operation>>> streams) {
      this.streams = streams;
      done = new int[streams.size()];
    }

    @Override
    public int streams() {
      return streams.size();
    }

    @Override
    public boolean next(int stream, Operation operation) {
      if (done[stream] == streams.get(stream).size()) {
        return false;
      }
      streams.get(stream).get(done[stream]++).accept(operation);
      return true;
    }
  }

  /** Packet fidelity that keeps the networks of its runs. */
  static final class Watched implements NetworkModel {
    final List<PacketNetwork> networks = new ArrayList<>();

    @Override
    public String id() {
      return "packet";
    }

    @Override
    public Network network(Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer) {
      networks.add(new PacketNetwork(fabric, job, options, observer));
      return networks.get(networks.size() - 1);
    }

    @Override
    public List<String> warnings(RunOptions options) {
      return List.of();
    }
  }
}
