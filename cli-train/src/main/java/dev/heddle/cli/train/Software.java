package dev.heddle.cli.train;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What is trained, and how the software does it. */
final class Software {
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
      description = "How the software does it, as in a scenario: '{precision: fp8, attention: flash-3}'.")
  private String execution = "{}";

  /** The model, as in a scenario. */
  String model() {
    return model.startsWith("{") ? model : "{preset: '" + model.replace("'", "''") + "'}";
  }

  /** The beginning of a job, as in a scenario, without its last brace. */
  String job(String kernels) {
    return "{model: " + model() + (sequence == null ? "" : ", sequence: " + sequence) + ", kernels: " + kernels;
  }

  int globalBatch() {
    return globalBatch;
  }

  /** How the software does it, with what else is to be set. */
  String execution(String more) {
    String inner = execution.strip();
    String body = inner.startsWith("{") && inner.endsWith("}") ? inner.substring(1, inner.length() - 1).strip() : inner;
    return "{" + body + (body.isEmpty() || more.isEmpty() ? "" : ", ") + more + "}";
  }
}
