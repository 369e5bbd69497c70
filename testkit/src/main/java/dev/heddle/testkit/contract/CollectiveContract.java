package dev.heddle.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.primitives.Ints;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.Pipeline;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.ScheduleCounts;
import dev.heddle.collective.TransportModel;
import dev.heddle.fabric.Fabric;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.testkit.fixture.CollectiveRequest;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.DataSize;
import dev.heddle.units.RandomStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The rules of {@link CollectiveAlgorithm}: every schedule is proved, for many groups, sizes and roots, and the
 * fidelities agree on an idle fabric.
 *
 * @param <S> the settings record
 */
public abstract class CollectiveContract<S extends Record> extends ProviderContract<S, CollectiveAlgorithm> {
  private static final List<Integer> RANKS = List.of(1, 2, 3, 4, 5, 7, 8, 12, 16);
  private static final List<Long> SIZES = List.of(0L, 1L, 1000L, 999_983L, 1L << 30);

  /** Whether the algorithm does an operation on a number of ranks. */
  protected abstract boolean serves(CollectiveOp op, int ranks);

  /** The numbers of ranks to try, of 1 to 1,024. */
  protected List<Integer> ranks() {
    return RANKS;
  }

  /** The machine to try a number of ranks on: its first accelerators take part. */
  protected Fabric cluster(int ranks) {
    return Fabrics.oneNode(ranks);
  }

  /** The numbers of ranks with which the fidelities are compared. */
  protected List<Integer> comparedRanks() {
    return List.of(2, 5, 8);
  }

  /** The operations of which the fidelities are compared. */
  protected boolean compared(CollectiveOp op) {
    return op != CollectiveOp.ALL_TO_ALL_V;
  }

  /** The sizes with which the fidelities are compared. */
  protected List<DataSize> comparedSizes() {
    return List.of(DataSize.ofBytes(800), DataSize.ofKiB(1000));
  }

  @Test
  void collective1ShouldPlanAlikeAtEveryCallAndInAnyOrder() {
    forAllServed((algorithm, request) -> {
      Schedule first = request.schedule(algorithm);
      Schedule second = request.schedule(algorithm);
      List<RankSteps> ascending = IntStream.range(0, first.ranks()).mapToObj(first::steps).toList();
      for (int rank = first.ranks() - 1; rank >= 0; rank--) {
        assertThat(second.steps(rank)).as("rank %s of %s", rank, second).isEqualTo(ascending.get(rank));
      }
      assertThat(second.layout()).isEqualTo(first.layout());
    });
  }

  @Test
  void collective2ShouldPlanTheCollectiveThatWasAskedFor() {
    forAllServed((algorithm, request) -> {
      Schedule schedule = request.schedule(algorithm);
      assertThat(schedule.collective()).isEqualTo(request.collective());
      for (int rank = 0; rank < schedule.ranks(); rank++) {
        assertThat(schedule.steps(rank).rank()).isEqualTo(rank);
      }
    });
  }

  @Test
  void collective3ShouldBeProvedWheneverServed() {
    forAllServed((algorithm, request) -> {
      assertThat(request.verdict(algorithm).findings()).as("%s", request.collective()).isEmpty();
    });
  }

  @Test
  void collective4ShouldRefuseOperationsAndGroupsThatItDoesNotServe() {
    for (S settings : settings()) {
      CollectiveAlgorithm algorithm = product(settings);
      for (int ranks : ranks()) {
        for (CollectiveOp op : CollectiveOp.values()) {
          if (!serves(op, ranks)) {
            CollectiveRequest request = request(collective(op, ranks, 1000, 0));
            String what = op.key() + " on " + ranks + " ranks";
            assertThatThrownBy(() -> request.schedule(algorithm)).as("plan of %s", what)
                .isInstanceOf(InvalidSettingException.class).hasMessageContaining(op.key());
          }
        }
      }
    }
  }

  @Test
  void collective6ShouldCarryTheBytesOfTheScheduleInPipelines() {
    forAllServed((algorithm, request) -> {
      List<Pipeline> pipelines = request.plan(algorithm).pipelines();
      Schedule schedule = request.schedule(algorithm);
      if (pipelines.isEmpty()) {
        return;
      }
      TransportModel transport = schedule.protocol();
      double wirePerData = (double) transport.frameBytes() / transport.framePayload();
      ScheduleCounts counts = ScheduleCounts.of(schedule);
      int participants = schedule.participants();
      List<Integer> terminals = new ArrayList<>(Ints.asList(request.group().members()));
      schedule.aggregators().forEach(terminals::add);
      long[] piped = new long[participants * participants];
      for (Pipeline pipeline : pipelines) {
        for (int edge = 0; edge < pipeline.edges(); edge++) {
          int source = terminals.indexOf(pipeline.source(edge));
          piped[source * participants + terminals.indexOf(pipeline.target(edge))] += pipeline.bytes();
        }
      }
      for (int source = 0; source < participants; source++) {
        for (int target = 0; target < participants; target++) {
          double slack = (double) counts.messages(source) + pipelines.size();
          double sent = counts.bytes(source, target);
          assertThat(piped[source * participants + target] / wirePerData)
              .as("bytes of %s from %s to %s", request.collective(), source, target)
              .isBetween(sent - signals(schedule, source, target) - slack, sent + slack);
        }
      }
    });
  }

