package dev.heddle.testkit.contract;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Workload;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider.Settings;
import dev.heddle.units.DataSize;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

class CollectiveWorkloadTest extends WorkloadContract<Settings> {
  private static final Path PAIRS = Path.of("src/test/resources/collective/pairs.txt");

  @Override
  protected Provider<Settings, Workload> provider() {
    return new CollectiveWorkloadProvider();
  }

  @Override
  protected List<Settings> settings() {
    Settings broadcast = Settings.of(CollectiveOp.BROADCAST, DataSize.ofKiB(64));
    return List.of(
        Settings.of(CollectiveOp.ALL_REDUCE, DataSize.ofKiB(1024)), broadcast.repeats(3),
        broadcast.groups(List.of(List.of(0, 1), List.of(3, 2), List.of(0, 3))),
        Settings.ofPairs(PAIRS).groups(List.of(List.of(0, 1, 2, 3), List.of(7, 6, 5, 4))));
  }

  @Override
  protected List<Settings> refusedSettings() {
    Settings good = Settings.of(CollectiveOp.ALL_REDUCE, DataSize.ofKiB(64));
    return List.of(
        Settings.of(CollectiveOp.ALL_TO_ALL_V, DataSize.ofKiB(64)), Settings.ofPairs(Path.of("no-such-file.txt")),
        sized(CollectiveOp.ALL_REDUCE, Optional.empty(), Optional.empty()),
        sized(CollectiveOp.ALL_REDUCE, Optional.empty(), Optional.of(PAIRS)),
        sized(CollectiveOp.ALL_TO_ALL_V, Optional.of(DataSize.ofKiB(64)), Optional.of(PAIRS)),
        good.groups(List.of(List.of(1, 1))), good.groups(List.of(List.of())), good.groups(List.of(List.of(0, -1))));
  }

  private static Settings sized(CollectiveOp op, Optional<DataSize> size, Optional<Path> pairs) {
    return new Settings(op, size, pairs, 0, 1, DeviceKind.ACCELERATOR, Optional.empty(), List.of());
  }
}
