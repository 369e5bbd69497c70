package dev.heddle.scenario;

import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.spi.WorkloadProvider;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.List;
import java.util.Map;

/** Every rank sends one message to the next; for tests of the scenario reader. */
public final class PingWorkloadProvider implements WorkloadProvider<PingWorkloadProvider.Settings> {
  /** Settings of messages; {@code weights} and {@code sizes} are there to be bound. */
  public record Settings(
      @Setting(value = "payload", def = "4 KiB", min = "1 B", max = "1 MiB") DataSize size,
      @Setting(value = "share", def = "50 %", max = "100 %") Fraction load,
      @Setting("more sizes") List<DataSize> sizes,
      @Setting(value = "weights by name", min = "0", max = "10") Map<String, Double> weights) {}

  @Override
  public String id() {
    return "ping";
  }

  @Override
  public String description() {
    return "Every rank sends one message to the next";
  }

  @Override
  public Class<Settings> settings() {
    return Settings.class;
  }

  @Override
  public Workload create(Settings settings) {
    if (settings.sizes().size() > 3) {
      throw new InvalidSettingException("sizes", settings.sizes().size() + " sizes; at most 3");
    }
    return new Ping(settings);
  }

  private record Ping(Settings settings) implements Workload {
    @Override
    public WorkloadPlan plan(Cluster cluster) {
      return WorkloadPlan.of(ranks(cluster), this::program);
    }

    private int[] ranks(Cluster cluster) {
      int[] ranks = cluster.terminals(DeviceKind.ACCELERATOR);
      if (ranks.length < 2) {
        throw new InvalidSettingException("", "the cluster has fewer than two accelerators");
      }
      return ranks;
    }

    private Program program(int rank, WorkloadContext context) {
      return new Program() {
        private boolean sent;

        @Override
        public int streams() {
          return 1;
        }

        @Override
        public boolean next(int stream, Operation operation) {
          if (!sent) {
            operation.generate(0, (rank + 1) % context.ranks(), settings.size().bytes(), 0);
            sent = true;
            return true;
          }
          return false;
        }
      };
    }
  }
}
