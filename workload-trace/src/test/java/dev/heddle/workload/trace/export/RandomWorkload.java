package dev.heddle.workload.trace.export;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Iterations in the form of a training job: each rank computes for a random time, passes a message around, runs a
 * collective that it waits for, and begins one of a pair of ranks that overlaps and is joined later.
 */
final class RandomWorkload implements Workload {
  private static final int RANKS = 8;

  private final List<List<List<Consumer<Operation>>>> ranks = new ArrayList<>();

  RandomWorkload(long seed, int grainPs) {
    Random random = new Random(seed);
    int iterations = 2 + random.nextInt(4);
    long[] sizes = random.longs(4L * iterations, 1, 1 << 18).map(bytes -> bytes * 8).toArray();
    CollectiveOp[] ops = {CollectiveOp.ALL_REDUCE, CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER};
    int[] kinds = random.ints(2L * iterations, 0, ops.length).toArray();
    int behind = random.nextInt(2);
    for (int rank = 0; rank < RANKS; rank++) {
      List<Consumer<Operation>> main = new ArrayList<>();
      List<Consumer<Operation>> beside = new ArrayList<>();
      int self = rank;
      for (int i = 0; i < iterations; i++) {
        int at = i;
        long ps = (long) grainPs * random.nextInt(20_000);
        main.add(op -> op.compute(ps));
        main.add(op -> op.send((self + 1) % RANKS, sizes[4 * at], at % 2, 0));
        main.add(op -> op.receive((self + RANKS - 1) % RANKS, at % 2));
        main.add(op -> op.collective(0, ops[kinds[2 * at]], sizes[4 * at + 1], 0));
        main.add(op -> op.signal(5));
        beside.add(op -> op.await(5, at + 1L));
        beside.add(op -> op.collective(1 + self / 2, ops[kinds[2 * at + 1]], sizes[4 * at + 2], 0));
        beside.add(op -> op.signal(9));
        main.add(op -> op.await(9, at + 1L - behind));
      }
      main.add(op -> op.await(9, iterations));
      long ps = (long) grainPs * random.nextInt(20_000);
      main.add(op -> op.compute(ps));
      ranks.add(List.of(main, beside));
    }
  }

  @Override
  public WorkloadPlan plan(Cluster cluster) {
    int[] ranks = ranks(cluster);
    return WorkloadPlan.of(ranks, this::program).withGroups(groups(ranks, cluster));
  }

  private int[] ranks(Cluster cluster) {
    return Arrays.copyOf(cluster.terminals(DeviceKind.ACCELERATOR), RANKS);
  }

  private List<Group> groups(int[] terminals, Cluster cluster) {
    List<Group> groups = new ArrayList<>(List.of(Group.ofFirst(RANKS)));
    for (int i = 0; i < RANKS; i += 2) {
      groups.add(Group.of(i, i + 1));
    }
    return groups;
  }

  private Program program(int rank, WorkloadContext context) {
    int[] next = new int[2];
    return new Program() {
      @Override
      public int streams() {
        return 2;
      }

      @Override
      public boolean next(int stream, Operation operation) {
        List<Consumer<Operation>> operations = ranks.get(rank).get(stream);
        if (next[stream] == operations.size()) {
          return false;
        }
        operations.get(next[stream]++).accept(operation);
        return true;
      }
    };
  }
}
