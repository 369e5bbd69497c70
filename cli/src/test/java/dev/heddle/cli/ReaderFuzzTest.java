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
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Mutated samples of every format that the command line reads: each is read, or refused as an error of the user, within
 * 10 seconds. A failure prints the format and the seed of the input. The system property {@code heddle.fuzz.inputs}
 * sets the number of inputs per format, {@code heddle.fuzz.seed} the first seed.
 */
class ReaderFuzzTest {
  private static final int INPUTS = Integer.getInteger("heddle.fuzz.inputs", 150);
  private static final long FIRST_SEED = Long.getLong("heddle.fuzz.seed", 1);
  private static final long MOST_NANOS = 10_000_000_000L;
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Registry REGISTRY = Registry.discover(ReaderFuzzTest.class.getClassLoader(), List.of());

  /** Exceptions by which readers refuse an input. */
  private static final List<Class<? extends Exception>> REFUSALS = List.of(
      ScenarioException.class, InvalidSettingException.class, ScheduleFormatException.class, OutputException.class,
      UsageException.class, RegistryException.class);

  /** Texts that break readers: ends of number ranges, wrong kinds of values, marks of syntax. */
  private static final List<String> TOKENS = List.of(
      "9223372036854775807", "9223372036854775808", "-1", "0", "1e308", "1e-308", "NaN", "Infinity", "4294967296",
      "2147483647", "-2147483648", "99999999999999999999999", "''", "null", "{", "}", "[", "]", ": ", ", ", "&a", "*a",
      "\n", "\t", "\"", "'", "<", ">", "<!--", "\u0000", "\u0661", "\u20ac", "1 h", "1 TiB", "1 b/s", "100 %",
      "{rank}");

  @TempDir
  private Path folder;

  private interface Reader {
    void read(Path file) throws IOException;
  }

  enum Format {
    SCENARIO("small.yaml"), SWEEP("sweep.yaml"), MSCCL("ring.xml"), GOAL("ring.goal"), AICB("micro.txt"),
    CHAKRA("trace.et"), PAIRS("pairs.csv"), POINTS("points.jsonl"), RESULTS("results.json");

    private final String file;

    Format(String file) {
      this.file = file;
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadOrRefuseAnyInput(Format format) throws IOException {
    byte[] sample = sample(format);
    Reader reader = reader(format);
    Path file = folder.resolve(format.file);
    Files.write(file, sample);
    reader.read(file);
    int refused = 0;
    for (long seed = FIRST_SEED; seed < FIRST_SEED + INPUTS; seed++) {
      Files.write(file, mutated(sample, new Random(seed)));
      long start = System.nanoTime();
      try {
        reader.read(file);
      } catch (RuntimeException e) {
        assertThat(e).as("%s, seed %s", format, seed).isInstanceOfAny(REFUSALS.toArray(new Class<?>[0]));
        assertThat(e.getMessage()).as("%s, seed %s", format, seed).isNotBlank();
        refused++;
      } catch (Error e) {
        throw new AssertionError(format + ", seed " + seed, e);
      }
      assertThat(System.nanoTime() - start).as("%s, seed %s: nanoseconds", format, seed).isLessThan(MOST_NANOS);
    }
    assertThat(refused).as("%s: mutations that are refused", format).isPositive();
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

  /** One to four edits: bits, bytes removed or repeated, tokens put in or in the place of words, or the end cut off. */
  private static byte[] mutated(byte[] sample, Random random) {
    List<Byte> bytes = new ArrayList<>();
    for (byte each : sample) {
      bytes.add(each);
    }
    int edits = 1 + random.nextInt(4);
    for (int edit = 0; edit < edits && !bytes.isEmpty(); edit++) {
      int at = random.nextInt(bytes.size());
      int end = Math.min(bytes.size(), at + 1 + random.nextInt(1 << random.nextInt(7)));
      switch (random.nextInt(6)) {
        case 0 -> bytes.set(at, (byte) (bytes.get(at) ^ 1 << random.nextInt(8)));
        case 1 -> bytes.subList(at, end).clear();
        case 2 -> bytes.addAll(at, List.copyOf(bytes.subList(at, end)));
        case 3 -> bytes.addAll(at, boxed(TOKENS.get(random.nextInt(TOKENS.size()))));
        case 4 -> replaceWord(bytes, at, TOKENS.get(random.nextInt(TOKENS.size())));
        default -> bytes.subList(random.nextInt(4) == 0 ? at : Math.max(at, bytes.size() - 8), bytes.size()).clear();
      }
    }
    byte[] result = new byte[bytes.size()];
    for (int i = 0; i < result.length; i++) {
      result[i] = bytes.get(i);
    }
    return result;
  }

  private static void replaceWord(List<Byte> bytes, int at, String token) {
    int start = at;
    while (start > 0 && Character.isLetterOrDigit(bytes.get(start - 1))) {
      start--;
    }
    int end = at;
    while (end < bytes.size() && Character.isLetterOrDigit(bytes.get(end))) {
      end++;
    }
    bytes.subList(start, end).clear();
    bytes.addAll(start, boxed(token));
  }

  private static List<Byte> boxed(String token) {
    List<Byte> bytes = new ArrayList<>();
    for (byte each : text(token)) {
      bytes.add(each);
    }
    return bytes;
  }
}
