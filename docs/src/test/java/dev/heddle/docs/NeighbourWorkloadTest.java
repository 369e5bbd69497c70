package dev.heddle.docs;

import dev.heddle.spi.Provider;
import dev.heddle.spi.Workload;
import dev.heddle.testkit.contract.WorkloadContract;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.List;

class NeighbourWorkloadTest extends WorkloadContract<NeighbourWorkloadProvider.Settings> {
  @Override
  protected Provider<NeighbourWorkloadProvider.Settings, Workload> provider() {
    return new NeighbourWorkloadProvider();
  }

  @Override
  protected List<NeighbourWorkloadProvider.Settings> settings() {
    return List.of(new NeighbourWorkloadProvider.Settings(DataSize.parse("64 KiB"), SimTime.parse("10 us"), 3));
  }
}
