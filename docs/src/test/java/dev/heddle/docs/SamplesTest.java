package dev.heddle.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import dev.heddle.registry.PluginKind;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class SamplesTest {
  @Test
  void shouldDeliverOneMessagePerRankWhenRingRuns() {
    Results results = ComposeByHand.run();
    assertThat(results.metric("messages.delivered").orElseThrow().value()).isEqualTo(16);
    assertThat(ComposeByHand.run()).isEqualTo(results);
  }

  @Test
  void shouldRunAtTheFidelityOfTheOverriddenBindingWhenComposedByInjection() {
    Results results = ComposeByInjection.run();
    assertThat(results.run().fidelity()).isEqualTo("flow");
    // 30 of 16 MiB / 32 leave each rank over 450 GB/s, or by a NIC of 50.
    assertThat(results.metric("collective.all_reduce.time").orElseThrow().value()).isBetween(70.0, 1000.0);
  }

  @Test
  void shouldMakeSixPointsThatRunWhenSampleScenarioIsRead() throws Exception {
    try (Registry registry = Registry.discover(SamplesTest.class.getClassLoader(), List.of())) {
      String text =
          Resources.toString(Resources.getResource(SamplesTest.class, "small-cluster.yaml"), StandardCharsets.UTF_8);
      ScenarioFile file = new ScenarioReader(registry).parse("small-cluster.yaml", text, ImmutableMap.of());
      assertThat(file.points()).hasSize(6);
      assertThat(file.plots()).hasSize(1);
      Results results = file.points().get(0).scenario().simulation().run();
      assertThat(results.metric("intra.throughput").orElseThrow().value()).isPositive();
      assertThat(registry.plugin(PluginKind.LINK, "ideal").provider()).isInstanceOf(IdealLinkProvider.class);
    }
  }
}