  // The bytes of messages that are signals where ranks have memories.
  private static long signals(Schedule schedule, int source, int target) {
    RankSteps steps = schedule.steps(source);
    long bytes = 0;
    for (int block = 0; block < steps.threadBlocks(); block++) {
      for (int step = steps.firstStep(block); step < steps.endStep(block); step++) {
        boolean signal = steps.kind(step).sends() && steps.access(step) == MemoryAccess.NONE;
        bytes += signal && steps.sendPeer(block) == target ? steps.bytes(step, schedule.layout()) : 0;
      }
    }
    return bytes;
  }

  @Test
  void collective7ShouldTakeTheSameTimeAtAllFidelitiesWhenAlone() {
    for (S settings : settings()) {
      for (int ranks : comparedRanks()) {
        for (CollectiveOp op : CollectiveOp.values()) {
          if (compared(op) && serves(op, ranks)) {
            for (DataSize size : comparedSizes()) {
              agree(settings, ranks, CollectiveWorkloadProvider.Settings.of(op, size).ranks(ranks));
            }
          }
        }
      }
    }
  }

  /** The largest deviation of flow and analytic from packet fidelity, as a share of its time. */
  protected double agreement(CollectiveOp op, int ranks, Fidelity fidelity) {
    return 0.05;
  }

  private void agree(S settings, int ranks, CollectiveWorkloadProvider.Settings collective) {
    Simulation simulation = new Simulation(
        "agreement", cluster(ranks), new CollectiveWorkloadProvider().create(collective),
        SimulationOptions.defaults(), 1).with(product(settings));
    CollectiveOp op = collective.op();
    double packet = time(simulation.at(Fidelity.PACKET), op);
    for (Fidelity fidelity : List.of(Fidelity.FLOW, Fidelity.ANALYTIC)) {
      assertThat(time(simulation.at(fidelity), op))
          .as("%s of %s on %s ranks by %s, %s against packet", op, collective.size().orElseThrow(), ranks, settings,
              fidelity)
          .isCloseTo(packet, within(packet * agreement(op, ranks, fidelity)));
    }
  }

  private static double time(Simulation simulation, CollectiveOp op) {
    return simulation.run().metric("collective." + op.key() + ".time").orElseThrow().value();
  }

  private interface Rule {
    void check(CollectiveAlgorithm algorithm, CollectiveRequest request);
  }

  private void forAllServed(Rule rule) {
    int checked = 0;
    for (S settings : settings()) {
      CollectiveAlgorithm algorithm = product(settings);
      for (int ranks : ranks()) {
        for (CollectiveOp op : CollectiveOp.values()) {
          if (serves(op, ranks)) {
            for (Collective collective : collectives(op, ranks)) {
              rule.check(algorithm, request(collective));
              checked++;
            }
          }
        }
      }
    }
    assertThat(checked).as("requests that are served").isPositive();
  }

  private static List<Collective> collectives(CollectiveOp op, int ranks) {
    List<Collective> collectives = new ArrayList<>();
    for (long bytes : SIZES) {
      collectives.add(collective(op, ranks, bytes, 0));
    }
    if (op.rooted()) {
      for (int root = 1; root < ranks; root++) {
        collectives.add(collective(op, ranks, 1000, root));
      }
    }
    return collectives;
  }

  private static Collective collective(CollectiveOp op, int ranks, long bytes, int root) {
    if (op == CollectiveOp.ALL_TO_ALL_V) {
      RandomStream random = RandomStream.of(Seeds.fixed(), "CollectiveContract", "pairs");
      long[][] pairs = new long[ranks][ranks];
      for (long[] row : pairs) {
        for (int i = 0; i < ranks; i++) {
          row[i] = random.nextInt((int) Math.min(bytes + 1, 1 << 20));
        }
      }
      return Collective.allToAllV(pairs);
    }
    return Collective.of(op, ranks, bytes, root);
  }

  private CollectiveRequest request(Collective collective) {
    Fabric fabric = cluster(collective.ranks());
    int[] accelerators = fabric.terminals(DeviceKind.ACCELERATOR);
    return new CollectiveRequest(
        collective, Group.of(Arrays.copyOf(accelerators, collective.ranks())), fabric);
  }
}
