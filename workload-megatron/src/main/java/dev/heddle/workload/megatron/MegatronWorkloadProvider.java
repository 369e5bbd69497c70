package dev.heddle.workload.megatron;

import dev.heddle.collective.Group;
import dev.heddle.results.Results.Metric;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadProvider;
import dev.heddle.workload.Program;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.program.Iteration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Provides iterations of the training of a language model, as Megatron-LM does them. */
public final class MegatronWorkloadProvider implements WorkloadProvider<Training> {
  @Override
  public String id() {
    return "megatron";
  }

  @Override
  public String description() {
    return "An iteration of the training of a language model, cut by tensor, pipeline, data, context and expert parallelism";
  }

  @Override
  public Class<Training> settings() {
    return Training.class;
  }

  @Override
  public Workload create(Training settings) {
    return new TrainingWorkload(settings);
  }

  /** Plans an iteration once per cluster: all ranks of a stage share its plan. */
  private static final class TrainingWorkload implements Workload {
    private final Training training;
    private @Nullable Cluster planned;
    private @Nullable Iteration iteration;

    TrainingWorkload(Training training) {
      this.training = training;
    }

    private synchronized Iteration on(Cluster cluster) {
      Iteration known = iteration;
      if (known == null || planned != cluster) {
        known = new Iteration(training, cluster);
        iteration = known;
        planned = cluster;
      }
      return known;
    }

    @Override
    public int[] ranks(Cluster cluster) {
      return on(cluster).terminals();
    }

    @Override
    public List<Group> groups(int[] terminals, Cluster cluster) {
      return on(cluster).groups();
    }

    @Override
    public List<Activity> activities() {
      return Iteration.activities();
    }

    @Override
    public List<Metric> figures(Cluster cluster, long simulatedPs) {
      return on(cluster).figures(simulatedPs);
    }

    @Override
    public Pass pass(int number) {
      return planned().pass(number);
    }

    @Override
    public String stream(int rank, int stream) {
      return planned().stream(stream);
    }

    private synchronized Iteration planned() {
      return Objects.requireNonNull(iteration, "asked before any cluster");
    }

    @Override
    public Program program(int rank, WorkloadContext context) {
      return on(context.cluster()).program(rank, context);
    }
  }
}
