package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Times of custom-all-reduce beside vLLM's in CUDA graphs. Its constants are of NCCL's presets, and nothing was fitted
 * to these rows.
 */
class CustomAllReduceTableTest {
  private static final Path TABLE = Path.of("src/test/resources/custom-all-reduce.csv");
  private static final Map<String, String> NODES = Map.of("a100_sxm", "dgx-a100-node", "h100_sxm", "hgx-h100-node",
      "b200_sxm", "hgx-b200-node", "gb200", "gb200-nvl72-node");
  private static final Map<String, String> PRESETS = Map.of("a100_sxm", "custom-all-reduce-ampere", "h100_sxm",
      "custom-all-reduce-hopper", "b200_sxm", "custom-all-reduce-blackwell", "gb200", "custom-all-reduce-blackwell");

  @Test
  void shouldComeNearVllmWithoutAnyFit() throws IOException {
    Map<String, List<Double>> errors = new TreeMap<>();
    Map<List<String>, Double> known = new LinkedHashMap<>();
    try (Registry registry = Registry.discover(CustomAllReduceTableTest.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      for (CsvTable.Line line : CsvTable.read("table", Files.readString(TABLE)).lines()) {
        String gpu = line.cell(0);
        double model = known.computeIfAbsent(List.of(gpu, line.cell(2), line.cell(3)),
            any -> micros(reader, gpu, line.cell(2), line.cell(3)));
        double error = 100 * Math.abs(model / Double.parseDouble(line.cell(4)) - 1);
        errors.computeIfAbsent(gpu + " " + line.cell(2), any -> new ArrayList<>()).add(error);
      }
    }
    assertThat(errors.values().stream().mapToInt(List::size).sum()).isEqualTo(234);
    assertThat(mean(errors.values().stream().flatMap(List::stream).toList())).isLessThan(17);
    // Each line of the table in docs/collectives.md: GPU, ranks and error.
    String page = Files.readString(Path.of("../docs/collectives.md"));
    StringBuilder table = new StringBuilder();
    errors.forEach((name, all) -> table.append(
        String.format(Locale.ROOT, "| %s | %.1f %% of %d rows |%n", name.replace(" ", " | "), mean(all), all.size())));
    assertThat(page).contains(table);
  }

  private static double mean(List<Double> values) {
    return values.stream().mapToDouble(each -> each).average().orElseThrow();
  }

  private static double micros(ScenarioReader reader, String gpu, String ranks, String bytes) {
    return reader.parse("row.yaml", "{name: row, fidelity: analytic, cluster: {tiers: [{preset: " + NODES.get(gpu)
        + "}]}, collectives: {preset: " + PRESETS.get(gpu) + "}, workload: {type: collective, op: all_reduce, size: "
        + bytes + " B, ranks: " + ranks + "}}", Map.of()).points().get(0).scenario().simulation().run()
        .metric("collective.all_reduce.time").orElseThrow().value();
  }
}
