package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares runs in which switches carry out departures late, each as of its own time, with runs of which an observer
 * sees every departure, so that each has an event.
 */
class DeferredDeparturesTest {
  private static final String SCENARIO = """
      name: deferred
      transport: {type: uec, control: nscc}
      cluster:
        tiers:
          - name: net
            terminals: {accelerator: 16}
            topology:
              type: fat-tree
              radix: 4
              levels: 3
              link: {type: ethernet, rate: 400 Gb/s, latency: 600 ns, mtu: 4 KiB}
              forwarding: {type: ethernet, queue: 200 KB, ecn: {min: 20 KB, max: 90 KB}, trimming: true}
              routing: ecmp
      workload: {type: traffic, pattern: permutation, loop: closed, messages: 6, message-size: 300 KB}
      """;

  private static Results run(Map<String, String> overrides) {
    try (Registry registry = Registry.discover(DeferredDeparturesTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).parse("test.yaml", SCENARIO, overrides).points().get(0).scenario()
          .simulation().run();
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      permutation |
      permutation | run.measure=83 us
      uniform     | transport.control=both
      uniform     | cluster.tiers[0].topology.forwarding.queue=24 KB
      incast      | cluster.tiers[0].topology.forwarding.ecn={min: 10 KB, max: 300 KB}
      incast      | cluster.tiers[0].topology.routing=random
      uniform     | cluster.tiers[0].topology.forwarding.ecn={min: 5 KB, max: 8 KB}
      uniform     | cluster.tiers[0].topology.link.latency=20 ns
      uniform     | transport={type: roce, congestion: dctcp}
      """)
  void shouldNotDependOnObservers(String pattern, String override) {
    Map<String, String> plain = new LinkedHashMap<>(Map.of("workload.pattern", pattern));
    if (override != null) {
      plain.put(override.substring(0, override.indexOf('=')), override.substring(override.indexOf('=') + 1));
    }
    Results once = run(plain);
    Map<String, String> watched = new LinkedHashMap<>(plain);
    watched.put("run.link-series", "['" + once.links().get(0).name() + "']");
    Results expected = run(watched);
    plain.put("run.partitions", "3");
    Results divided = run(plain);
    for (Results results : List.of(once, divided)) {
      assertThat(results.run().fingerprint()).isEqualTo(expected.run().fingerprint());
      assertThat(results.metrics()).isEqualTo(expected.metrics());
      assertThat(results.links()).isEqualTo(expected.links());
    }
    assertThat(once.run().events()).isLessThan(expected.run().events());
  }
}
