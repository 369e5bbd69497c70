package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
      run: {measure: 200 us}
      cluster:
        tiers:
          - name: node
            terminals: {accelerator: 4}
            topology:
              type: star
              link: {type: generic, rate: 100 Gb/s, latency: 10 ns, max-payload: 1 KiB, overhead: 28 B, buffer: 16 KiB}
              centre: {type: generic, latency: 100 ns}
      workload: {type: traffic, load: 30 %, message-size: 4 KiB}
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
      double messages = results.metrics().stream().filter(metric -> metric.id().equals("messages.delivered"))
          .findFirst().orElseThrow().value();
      assertThat(live.path("deliveredGBps").size()).isLessThanOrEqualTo(LiveRecorder.BINS);
      assertThat(live.path("messages").asDouble()).isEqualTo(messages);
      assertThat(sum(live.path("deliveredGBps")) * binNs).isCloseTo(4096 * messages,
          org.assertj.core.data.Percentage.withPercentage(0.001));
      double busy = results.links().stream().mapToDouble(Results.LinkUsage::utilization).sum() * 200_000;
      assertThat(sum(live.at("/tiers/0/use")) * binNs * results.links().size()).isCloseTo(busy,
          org.assertj.core.data.Percentage.withPercentage(0.5));
      assertThat(live.path("endPs").asLong()).isEqualTo(200_000_000L);
    }
  }
}
