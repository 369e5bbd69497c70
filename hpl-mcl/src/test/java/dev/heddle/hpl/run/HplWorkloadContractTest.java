package dev.heddle.hpl.run;

import dev.heddle.hpl.PanelBroadcast;
import dev.heddle.hpl.ProcessGrid;
import dev.heddle.hpl.RowSwap;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Workload;
import dev.heddle.testkit.contract.WorkloadContract;
import java.util.List;

class HplWorkloadContractTest extends WorkloadContract<HplRun> {
  @Override
  protected Provider<HplRun, Workload> provider() {
    return new HplWorkloadProvider();
  }

  @Override
  protected List<HplRun> settings() {
    return List.of(
        Runs.of(2048, 128, new ProcessGrid(4, 4), 1, PanelBroadcast.RING_MODIFIED, RowSwap.SPREAD_ROLL),
        Runs.of(2000, 100, new ProcessGrid(2, 8), 0, PanelBroadcast.LONG, RowSwap.BINARY_EXCHANGE),
        Runs.of(3000, 100, new ProcessGrid(8, 2), 2, PanelBroadcast.LONG_MODIFIED, RowSwap.MIXED),
        Runs.of(1000, 64, new ProcessGrid(16, 1), 1, PanelBroadcast.TWO_RING, RowSwap.SPREAD_ROLL),
        Runs.of(1000, 64, new ProcessGrid(1, 16), 2, PanelBroadcast.TWO_RING_MODIFIED, RowSwap.SPREAD_ROLL));
  }

  @Override
  protected List<HplRun> refusedSettings() {
    return List.of(
        Runs.of(100, 128, new ProcessGrid(4, 4), 1, PanelBroadcast.RING, RowSwap.SPREAD_ROLL));
  }
}
