package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.SimulationException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What NCCL's variables of queue pairs do on networks of RDMA: two nodes of H100 below one switch a rail. */
class NcclNetworkTest {
  private static Results run(String link, Map<String, String> environment) {
    try (Registry registry = Registry.discover(NcclNetworkTest.class.getClassLoader(), List.of())) {
      String variables = environment.toString().replace('=', ':').replace(":", ": ");
      String text = "{name: network, cluster: {tiers: [{preset: hgx-h100-node}, {name: cluster, size: 2,"
          + " topology: {type: rail-fat-tree, rails: 8, link: " + link + ","
          + " forwarding: {preset: infiniband-switch-ndr}}}]}, workload: {type: collective, size: 1 MiB},"
          + " collectives: {type: nccl, environment: " + variables + ", timing: {gpu: {preset: nccl-hopper},"
          + " host: {launch: 8 us}, network: {node: 384 GB/s, latency: 5 us}}}}";
      return new ScenarioReader(registry).parse("network", text, Map.of()).points().get(0).scenario().simulation()
          .run();
    }
  }

  private static String losing(double share) {
    return "{preset: infiniband-ndr, loss: " + share + "}";
  }

  private static double micros(Results results) {
    return results.metric("collective.all_reduce.time").orElseThrow().value();
  }

  @Test
  void shouldWaitOutItsTimeWhenTheLastPacketOfAConnectionIsLost() {
    double lossless = micros(run(losing(0), Map.of("NCCL_PROTO", "LL")));
    Results ten = run(losing(0.01), Map.of("NCCL_PROTO", "LL", "NCCL_IB_TIMEOUT", "10"));
    Results twelve = run(losing(0.01), Map.of("NCCL_PROTO", "LL", "NCCL_IB_TIMEOUT", "12"));
    assertThat(ten.metric("packets.lost").orElseThrow().value()).isPositive();
    // 4.2 and 16.8 ms, as often one after the other.
    double waits = Math.round((micros(ten) - lossless) / 4194.304);
    assertThat(waits).isPositive();
    assertThat(micros(ten)).isCloseTo(lossless + waits * 4194.304, within(0.2 * 4194.304));
    assertThat(micros(twelve)).isCloseTo(lossless + waits * 16777.216, within(0.2 * 16777.216));
  }

  @Test
  void shouldFailWhenAPacketIsLostOnceMoreThanItMayBeSentAgain() {
    assertThatThrownBy(() -> run(losing(0.01), Map.of("NCCL_IB_RETRY_CNT", "0", "NCCL_IB_TIMEOUT", "10")))
        .isInstanceOf(SimulationException.class).hasMessageContaining("lost a packet and all 0 that were sent");
    assertThat(micros(run(losing(0.01), Map.of("NCCL_IB_RETRY_CNT", "7", "NCCL_IB_TIMEOUT", "10")))).isPositive();
  }
}
