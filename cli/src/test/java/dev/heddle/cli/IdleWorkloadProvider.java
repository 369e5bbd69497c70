package dev.heddle.cli;

import dev.heddle.results.Results.Metric;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Workload;
import dev.heddle.spi.Workload.Activity;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.spi.WorkloadProvider;
import dev.heddle.units.Fraction;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Provides a workload of idle ranks, for tests of everything around a run. */
public final class IdleWorkloadProvider implements WorkloadProvider<IdleWorkloadProvider.Settings> {
  /** Settings for sweeps. */
  public record Settings(
      @Setting(value = "load", def = "0 %", max = "100 %", source = "made up") Fraction load,
      @Setting(value = "variant", def = "1", min = "1", max = "100000") int variant,
      @Setting("a file that changes the results") Optional<Path> file) {}

  @Override
  public String id() {
    return "idle";
  }

  @Override
  public String description() {
    return "Ranks that do nothing";
  }

  @Override
  public Class<Settings> settings() {
    return Settings.class;
  }

  @Override
  public List<Activity> activities() {
    return List.of(new Activity("rest", "Rest"));
  }

  @Override
  public List<Metric> metrics() {
    return List.of(new Metric("value", "Value", "1", 0));
  }

  @Override
  public Workload create(Settings settings) {
    return new Idle(settings);
  }

  /** The workload, with its settings for {@link EchoRunner}. */
  record Idle(Settings settings) implements Workload, Program {
    @Override
    public WorkloadPlan plan(Cluster cluster) {
      return WorkloadPlan.of(ranks(cluster), this::program);
    }

    private int[] ranks(Cluster cluster) {
      return cluster.terminals(DeviceKind.ACCELERATOR);
    }

    private Program program(int rank, WorkloadContext context) {
      return this;
    }

    @Override
    public int streams() {
      return 1;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      return false;
    }
  }
}
