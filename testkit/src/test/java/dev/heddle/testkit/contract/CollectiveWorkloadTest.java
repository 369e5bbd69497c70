package dev.heddle.testkit.contract;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Workload;
import dev.heddle.standard.CollectiveWorkloadProvider;
import dev.heddle.standard.CollectiveWorkloadProvider.Settings;
import dev.heddle.units.DataSize;
import java.util.List;

class CollectiveWorkloadTest extends WorkloadContract<Settings> {
  @Override
  protected Provider<Settings, Workload> provider() {
    return new CollectiveWorkloadProvider();
  }

  @Override
  protected List<Settings> settings() {
    Settings broadcast = Settings.of(CollectiveOp.BROADCAST, DataSize.ofKiB(64));
    return List.of(
        Settings.of(CollectiveOp.ALL_REDUCE, DataSize.ofKiB(1024)), broadcast.repeats(3),
        broadcast.groups(List.of(List.of(0, 1), List.of(3, 2), List.of(0, 3))));
  }

  @Override
  protected List<Settings> refusedSettings() {
    Settings good = Settings.of(CollectiveOp.ALL_REDUCE, DataSize.ofKiB(64));
    return List.of(
        Settings.of(CollectiveOp.ALL_TO_ALL_V, DataSize.ofKiB(64)), good.groups(List.of(List.of(1, 1))),
        good.groups(List.of(List.of())), good.groups(List.of(List.of(0, -1))));
  }
}
