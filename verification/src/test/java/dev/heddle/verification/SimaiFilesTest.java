package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of SimAI's own files against the times of its ns-3. */
class SimaiFilesTest {
  private static final Path WORKLOAD =
      Path.of("..", "workload-trace", "src", "test", "resources", "aicb", "gpt13b_w128_tp8_ga1.txt").toAbsolutePath();
  private static final Path TOPOLOGIES = Path.of("..", "topology-simai", "src", "test", "resources").toAbsolutePath();

  @TempDir
  private Path folder;

  private double milliseconds(String scenario) throws IOException {
    Path file = Files.writeString(folder.resolve("simai.yaml"), scenario);
    try (Registry registry = Registry.discover(SimaiFilesTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).read(file, Map.of()).points().get(0).scenario().simulation().run().run()
          .simulatedPs() / 1e9;
    }
  }

  // AS_SEND_LAT of SimAI's runs, and the steps of a rank's tensor-parallel collectives that move bytes: 241 all_gathers
  // and reduce_scatters of 7, 9 all_reduces of 14.
  private static final double START_DELAY_MILLISECONDS = 0.003 * (241 * 7 + 9 * 14);

  // GPT 13B, an iteration of one micro-batch, tensor parallel by 8, on Spectrum-X topologies of 2,400 and 200 Gb/s.
  // SimAI 1.6 ran with a start delay of 3 us for every flow and without collectives of zero bytes.
  @ParameterizedTest
  @CsvSource({"8,Spectrum-X_8g_8gps_200Gbps_A100,591.3", "16,Spectrum-X_16g_8gps_200Gbps_A100,803.4"})
  void shouldTakeAsLongAsSimaiWhenIterationIsOfGpt(int ranks, String topology, double simai) throws IOException {
    String file = "{type: simai, file: '" + TOPOLOGIES.resolve(topology) + "'}";
    double raw = milliseconds("name: simai\nfidelity: flow\ncluster:\n  tiers:\n"
        + "    - {name: server, terminals: {accelerator: 8, nic: 8}, nic: {type: generic}, topology: " + file + "}\n"
        + "    - {name: network, size: " + ranks / 8 + ", topology: " + file + "}\n"
        + "workload: {type: aicb, file: '" + WORKLOAD + "', ranks: " + ranks + "}\n");
    double adjusted = raw + START_DELAY_MILLISECONDS;
    assertThat(raw).as("raw").isCloseTo(simai, withinPercentage(1.2));
    assertThat(adjusted).as("with start delays").isCloseTo(simai, withinPercentage(0.4));
    assertThat(Files.readString(Path.of("..", "docs", "validation", "nccl.md")))
        .contains(Double.toString(simai), String.format(Locale.ROOT, "%.1f", raw),
            String.format(Locale.ROOT, "%.1f", adjusted));
  }
}
