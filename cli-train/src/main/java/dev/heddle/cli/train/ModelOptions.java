package dev.heddle.cli.train;

import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.LinearFormat;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.Batch;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.LowRankAdapters;
import dev.heddle.workload.megatron.parallel.Variation;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the model, its batch, and the settings of the software. */
final class ModelOptions {
  private static final Pattern COUNT = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)([KMBTkmbt])");
  private static final double MOST_SKEW = 1000;

  @Option(
      names = "--model",
      paramLabel = "PRESET|YAML",
      required = true,
      description = "A model's preset, such as gpt3-175b, or a model as in a scenario.")
  private String model = "";

  @Option(names = "--sequence", paramLabel = "N", description = "Tokens of a sequence, where not the model's own.")
  private @Nullable Integer sequence;

  @Option(
      names = "--global-batch",
      paramLabel = "N",
      required = true,
      description = "Sequences of an iteration.")
  private int globalBatch;

  @Option(
      names = "--execution",
      paramLabel = "YAML",
      description = "Numerics and overlap of the software, as in a scenario: '{precision: fp8, attention: flash-3}'.")
  private String execution = "{}";

  @Option(
      names = "--precision",
      paramLabel = "P",
      description = "Precision of the linear layers: fp16, bf16, fp8, mxfp8, nvfp4 or mxfp4 (default: bf16).")
  private @Nullable String precision;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      description = "Tokens of the whole training, such as 300B or 15T: its time is printed too.")
  private @Nullable String tokens;

  @Option(
      names = "--lora",
      paramLabel = "RANK|YAML",
      description = "Train low-rank adapters of a rank on a frozen model: 32, or '{rank: 16, modules: [linear-qkv,"
          + " linear-proj]}'.")
  private @Nullable String lora;

  @Option(
      names = "--variation",
      paramLabel = "YAML",
      description = "Differences between ranks that have the same work, as in a scenario: '{clock-deviation: 0}' for"
          + " equal clocks, '{stragglers: 1, slowdown: 20 %%}'.")
  private String variation = "{}";

  @Option(
      names = "--skew",
      paramLabel = "F",
      description = "Load of the busiest expert-parallel rank by the mean (default: 1).")
  private double skew = 1;

  private String model() {
    return model.startsWith("{") ? model : "{preset: '" + model.replace("'", "''") + "'}";
  }

  /**
   * The training job on a machine. Reads and checks all options of the model at once, before a machine is planned.
   *
   * @param registry the installed presets
   * @param division among ranks
   */
  Function<Machine, Training> job(Registry registry, Division division) {
    ScenarioReader reader = new ScenarioReader(registry);
    ModelShape shape = reader.record(ModelShape.class, "--model", model());
    Execution execution = execution(reader, division);
    Variation differences = reader.record(Variation.class, "--variation", variation);
    if (globalBatch < 1 || division.microBatch() < 1) {
      throw new InvalidSettingException("", globalBatch < 1
          ? "--global-batch " + globalBatch + ": must be at least 1"
          : "--micro-batch " + division.microBatch() + ": must be at least 1");
    }
    if (!(skew >= 1 && skew <= MOST_SKEW)) {
      throw new InvalidSettingException("", "--skew " + skew + ": must be from 1 to " + (int) MOST_SKEW);
    }
    tokens();
    Optional<LowRankAdapters> adapters = Optional.ofNullable(lora).map(text -> adapters(reader, text));
    return machine -> JobOptions.named(() -> new Training(
        shape, Optional.ofNullable(sequence), division.parallelism(), Batch.of(globalBatch, division.microBatch()),
        execution, Optional.empty(), adapters, Optional.empty(), machine.kernels(), Optional.empty(), skew,
        differences, division.ranks(), division.ranksPerNode(), division.checkMemory()));
  }

  private Execution execution(ScenarioReader reader, Division division) {
    Execution written = reader.record(Execution.class, "--execution", execution);
    LinearFormat chosen = precision == null ? written.precision()
        : Choice.of("--precision", precision, List.of(LinearFormat.values()));
    return written.with(chosen, division.recompute().orElse(written.recompute()));
  }

  private static LowRankAdapters adapters(ScenarioReader reader, String text) {
    return reader.record(
        LowRankAdapters.class, "--lora", text.strip().startsWith("{") ? text : "{rank: '" + text + "'}");
  }

  /** Tokens of the whole training; empty where they were not given. */
  OptionalDouble tokens() {
    if (tokens == null) {
      return OptionalDouble.empty();
    }
    Matcher count = COUNT.matcher(tokens.strip());
    if (!count.matches()) {
      throw new InvalidSettingException("", "--tokens '" + tokens + "': must be a number such as 300B or 15T");
    }
    return OptionalDouble.of(
        Double.parseDouble(count.group(1))
            * Math.pow(1000, "KMBT".indexOf(count.group(2).toUpperCase(Locale.ROOT)) + 1));
  }
}
