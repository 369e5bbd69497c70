package dev.heddle.workload.megatron;

import dev.heddle.results.Results.Metric;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Workload;
import dev.heddle.spi.Workload.Activity;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.spi.WorkloadProvider;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.program.Iteration;
import java.util.List;

/** Provides iterations of the training of a language model, divided among ranks as by Megatron-LM. */
@Plugin(id = "megatron",
    description = "An iteration of the training of a language model, with tensor, pipeline, data, context and expert"
        + " parallelism")
public final class MegatronWorkloadProvider implements WorkloadProvider<Training> {
  @Override
  public List<Activity> activities() {
    return Iteration.activities();
  }

  @Override
  public List<Metric> metrics() {
    return Iteration.declaredFigures();
  }

  @Override
  public Workload create(Training settings) {
    return cluster -> plan(settings, cluster);
  }

  private static WorkloadPlan plan(Training training, Cluster cluster) {
    Iteration iteration = new Iteration(training, cluster);
    return WorkloadPlan.of(iteration.terminals(), iteration::program)
        .withGroups(iteration.groups())
        .withActivities(Iteration.activities())
        .withMetrics(iteration::figures)
        .withPasses(iteration::pass)
        .withStreams((rank, stream) -> iteration.stream(stream));
  }
}
