package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.SimulationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random faults, from the start and during a run, under every transport. */
class RandomFaultsTest {
  private static final Registry REGISTRY = Registry.discover(RandomFaultsTest.class.getClassLoader(), List.of());
  private static final int CASES = 40;

  private static final List<String> TRANSPORTS = List.of("{type: roce}",
      "{type: roce, timely: {low: 15 us, high: 100 us}}", "{type: roce, dcqcn: {}}", "{type: uec}",
      "{type: uec, control: rccc}", "{type: uec, control: both}", "{type: infiniband}");

  private static final String TREE = """
      name: random-faults
      seed: %d
      run: {granularity: packet, partitions: %d}
      transport: %s
      cluster:
        faults: %s
        tiers:
          - name: net
            terminals: {accelerator: 12}
            topology:
              type: fat-tree
              down: [4, 3]
              up: [1, 3]
              link: {type: ethernet, rate: 100 Gb/s, latency: 300 ns}
              forwarding:
                type: ethernet
                buffer: 2 MB
                ecn: {min: 50 KB, max: 200 KB, probability: 20 %%}
                pfc: {headroom: 60 KB}
              routing: %s
      workload: {type: traffic, pattern: %s, loop: closed, messages: %d, message-size: %d B}
      """;

  private static String draw(int seed, int partitions) {
    Random random = new Random(seed);
    List<String> faults = new ArrayList<>();
    faults.add(switch (random.nextInt(4)) {
      case 0 -> "{device: net.spine1, down: true}";
      case 1 -> "{device: net.spine" + random.nextInt(3) + ", down: true, at: " + random.nextInt(40) + " us, until: "
          + (50 + random.nextInt(100)) + " us}";
      case 2 -> "{link: 'net.leaf* <-> net.spine2', down: true, at: " + random.nextInt(60) + " us}";
      default -> "{link: 'net.leaf" + random.nextInt(3) + " <-> net.spine0', down: true}";
    });
    if (random.nextBoolean()) {
      faults.add("{link: '* -> net.accelerator*', rate: " + (20 + random.nextInt(70)) + " Gb/s, at: "
          + random.nextInt(50) + " us}");
    }
    if (random.nextBoolean()) {
      faults.add("{device: 'net.leaf*', loss: " + random.nextInt(1, 20) / 10. + " %}");
    }
    return TREE.formatted(seed, partitions, TRANSPORTS.get(random.nextInt(TRANSPORTS.size())), faults,
        List.of("ecmp", "adaptive", "random", "d-mod-k").get(random.nextInt(4)),
        List.of("permutation", "incast", "uniform").get(random.nextInt(3)), 1 + random.nextInt(3),
        1 + random.nextInt(400_000));
  }

  private static Results run(int seed, int partitions) {
    try {
      return new ScenarioReader(REGISTRY).parse("faults.yaml", draw(seed, partitions), Map.of()).points().get(0)
          .scenario().simulation().run();
    } catch (SimulationException e) {
      throw new AssertionError("seed " + seed + " on " + partitions + " partitions", e);
    }
  }

  // A run to completion that ends has delivered all; all partitions see a fault in the same instant.
  @Test
  void shouldDeliverAllOnAnyNumberOfPartitionsWhateverFails() {
    for (int seed = 0; seed < CASES; seed++) {
      Results one = run(seed, 1);
      Results four = run(seed, 4);

      assertThat(four.metric("time")).as("seed %d", seed).isEqualTo(one.metric("time"));
      assertThat(four.links()).as("seed %d", seed).isEqualTo(one.links());
      assertThat(one.metric("messages.delivered").orElseThrow().value() % (draw(seed, 1).contains("incast") ? 11 : 12))
          .as("seed %d: of each sender as many", seed).isZero();
      assertThat(one.links()).as("seed %d", seed).extracting(LinkUsage::utilization)
          .allSatisfy(use -> assertThat(use).isBetween(0., 1 + 1e-9));
    }
  }
}
