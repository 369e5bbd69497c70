package dev.heddle.cli;

import dev.heddle.collective.Layout;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.CollectiveCost;
import dev.heddle.spi.CollectiveRequest;

/** A collective algorithm that moves nothing, and so is wrong for every operation. */
public final class IdleAlgorithmProvider implements CollectiveAlgorithmProvider<IdleAlgorithmProvider.Settings> {
  /** No settings. */
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
    public Schedule plan(CollectiveRequest request) {
      Layout layout = Layout.of(request.collective(), 1);
      return Schedule.planned("motionless", layout, rank -> new RankStepsBuilder(layout, rank).build());
    }

    @Override
    public CollectiveCost cost(CollectiveRequest request) {
      return new CollectiveCost(0, 0, 0);
    }
  }
}
