package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.engine.CollectiveGroups;
import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.Measurements;
import dev.heddle.network.RunOptions;
import dev.heddle.network.flow.FlowNetwork;
import dev.heddle.spi.DeviceKind;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.RandomStream;
import dev.heddle.units.SimTime;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** Tests of collectives with and without the reuse of the time of an identical one on idle links. */
class CollectiveReuseTest {
  private static final int NODES = 3;
  private static final int PER_NODE = 4;
  private static final long LIMIT_PS = SimTime.parse("10 s").ps();
  private static final Fabric FABRIC = Fabrics.nodesOnStars(NODES, PER_NODE);

  /** Collectives of a rank with pauses in one stream, and messages to the next node in another. */
  private static final class Mixed implements Program {
    private final int rank;
    private final long[] pauses;
    private final long[] sizes;
    private final long[] messages;
    private int collective;
    private int message;
    private boolean paused;

    Mixed(int rank, long seed, boolean disturbed) {
      this.rank = rank;
      RandomStream node = RandomStream.of(seed, "reuse", "node " + rank / PER_NODE);
      pauses = new long[30];
      sizes = new long[30];
      for (int i = 0; i < pauses.length; i++) {
        pauses[i] = 1 + node.nextInt(50_000_000);
        sizes[i] = 1L << 14 + node.nextInt(3) * 3;
      }
      messages = new long[disturbed ? 20 : 0];
      RandomStream own = RandomStream.of(seed, "reuse", "rank " + rank);
      for (int i = 0; i < messages.length; i++) {
        messages[i] = 1 + own.nextInt(100_000_000);
      }
    }

    @Override
    public int streams() {
      return 2;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      return stream == 0 ? collective(operation) : message(operation);
    }

    private boolean collective(Operation operation) {
      if (collective == pauses.length) {
        return false;
      }
      paused = !paused;
      if (paused) {
        operation.compute(pauses[collective]);
      } else {
        operation.collective(rank / PER_NODE, CollectiveOp.ALL_REDUCE, sizes[collective++], 0);
      }
      return true;
    }

    private boolean message(Operation operation) {
      if (message == messages.length) {
        return false;
      }
      operation.generate(messages[message++] + message * 60_000_000L, (rank + PER_NODE) % (NODES * PER_NODE), 1 << 16,
          0);
      return true;
    }
  }

  private static Measurements run(long seed, boolean disturbed, boolean reuses) {
    int[] ranks = FABRIC.terminals(DeviceKind.ACCELERATOR);
    List<Group> groups = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      int first = node * PER_NODE;
      groups.add(Group.of(first, first + 1, first + 2, first + 3));
    }
    Job job = new Job(
        ranks, rank -> new Mixed(rank, seed, disturbed),
        new CollectiveGroups(FABRIC, ranks, groups, List.of(), RingAlgorithmProvider.single()));
    FlowNetwork network = new FlowNetwork(
        FABRIC, job, RunOptions.toCompletion(4096, 1024, LIMIT_PS, seed), reuses);
    network.run();
    return network.measurements();
  }

  @Test
  void shouldTakeExactlyAsLongWhenNothingDisturbs() {
    Seeds.several(10).forEach(seed -> {
      Measurements reused = run(seed, false, true);
      Measurements worked = run(seed, false, false);
      assertThat(reused.endPs()).as("seed %s", seed).isEqualTo(worked.endPs());
      assertThat(reused.fingerprint()).as("seed %s", seed).isEqualTo(worked.fingerprint());
      assertThat(reused.collectives()).as("seed %s", seed).isEqualTo(worked.collectives());
      assertThat(reused.events()).as("seed %s: events", seed).isLessThan(worked.events());
    });
  }

  @Test
  void shouldTakeAboutAsLongAndCarryTheSameWhenMessagesDisturb() {
    Seeds.several(10).forEach(seed -> {
      Measurements reused = run(seed, true, true);
      Measurements worked = run(seed, true, false);
      assertThat((double) reused.endPs()).as("seed %s", seed).isCloseTo(worked.endPs(), Percentage.withPercentage(1));
      for (int link = 0; link < reused.links(); link++) {
        assertThat((double) reused.counters().payloadBytes(link)).as("seed %s, link %s", seed, link)
            .isCloseTo(worked.counters().payloadBytes(link), Percentage.withPercentage(0.1));
        assertThat((double) reused.counters().busyPs(link)).as("seed %s, link %s", seed, link)
            .isCloseTo(worked.counters().busyPs(link), Percentage.withPercentage(0.1));
        assertThat(reused.counters().units(link)).as("seed %s, link %s", seed, link)
            .isGreaterThanOrEqualTo(worked.counters().units(link));
      }
      for (int kind = 0; kind < 2; kind++) {
        assertThat(reused.deliveredBytes(kind)).as("seed %s", seed).isEqualTo(worked.deliveredBytes(kind));
      }
    });
  }
}
