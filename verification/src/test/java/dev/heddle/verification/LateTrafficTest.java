package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.scenario.ScenarioReader;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of links that still carry packets when the last message has been delivered. */
class LateTrafficTest {
  private static final Registry REGISTRY = Registry.discover(LateTrafficTest.class.getClassLoader(), List.of());

  private static final String LOSSY = """
      name: lossy
      seed: %d
      run: {granularity: packet}
      transport: %s
      cluster:
        tiers:
          - name: net
            terminals: {accelerator: 2}
            topology:
              type: star
              link: {type: ethernet, rate: 100 Gb/s, latency: 100 ns}
              centre: {type: ethernet, buffer: 4 MB}
        faults: [{link: 'net.switch -> net.accelerator1', loss: 90 %%}]
      workload: {type: traffic, pattern: incast, loop: closed, messages: 1, message-size: %s}
      """;

  // Nine of ten acknowledgements are lost: the sender repeats what the receiver has had, up to six times as many bytes
  // as cross the link until the message is delivered.
  @ParameterizedTest
  @ValueSource(strings = {"{type: roce}", "{type: uec}", "{type: uec, control: both}", "{type: infiniband}"})
  void shouldUseNoLinkForMoreThanTheTime(String transport) {
    for (int seed = 1; seed <= 25; seed++) {
      String text = LOSSY.formatted(seed, transport, seed % 2 == 0 ? "16 KiB" : "256 KiB");
      Results results = new ScenarioReader(REGISTRY).parse("lossy.yaml", text, Map.of()).points().get(0).scenario()
          .simulation().run();
      assertThat(results.metric("acknowledged.last").orElseThrow().value())
          .isGreaterThan(results.metric("time").orElseThrow().value());
      for (LinkUsage link : results.links()) {
        assertThat(link.utilization()).as("%s, seed %d, %s", transport, seed, link.name())
            .isLessThanOrEqualTo(1 + 1e-9);
        assertThat(link.payloadGBps()).as("%s, seed %d, %s", transport, seed, link.name())
            .isLessThanOrEqualTo(link.rateGBps());
      }
    }
  }
}
