package dev.heddle.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.fabric.Fabric;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.workload.megatron.MegatronWorkloadProvider;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.program.Iteration;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** Compares estimates of random jobs, whose stages need not fill nodes, with runs of all ranks. */
class UnevenStagesTest {
  private static final int CASES = 60;

  private record Job(String text, Fabric fabric, Iteration iteration) {
    static Job draw(int seed) {
      Random random = new Random(seed);
      int accelerators = 4 + 2 * random.nextInt(3);
      int nodes = 2 + random.nextInt(4);
      int tensor = 1 << random.nextInt(3);
      int pipeline = 1 << random.nextInt(4);
      int data = 1 + random.nextInt(Math.max(1, nodes * accelerators / tensor / pipeline));
      int ranks = data * tensor * pipeline;
      String parallel = "tensor: " + tensor + ", pipeline: " + pipeline + ", sharding: "
          + (random.nextBoolean() ? "optimizer" : "none")
          + (random.nextBoolean() ? "" : ", placement: [tensor, context, pipeline, data]");
      String batch = "global: " + data * pipeline * (1 + random.nextInt(3));
      String execution = random.nextBoolean() ? "" : "reduce-overlap: false, gather-overlap: false";
      Training training = SmallJobs.small(parallel, batch, execution, "ranks: " + ranks);
      Fabric fabric = SmallJobs.nodes(Math.max(nodes, (ranks + accelerators - 1) / accelerators), accelerators);
      return new Job("seed " + seed + ": " + nodes + " nodes of " + accelerators + ", " + parallel + ", " + batch + ", "
          + execution, fabric, new Iteration(training, fabric));
    }

    double estimate(ProfiledCommTimes times) {
      return RepresentativeRanks.of(iteration, times).seconds();
    }

    double flow() {
      return new Simulation(
          "test", fabric, new MegatronWorkloadProvider().create(iteration.training()), SimulationOptions.defaults(), 1)
          .with(SmallJobs.algorithm()).at(Fidelity.FLOW).run().run().simulatedPs() / 1e12;
    }
  }

  // Where stages share links, how much of their collectives coincides is for a run to say.
  @Test
  void shouldAgreeWithARunOfAllRanksUnlessStagesShareLinks() {
    int compared = 0;
    for (int seed = 0; seed < CASES; seed++) {
      Job job = Job.draw(seed);
      ProfiledCommTimes times = new ProfiledCommTimes(job.iteration(), job.fabric(), SmallJobs.algorithm());
      if (!times.stagesShareLinks()) {
        assertThat(job.estimate(times)).as(job.text()).isCloseTo(job.flow(), Percentage.withPercentage(1));
        compared++;
      }
    }
    assertThat(compared).isGreaterThan(CASES / 2);
  }

  // Two nodes of six: the first stage is within a node, the second has two of its four ranks on each.
  @Test
  void shouldTimeEachStageByItsOwnNodesWhenOneLeavesThem() {
    Fabric fabric = SmallJobs.nodes(2, 6);
    Iteration iteration = new Iteration(
        SmallJobs.small("pipeline: 2", "global: 8", "", "ranks: 8"), fabric);
    ProfiledCommTimes times = new ProfiledCommTimes(iteration, fabric, SmallJobs.algorithm());
    long bytes = 1 << 28;

    // A ring sends 2 x 3/4 of the bytes: at 2400 Gb/s within the node, at 400 Gb/s out of it.
    assertThat(times.collectivePs(GroupKind.DATA, 0, CollectiveOp.ALL_REDUCE, bytes) / 1e12)
        .isCloseTo(1.5 * 8 * bytes / 2400e9, Percentage.withPercentage(5));
    assertThat(times.collectivePs(GroupKind.DATA, 4, CollectiveOp.ALL_REDUCE, bytes) / 1e12)
        .isCloseTo(1.5 * 8 * bytes / 400e9, Percentage.withPercentage(5));
    // Ranks 0 and 1 send within the node, 2 and 3 out of it by one port.
    assertThat(times.messagePs(0, 4, bytes) / 1e12).isCloseTo(2. * 8 * bytes / 400e9, Percentage.withPercentage(5));
  }

  @Test
  void shouldSayThatStagesShareLinksWhenTwoLeaveOneNode() {
    assertThat(sharing(3)).isTrue();
    assertThat(sharing(4)).isFalse();
  }

  private static boolean sharing(int nodes) {
    Fabric fabric = SmallJobs.nodes(nodes, 4);
    Iteration iteration = new Iteration(SmallJobs.small("pipeline: 2", "global: 48", ""), fabric);
    return new ProfiledCommTimes(iteration, fabric, SmallJobs.algorithm()).stagesShareLinks();
  }
}
