package dev.heddle.network.packet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.RunOptions;
import dev.heddle.spi.Switch;
import org.junit.jupiter.api.Test;

/** Tests of reads ahead of a window: they follow windows with many events, and none with few. */
class CacheSweepTest {
  private static final Fabric FABRIC = Fixtures.node(
      8, Fixtures.star(
          Fixtures.link(100, 50, 1024, 24, 32 << 10), Fixtures.device(100, Switch.Switching.CUT_THROUGH)));

  private final NetworkPlan plan = new NetworkPlan(FABRIC, 0, false);
  private final NetworkState state = new NetworkState(plan);
  private final int[] partitionOf = new int[plan.devices];

  private Partition[] partitions(int count) {
    Job job = Job.of(FABRIC, new int[] {0, 1}, rank -> {
      throw new AssertionError(rank);
    });
    RunOptions options = RunOptions.toCompletion(0, 8, 1_000_000, 1);
    RunContext setup = new RunContext(plan, job, options, partitionOf, null, null);
    Partition[] partitions = new Partition[count];
    for (int number = 0; number < count; number++) {
      partitions[number] = new Partition(number, plan, state, setup);
    }
    return partitions;
  }

  @Test
  void shouldReadAheadAfterWindowsWithManyEventsOnly() {
    Partition[] partitions = partitions(1);
    Partition partition = partitions[0];
    CacheSweep sweep = CacheSweep.of(partitions, plan, state, partitionOf)[0];
    sweep.run();
    assertThat(sweep.read()).isZero();
    partition.events += 1000;
    sweep.run();
    long first = sweep.read();
    assertThat(first).isNotZero();
    partition.units.payload(partition.units.allocate(), 1500);
    sweep.run();
    assertThat(sweep.read()).isEqualTo(first);
    partition.events += 1000;
    sweep.run();
    assertThat(sweep.read()).isEqualTo(first + partition.units.sweep());
  }

  @Test
  void shouldReadTheLinksOfItsPartitionOnly() {
    int other = plan.linkSource[0];
    partitionOf[other] = 1;
    Partition[] partitions = partitions(2);
    CacheSweep[] sweeps = CacheSweep.of(partitions, plan, state, partitionOf);
    long[] expected = new long[2];
    for (int link = 0; link < plan.links; link++) {
      expected[plan.linkSource[link] == other ? 1 : 0] += state.sweep(link);
    }
    for (int number = 0; number < 2; number++) {
      partitions[number].events += 1000;
      sweeps[number].run();
      assertThat(sweeps[number].read()).isEqualTo(expected[number]);
    }
    assertThat(expected[0]).isNotEqualTo(expected[1]);
  }
}
