package dev.heddle.docs;

// sample: test
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.network.NetworkModel;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Provider;
import dev.heddle.testkit.contract.NetworkModelContract;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HockneyModelTest extends NetworkModelContract<HockneyModelProvider.Settings> {
  @Override
  protected Provider<HockneyModelProvider.Settings, NetworkModel> provider() {
    return new HockneyModelProvider();
  }

  @Override
  protected List<HockneyModelProvider.Settings> settings() {
    return List.of(new HockneyModelProvider.Settings(SimTime.ZERO));
  }

  // Headers of packets and the forwarding of a burst at each hop are left out.
  @Override
  protected double deviation() {
    return 0.05;
  }

  @Override
  protected boolean contends() {
    return false;
  }

  @Test
  void shouldRunScenariosThatNameTheFidelityByItsIdOrWithSettings() {
    Results plain = run("hockney");
    assertThat(plain.run().fidelity()).isEqualTo("hockney");
    // Three steps, each later by the start-up time.
    assertThat(micros(run("{type: hockney, startup: 5 us}"))).isCloseTo(micros(plain) + 15, within(1e-6));
  }

  private static double micros(Results results) {
    return results.metric("collective.all_gather.time").orElseThrow().value();
  }

  private static Results run(String fidelity) {
    String scenario = """
        name: star
        cluster: {tiers: [{name: node, terminals: {accelerator: 4},
          topology: {type: star, link: {type: generic, rate: 80 Gb/s}, centre: {type: generic}}}]}
        workload: {type: collective, op: all_gather, size: 16 KiB}
        """;
    try (Registry registry = Registry.discover(HockneyModelTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).parse("star.yaml", scenario, Map.of("fidelity", fidelity))
          .points().get(0).scenario().simulation().run();
    }
  }
}
// end
