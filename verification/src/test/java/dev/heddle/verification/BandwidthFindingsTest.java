package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Tests of the benefit of network bandwidth for GPT-3 175B on 1,024 GPUs against [SimAI §5.1, Figure 10]. The paper
 * states no batch size; with eight micro-batches, as many as stages, all three of its gains are reproduced as time
 * saved.
 */
class BandwidthFindingsTest {
  private static final Path SCENARIO = Path.of("..", "scenarios", "training-bandwidth.yaml");

  private static double[] seconds(String node) throws IOException {
    try (Registry registry = Registry.discover(BandwidthFindingsTest.class.getClassLoader(), List.of())) {
      ScenarioFile file = new ScenarioReader(registry).parse(
          SCENARIO.toString(), Files.readString(SCENARIO),
          Map.of("workload.batch.global", "128", "cluster.tiers[0].preset", node));
      return file.points().stream()
          .mapToDouble(point -> point.scenario().simulation().run().run().simulatedPs() / 1e12).toArray();
    }
  }

  private static double savedPct(double before, double after) {
    return 100 * (before - after) / before;
  }

  @Test
  void shouldSaveNineteenPercentWhenH100GoesFrom200To400() throws IOException {
    double[] seconds = seconds("hgx-h100-node");
    assertThat(seconds).hasSize(3);
    assertThat(savedPct(seconds[1], seconds[2])).isCloseTo(19, within(1.5));
  }

  @Test
  void shouldSaveElevenAndSixPercentWhenH20GoesFrom100To200And400() throws IOException {
    double[] seconds = seconds("hgx-h20-node");
    assertThat(savedPct(seconds[0], seconds[1])).isCloseTo(11, within(1.5));
    assertThat(savedPct(seconds[1], seconds[2])).isCloseTo(6, within(1.5));
  }
}
