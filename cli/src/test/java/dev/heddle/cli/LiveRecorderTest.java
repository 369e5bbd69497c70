package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Simulation;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveRecorderTest {
  private static final String SCENARIO = """
      name: live
      cluster:
        tiers:
          - name: node
            terminals: {accelerator: 4}
            topology:
              type: star
              link: {type: generic, rate: 100 Gb/s, latency: 10 ns, max-payload: 1 KiB, overhead: 28 B, buffer: 16 KiB}
              centre: {type: generic, latency: 100 ns}
      workload: {type: collective, op: all_gather, size: 1 MiB, repeats: 4}
      """;

  @TempDir
  private Path folder;

  private static double sum(JsonNode values) {
    return StreamSupport.stream(values.spliterator(), false).mapToDouble(JsonNode::asDouble).sum();
  }

  @Test
  void shouldAgreeWithResultsWhenRunHasEnded() throws Exception {
    Path file = folder.resolve("live.json");
    try (Registry registry = Registry.discover(LiveRecorderTest.class.getClassLoader(), List.of())) {
      Simulation simulation =
          new ScenarioReader(registry).parse("live", SCENARIO, Map.of()).points().get(0).scenario().simulation();
      LiveRecorder recorder = new LiveRecorder(simulation, LiveFile.at(file));
      Results results = simulation.run(recorder, recorder);
      recorder.write();
      assertThat(results).isEqualTo(simulation.run());
      JsonNode live = new ObjectMapper().readTree(file.toFile());
      double binNs = live.path("binPs").asDouble() / 1000;
      double windowNs = results.run().simulatedPs() / 1000.0;
      double received = results.links().stream().filter(link -> link.name().matches(".* -> \\S*accelerator\\d+"))
          .mapToDouble(Results.LinkUsage::payloadGBps).sum() * windowNs;
      double busyNs = results.links().stream().mapToDouble(Results.LinkUsage::utilization).sum() * windowNs;
      assertThat(received).isPositive();
      assertThat(live.path("deliveredGBps").size()).isLessThanOrEqualTo(LiveRecorder.BINS);
      assertThat(live.path("messages").asLong()).isPositive();
      assertThat(sum(live.path("deliveredGBps")) * binNs).isCloseTo(received, withPercentage(0.001));
      assertThat(sum(live.at("/tiers/0/use")) * binNs * results.links().size())
          .isCloseTo(busyNs, withPercentage(0.5));
    }
  }
}
