package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.Collective;
import dev.heddle.collective.ScheduleFormatException;
import dev.heddle.collective.Verifier;
import dev.heddle.collectives.msccl.MscclFile;
import dev.heddle.registry.Registry;
import dev.heddle.registry.RegistryException;
import dev.heddle.report.JsonReport;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.standard.workload.PairFile;
import dev.heddle.testkit.fixture.FuzzCampaign;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Mutated samples of every format that this module reads itself; those of other modules are in verification's
 * ForeignFileFuzzTest. {@link FuzzCampaign} has the properties of a long campaign.
 */
class ReaderFuzzTest {
  private static final int INPUTS = 150;
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Registry REGISTRY = Registry.discover(ReaderFuzzTest.class.getClassLoader(), List.of());

  /** Exceptions by which readers refuse an input. */
  private static final List<Class<? extends Exception>> REFUSALS = List.of(
      ScenarioException.class, InvalidSettingException.class, ScheduleFormatException.class, OutputException.class,
      UsageException.class, RegistryException.class);

  @TempDir
  private Path folder;

  private interface Reader {
    void read(Path file) throws IOException;
  }

  enum Format {
    SCENARIO("small.yaml"), SWEEP("sweep.yaml"), MSCCL("ring.xml"), GOAL("ring.goal"), AICB("micro.txt"),
    CHAKRA("trace.et"), PAIRS("pairs.csv"), POINTS("points.jsonl"), RESULTS("results.json"),
    PLUGIN_JAR("plugin.jar");

    private final String file;

    Format(String file) {
      this.file = file;
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadOrRefuseAnyInput(Format format) throws Exception {
    Reader reader = reader(format);
    Path file = folder.resolve(format.file);
    System.out.println(new FuzzCampaign(REFUSALS, INPUTS).run(format.name(), sample(format),
        input -> reader.read(Files.write(file, input))));
  }

  private byte[] sample(Format format) throws IOException {
    return switch (format) {
      case SCENARIO -> text(Cli.scenario());
      case SWEEP -> text(Cli.sweep(5));
      case MSCCL -> mscclSample();
      case GOAL -> Files.readAllBytes(ROOT.resolve("scenarios/traces/ring.goal"));
      case AICB -> Files.readAllBytes(ROOT.resolve("workload-trace/src/test/resources/aicb/microAllReduce.txt"));
      case CHAKRA -> Files.readAllBytes(
          ROOT.resolve("workload-trace/src/test/resources/chakra/all_reduce_8npus_1MB.0.et"));
      case PAIRS -> Files.readAllBytes(ROOT.resolve("scenarios/experts.csv"));
      case POINTS -> pointsSample();
      case RESULTS -> resultsSample();
      case PLUGIN_JAR -> Files.readAllBytes(new PluginJar()
          .file("META-INF/heddle/presets.index", "slow\n")
          .file("META-INF/heddle/presets/slow.yaml", "description: slow\nvalue: {type: generic, rate: 1 Gb/s}\n")
          .write(folder.resolve("written.jar")));
    };
  }

  private byte[] mscclSample() throws IOException {
    Path file = folder.resolve("written.xml");
    assertThat(Cli.run("verify", "ring", "--ranks", "4", "--msccl", file.toString()).exitCode()).isZero();
    return Files.readAllBytes(file);
  }

  private ScenarioFile fivePoints() throws IOException {
    return new ScenarioReader(REGISTRY).read(Files.writeString(folder.resolve("points.yaml"), Cli.sweep(5)), Map.of());
  }

  private byte[] pointsSample() throws IOException {
    ScenarioFile read = fivePoints();
    Path out = Files.createDirectory(folder.resolve("sampled"));
    try (PointStore store = PointStore.open(out.resolve(PointStore.FILE), new PointFormat(read, "build"), false)) {
      read.points().forEach(point -> store.append(point, EchoRunner.results(point.scenario())));
    }
    return Files.readAllBytes(out.resolve(PointStore.FILE));
  }

  private byte[] resultsSample() throws IOException {
    Path scenario = Files.writeString(folder.resolve("sampled.yaml"), Cli.scenario());
    Path out = folder.resolve("sampled");
    assertThat(Cli.run(new EchoRunner(), "run", scenario.toString(), "--out", out.toString()).exitCode()).isZero();
    return Files.readAllBytes(out.resolve("results.json"));
  }

  private Reader reader(Format format) throws IOException {
    return switch (format) {
      case SCENARIO, SWEEP -> file -> bind(file);
      case MSCCL -> file -> {
        MscclFile read = MscclFile.read(file);
        Verifier.withWindow(MscclFile.WINDOW).verify(
            read.schedule(Collective.of(read.op(), read.ranks(), read.nearestSize(1 << 20), read.root())));
      };
      case GOAL -> file -> bind(scenario("{type: goal, file: " + format.file + "}"));
      case AICB -> file -> bind(scenario("{type: aicb, ranks: 8, file: " + format.file + "}"));
      case CHAKRA -> file -> bind(scenario("{type: chakra, ranks: 4, file: " + format.file + "}"));
      case PAIRS -> file -> PairFile.read(file, message -> new InvalidSettingException("pairs", message));
      case POINTS -> {
        ScenarioFile read = fivePoints();
        yield file -> PointStore.open(folder.resolve(PointStore.FILE), new PointFormat(read, "build"), false).close();
      }
      case PLUGIN_JAR -> file -> {
        try (Registry read = Registry.discover(ReaderFuzzTest.class.getClassLoader(), List.of(file))) {
          if (!read.warnings().isEmpty()) {
            throw new RegistryException(read.warnings().get(0));
          }
        }
      };
      case RESULTS -> file -> {
        try {
          JsonReport.read(Files.readString(file, StandardCharsets.ISO_8859_1));
        } catch (IllegalArgumentException e) {
          throw new UsageException(String.valueOf(e.getMessage()));
        }
      };
    };
  }

  private Path scenario(String workload) throws IOException {
    return Files.writeString(folder.resolve("work.yaml"), Cli.scenario().replace("accelerator: 3", "accelerator: 8")
        .replace("{type: idle}", workload));
  }

  private static void bind(Path scenario) {
    for (ScenarioFile.Point point : new ScenarioReader(REGISTRY).read(scenario, Map.of()).points()) {
      point.scenario();
    }
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
