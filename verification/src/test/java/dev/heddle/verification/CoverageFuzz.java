package dev.heddle.verification;

import com.google.common.collect.ImmutableMap;
import dev.heddle.hpl.HplInputReader;
import dev.heddle.kernel.GpuCatalog;
import dev.heddle.kernel.convert.KernelFile;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.testkit.fixture.FuzzCampaign;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Target of Jazzer, which mutates inputs towards branches that no input has taken yet. The system property {@code
 * heddle.fuzz.format} names the format; a finding is an exception that is no refusal.
 */
public final class CoverageFuzz {
  private static final String FORMAT = System.getProperty("heddle.fuzz.format", "goal");
  private static final String STAR = "{type: star, link: {type: generic, rate: 100 Gb/s, latency: 1 us}}";
  private static final String REDUCE = "{type: collective, op: all_reduce, size: 1 KiB}";
  private static final FuzzCampaign CAMPAIGN =
      new FuzzCampaign(List.of(ScenarioException.class, InvalidSettingException.class), 0);
  private static final Registry REGISTRY = Registry.discover(CoverageFuzz.class.getClassLoader(), List.of());
  private static final Path FOLDER = folder();

  /** Scenarios that read the file, by format. */
  private static final Map<String, String> SCENARIOS = ImmutableMap.<String, String>builder()
      .put("goal", scenario(16, STAR, "{type: goal, file: input}", ""))
      .put("aicb", scenario(16, STAR, "{type: aicb, ranks: 16, file: input}", ""))
      .put("chakra", scenario(16, STAR, "{type: chakra, ranks: 16, file: input}", ""))
      .put("htsim", scenario(16, STAR, "{type: htsim, file: input}", ""))
      .put("htsim-topology", scenario(16, "{type: htsim, file: input}", REDUCE, ""))
      .put("simai", scenario(16, "{type: simai, file: input}", REDUCE, ""))
      .put("astra-sim", scenario(16, "{type: astra-sim, file: input}", REDUCE, ""))
      .put("msccl", scenario(4, STAR, REDUCE, "collectives: {type: msccl, file: input}\n"))
      .build();

  private CoverageFuzz() {}

  private static Path folder() {
    try {
      return Files.createTempDirectory("heddle-fuzz");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String scenario(int accelerators, String topology, String workload, String collectives) {
    return "name: fuzz\ncluster:\n  tiers:\n    - {name: node, terminals: {accelerator: " + accelerators
        + "}, topology: " + topology + "}\nworkload: " + workload + "\n" + collectives;
  }

  /** Loads the classes of all readers before the first input, whose time counts; Jazzer calls it. */
  public static void fuzzerInitialize() {
    CAMPAIGN.accepts(FORMAT, scenario(2, STAR, REDUCE, "").getBytes(StandardCharsets.UTF_8), CoverageFuzz::read);
  }

  /** Reads one input; Jazzer calls it. */
  public static void fuzzerTestOneInput(byte[] input) {
    CAMPAIGN.accepts(FORMAT, input, CoverageFuzz::read);
  }

  private static void read(byte[] input) throws IOException {
    String text = new String(input, StandardCharsets.UTF_8);
    switch (FORMAT) {
      case "scenario" -> new ScenarioReader(REGISTRY).parse("input.yaml", text, Map.of()).points().get(0).scenario();
      case "hpl" -> HplInputReader.read("HPL.dat", text).cases();
      case "kernels" -> KernelFile.parse("kernels.csv", text, GpuCatalog.bundled());
      default -> {
        Files.write(FOLDER.resolve("input"), input);
        Path file = Files.writeString(FOLDER.resolve("scenario.yaml"), scenarioOf(FORMAT));
        new ScenarioReader(REGISTRY).read(file, Map.of()).points().get(0).scenario().simulation();
      }
    }
  }

  private static String scenarioOf(String format) {
    String scenario = SCENARIOS.get(format);
    if (scenario == null) {
      throw new IllegalStateException(
          "heddle.fuzz.format is '" + format + "'; there are scenario, hpl, kernels, " + SCENARIOS.keySet());
    }
    return scenario;
  }
}
