package dev.heddle.cli;

import dev.heddle.collective.Group;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.Communicator;

/** Provides a collective algorithm that moves nothing, which is wrong for every operation. */
public final class IdleAlgorithmProvider implements CollectiveAlgorithmProvider<IdleAlgorithmProvider.Settings> {
  /** Settings of the algorithm: none. */
  public record Settings() {}

  @Override
  public String id() {
    return "motionless";
  }

  @Override
  public String description() {
    return "Moves nothing";
  }

  @Override
  public Class<Settings> settings() {
    return Settings.class;
  }

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    return new Idle();
  }

  private record Idle() implements CollectiveAlgorithm {
    @Override
    public Communicator communicator(Cluster cluster, Group group) {
      return collective -> {
        Layout layout = Layout.of(collective, 1);
        return CollectivePlan.of(
            Schedule.planned("motionless", layout, rank -> new RankStepsBuilder(layout, rank).build()));
      };
    }
  }
}
