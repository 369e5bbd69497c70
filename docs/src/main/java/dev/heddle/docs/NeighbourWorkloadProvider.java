package dev.heddle.docs;

// sample: provider
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.spi.WorkloadProvider;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;

/** Provides rounds in which each rank computes, sends to the next rank and receives from the previous one. */
@Plugin(id = "neighbours", description = "Rounds of compute and a message to the next rank")
public final class NeighbourWorkloadProvider implements WorkloadProvider<NeighbourWorkloadProvider.Settings> {
  /**
   * The rounds.
   *
   * @param size of each message
   * @param compute before each message
   * @param rounds one after the other
   */
  public record Settings(
      @Setting(value = "size of each message", min = "1 B", max = "1 TiB") DataSize size,
      @Setting(value = "compute before each message", def = "10 us") SimTime compute,
      @Setting(value = "rounds", def = "1", min = "1", max = "1000000") int rounds) {}

  @Override
  public Workload create(Settings settings) {
    return cluster -> WorkloadPlan.of(ranks(cluster), (rank, context) -> new Rounds(settings, rank, context.ranks()));
  }

  private static int[] ranks(Cluster cluster) {
    int[] ranks = cluster.terminals(DeviceKind.ACCELERATOR);
    if (ranks.length < 2) {
      throw new InvalidSettingException("", "neighbours needs two accelerators or more; there are " + ranks.length);
    }
    return ranks;
  }

  /** Two streams, so that a rank receives while it sends: a rendezvous of all would never end. */
  private static final class Rounds implements Program {
    private static final int TAG = 0;

    private final Settings settings;
    private final int next;
    private final int previous;
    private int sends;
    private int receives;

    Rounds(Settings settings, int rank, int ranks) {
      this.settings = settings;
      next = (rank + 1) % ranks;
      previous = (rank + ranks - 1) % ranks;
    }

    @Override
    public int streams() {
      return 2;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      if (stream == 1) {
        if (receives == settings.rounds()) {
          return false;
        }
        receives++;
        operation.receive(previous, TAG);
        return true;
      }
      if (sends == 2 * settings.rounds()) {
        return false;
      }
      if (sends++ % 2 == 0) {
        operation.compute(settings.compute().ps());
      } else {
        operation.send(next, settings.size().bytes(), TAG, 0);
      }
      return true;
    }
  }
}
// end
