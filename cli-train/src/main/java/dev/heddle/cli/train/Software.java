package dev.heddle.cli.train;

import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.KernelTiming;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.Batch;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.Variation;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The model that is trained, its batch, and the settings of the software. */
final class Software {
  private static final Pattern COUNT = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)([KMBTkmbt])");

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
      description = "Precision of the linear layers: fp16, bf16 or fp8 (default: bf16).")
  private @Nullable String precision;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      description = "Tokens of the whole training, such as 300B or 15T: its time is printed too.")
  private @Nullable String tokens;

  private String model() {
    return model.startsWith("{") ? model : "{preset: '" + model.replace("'", "''") + "'}";
  }

  /**
   * The job on one rank, undivided.
   *
   * @param machine that it runs on, read already
   * @param micro sequences that a rank computes at once
   * @param checkMemory whether a job that does not fit is refused
   */
  Training base(Machine machine, int micro, boolean checkMemory) {
    ScenarioReader reader = machine.reader();
    ModelShape shape = reader.record(ModelShape.class, "--model", model());
    KernelTiming kernels = reader.record(KernelTiming.class, "--kernels", machine.kernels());
    Execution settings = reader.record(Execution.class, "--execution", execution());
    Variation variation = reader.record(Variation.class, "--execution", "{}");
    if (globalBatch < 1 || micro < 1) {
      throw new InvalidSettingException("", globalBatch < 1
          ? "--global-batch " + globalBatch + ": must be at least 1"
          : "--micro-batch " + micro + ": must be at least 1");
    }
    return JobOptions.named(() -> new Training(
        shape, Optional.ofNullable(sequence), Parallelism.none(), Batch.of(globalBatch, micro), settings,
        Optional.empty(), kernels, Optional.empty(), 1, variation, Optional.empty(), Optional.empty(), checkMemory));
  }

  private String execution() {
    String inner = execution.strip();
    String body = inner.startsWith("{") && inner.endsWith("}") ? inner.substring(1, inner.length() - 1).strip() : inner;
    String more = precision == null ? "" : "precision: '" + precision.replace("'", "''") + "'";
    return "{" + body + (body.isEmpty() || more.isEmpty() ? "" : ", ") + more + "}";
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
