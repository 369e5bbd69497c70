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
import dev.heddle.standard.collective.DirectAlgorithmProvider;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.standard.workload.ConcurrentWorkloadProvider;
import dev.heddle.standard.workload.ConcurrentWorkloadProvider.Settings;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.units.DataSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ConcurrentWorkloadTest extends WorkloadContract<Settings> {
  @TempDir
  Path folder;

  @Override
  protected Provider<Settings, Workload> provider() {
    return new ConcurrentWorkloadProvider();
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

  @Test
  void shouldKeepTheSizesOfEachWhenPairsDiffer() throws IOException {
    Workload small = exchange("1 20\n300 4\n", 0, 1);
    Workload large = exchange("1 2 3\n4 5 6\n7 8176 9\n", 5, 4, 3);
    Results results = new Simulation(
        "together", Fabrics.oneNode(8), new ConcurrentWorkloadProvider().create(new Settings(List.of(large, small))),
        SimulationOptions.defaults(), 1)
        .with(new DirectAlgorithmProvider().create(new DirectAlgorithmProvider.Settings(1))).run();
    assertThat(results.metrics()).extracting(Results.Metric::title)
        .filteredOn(title -> title.endsWith(": calls"))
        .containsExactlyInAnyOrder("all_to_all_v, 8 KiB, 3 ranks: calls", "all_to_all_v, 304 B, 2 ranks: calls");
  }

  private Workload exchange(String rows, int... ranks) throws IOException {
    Path file = Files.writeString(folder.resolve(ranks.length + ".txt"), rows);
    return new CollectiveWorkloadProvider().create(CollectiveWorkloadProvider.Settings.ofPairs(file)
        .groups(List.of(Arrays.stream(ranks).boxed().toList())));
  }

  private static double time(Fidelity fidelity, Workload... workloads) {
    Workload together = new ConcurrentWorkloadProvider().create(new Settings(List.of(workloads)));
    Results results =
        new Simulation("together", Fabrics.oneNode(8), together, SimulationOptions.defaults(), 1)
            .with(RingAlgorithmProvider.single()).at(fidelity).run();
    assertThat(results.metric("collective.all_gather.count").orElseThrow().value()).isEqualTo(workloads.length);
    return results.metric("time").orElseThrow().value();
  }
}
