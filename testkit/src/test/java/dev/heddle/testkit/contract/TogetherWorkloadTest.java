package dev.heddle.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.results.Results;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Workload;
import dev.heddle.standard.CollectiveWorkloadProvider;
import dev.heddle.standard.TogetherWorkloadProvider;
import dev.heddle.standard.TogetherWorkloadProvider.Settings;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.units.DataSize;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TogetherWorkloadTest extends WorkloadContract<Settings> {
  @Override
  protected Provider<Settings, Workload> provider() {
    return new TogetherWorkloadProvider();
  }

  private static Workload gather(int... ranks) {
    List<List<Integer>> group = List.of(Arrays.stream(ranks).boxed().toList());
    return new CollectiveWorkloadProvider().create(
        CollectiveWorkloadProvider.Settings.of(CollectiveOp.ALL_GATHER, DataSize.ofKiB(4096)).groups(group));
  }

  @Override
  protected List<Settings> settings() {
    return List.of(new Settings(List.of(gather(0, 1, 2, 3))), new Settings(List.of(gather(0, 1), gather(1, 2, 3))));
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(new Settings(List.of()), new Settings(Collections.nCopies(9, gather(0, 1))));
  }

  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"PACKET", "FLOW"})
  void shouldSlowEachOtherOnlyWhereTheyShareLinks(Fidelity fidelity) {
    double alone = time(fidelity, gather(0, 1, 2, 3));
    assertThat(time(fidelity, gather(0, 1, 2, 3), gather(4, 5, 6, 7))).isCloseTo(alone, within(0.01 * alone));
    assertThat(time(fidelity, gather(0, 1, 2, 3), gather(0, 1, 2, 3))).isCloseTo(2 * alone, within(0.05 * alone));
  }

  private static double time(Fidelity fidelity, Workload... workloads) {
    Workload together = new TogetherWorkloadProvider().create(new Settings(List.of(workloads)));
    Results results =
        new Simulation("together", Fabrics.oneNode(8), together, SimulationOptions.defaults(), 1).at(fidelity).run();
    assertThat(results.metric("collective.all_gather.count").orElseThrow().value()).isEqualTo(workloads.length);
    return results.metric("time").orElseThrow().value();
  }
}
