package dev.heddle.collectives.neuron;

import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.StepKind;

/**
 * One rank's steps over several instances: within each instance by RDH, and between them, each rank with those of the
 * same position in the other instances, by one step to all of them. To reduce, instances add up first; to gather, they
 * come last: so the network, which is slower, carries the fewest bytes [Neuron, Inter-node, Hierarchical Algorithm].
 *
 * <p>Within an instance RDH runs once for each instance, on the chunks whose owners are there. Every instance begins
 * with another one, the next after it, so that no two of them send to the same one at a time.
 */
final class HierarchicalSteps {
  private static final int NONE = RankSteps.NONE;
  // Channels of RDH; transfers between instances have the first ones.
  private static final int CHANNELS = 4;

  private final Instances instances;
  private final Rdh rdh;
  private final int rank;
  private final int node;
  private final int local;
  private final StageSteps steps;

  /**
   * Begins a rank's steps.
   *
   * @param rdh within the rank's instance
   */
  HierarchicalSteps(Instances instances, Rdh rdh, int rank) {
    this.instances = instances;
    this.rdh = rdh;
    this.rank = rank;
    node = instances.node(rank);
    local = instances.local(rank);
    steps = StageSteps.whole(instances.chunks().layout(), rank);
  }

  RankSteps steps(Phases phases) {
    RdhSteps[] within = new RdhSteps[instances.nodes()];
    for (int owners = 0; owners < within.length; owners++) {
      within[owners] = new RdhSteps(
          rdh, instances.plane(owners), steps.stage(instances.ranks(node), (1 + owners) * CHANNELS), local);
    }
    int own = phases.reduces() ? reduce(within) : NONE;
    if (phases.gathers()) {
      int[] there = exchange(own);
      for (int turn = 0; turn < within.length; turn++) {
        int owners = Math.floorMod(node - turn, within.length);
        within[owners].gather(there[owners]);
      }
    }
    return steps.build();
  }

  private int reduce(RdhSteps[] within) {
    int adding = steps.threadBlock(0, NONE, NONE);
    int[] summed = new int[within.length];
    for (int turn = 1; turn <= within.length; turn++) {
      int owners = (node + turn) % within.length;
      summed[owners] = within[owners].reduce();
    }
    ChunkRange own = instances.sum(node);
    int last = summed[node];
    for (int turn = 1; turn < within.length; turn++) {
      int other = (node + turn) % within.length;
      int peer = instances.ranks(other)[local];
      int block = steps.threadBlock(0, peer, peer);
      steps.after(steps.access(steps.send(block, instances.sum(other)), MemoryAccess.COPY), summed[other]);
      ChunkRange partial = instances.partial(other);
      int received = steps.memoryAccess(steps.receive(block, partial), 0, 0);
      last = steps.memoryAccess(steps.step(adding, StepKind.REDUCE, partial, own), 0, 0);
      steps.after(steps.after(last, received), summed[node]);
    }
    int result = steps.copy(adding, own, instances.chunks().result(rank, 0));
    return steps.after(steps.memoryAccess(result, within.length, 1), last);
  }

  // Returns for each instance the step after which the chunk of the rank of this place there has come.
  private int[] exchange(int own) {
    int[] there = new int[instances.nodes()];
    there[node] = own;
    for (int turn = 1; turn < there.length; turn++) {
      int other = (node + turn) % there.length;
      int peer = instances.ranks(other)[local];
      int block = steps.threadBlock(1, peer, peer);
      steps.after(steps.access(steps.send(block, instances.chunks().output(rank, 0)), MemoryAccess.COPY), own);
      there[other] = steps.memoryAccess(steps.receive(block, instances.chunks().output(peer, 0)), 0, 0);
    }
    return there;
  }
}
