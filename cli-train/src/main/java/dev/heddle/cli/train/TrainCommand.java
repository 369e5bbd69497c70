package dev.heddle.cli.train;

import dev.heddle.cli.CommandContext;
import dev.heddle.results.Results;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.training.Estimate;
import dev.heddle.training.FoldedIteration;
import dev.heddle.training.RehearsedTimes;
import dev.heddle.workload.megatron.MegatronWorkloadProvider;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.program.Activity;
import dev.heddle.workload.megatron.program.Iteration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs one iteration of a training job. */
@Command(
    name = "train",
    description = "Say how long an iteration of the training of a language model takes on a cluster, where the time goes,"
        + " and whether it fits the memory: the estimate of one rank per stage, and the run of all ranks.")
final class TrainCommand implements Callable<Integer> {
  private final CommandContext context;

  @Mixin private Machine machine = new Machine();

  @Mixin private Software software = new Software();

  @Option(names = "--tp", paramLabel = "N", description = "Tensor-parallel ranks (default: 1).")
  private int tensor = 1;

  @Option(names = "--pp", paramLabel = "N", description = "Pipeline stages (default: 1).")
  private int pipeline = 1;

  @Option(names = "--vp", paramLabel = "N", description = "Model chunks of a stage, interleaved (default: 1).")
  private int chunks = 1;

  @Option(names = "--cp", paramLabel = "N", description = "Context-parallel ranks (default: 1).")
  private int contexts = 1;

  @Option(names = "--ep", paramLabel = "N", description = "Expert-parallel ranks (default: 1).")
  private int experts = 1;

  @Option(names = "--micro-batch", paramLabel = "N", description = "Sequences that a rank computes at once (default: 1).")
  private int microBatch = 1;

  @Option(
      names = "--no-sequence-parallel",
      description = "Let tensor-parallel ranks each keep what lies between the matrices.")
  private boolean unshared;

  @Option(
      names = "--sharding",
      paramLabel = "WHAT",
      description = "What data-parallel ranks share: none, optimizer, gradients, parameters (default: optimizer).")
  private String sharding = "optimizer";

  @Option(
      names = "--order",
      paramLabel = "ORDER",
      description = "Order of the pipeline: one-f-one-b, gpipe, zero-bubble (default: one-f-one-b).")
  private String order = "one-f-one-b";

  @Option(
      names = "--recompute",
      paramLabel = "WHAT",
      description = "What is worked out again: none, selective, full (default: none).")
  private String recompute = "none";

  @Option(
      names = "--fidelity",
      paramLabel = "F",
      description = "estimate for the estimate alone; analytic, flow or packet for a run of all ranks besides"
          + " (default: flow).")
  private String fidelity = "flow";

  @Option(names = "--ignore-memory", description = "Run a job that does not fit the accelerators' memory.")
  private boolean ignoreMemory;

  TrainCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    Optional<Fidelity> run = fidelity();
    machine.read(context.registry());
    Training training = machine.reader().record(Training.class, "--model", job());
    Iteration iteration = new Iteration(training, machine.fabric());
    Estimate estimate = FoldedIteration.of(
        iteration, new RehearsedTimes(iteration, machine.fabric(), machine.algorithm()));
    Results results = run.map(level -> new Simulation(
        "train", machine.fabric(), new MegatronWorkloadProvider().create(training), SimulationOptions.defaults(), 1)
        .at(level).with(machine.algorithm()).run()).orElse(null);
    context.print(title(estimate) + table(estimate, results) + memory(iteration));
    return 0;
  }

  private Optional<Fidelity> fidelity() {
    switch (fidelity) {
      case "estimate":
        return Optional.empty();
      case "analytic":
        return Optional.of(Fidelity.ANALYTIC);
      case "flow":
        return Optional.of(Fidelity.FLOW);
      case "packet":
        return Optional.of(Fidelity.PACKET);
      default:
        throw new InvalidSettingException(
            "", "--fidelity '" + fidelity + "' is none of estimate, analytic, flow, packet");
    }
  }

  private String job() {
    return software.job(machine.kernels()) + ", batch: {global: " + software.globalBatch() + ", micro: " + microBatch
        + "}, parallel: {tensor: " + tensor + ", sequence-parallel: " + (tensor > 1 && !unshared) + ", pipeline: "
        + pipeline + ", chunks: " + chunks + ", context: " + contexts + ", expert: " + experts + ", sharding: " + sharding
        + ", order: " + order + "}, execution: " + software.execution("recompute: " + recompute) + ", check-memory: "
        + !ignoreMemory + "}";
  }

  private String title(Estimate estimate) {
    Training training = estimate.iteration().training();
    return String.format(Locale.ROOT,
        "%s, %.1f billion parameters, on %d x %s: tp %d x pp %d x cp %d x dp %d, %d micro-batches%n%n",
        training.model().name(), training.model().parameters() / 1e9, estimate.iteration().grid().ranks(),
        estimate.iteration().accelerator().name(), tensor, pipeline, contexts, estimate.iteration().grid().data(),
        estimate.iteration().micros());
  }

  private static String table(Estimate estimate, @Nullable Results results) {
    StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "  %-46s %10s", "", "estimate"));
    if (results != null) {
      text.append(String.format(Locale.ROOT, " %10s", results.run().fidelity()));
    }
    text.append(System.lineSeparator());
    double seconds = results == null ? Double.NaN : results.run().simulatedPs() / 1e12;
    ToDoubleFunction<Double> scaled = factor -> results == null ? Double.NaN : factor * estimate.seconds() / seconds;
    line(text, "Iteration, s", estimate.seconds(), seconds);
    line(text, "Tokens/s", estimate.tokensPerSecond(), scaled.applyAsDouble(estimate.tokensPerSecond()));
    line(text, "Model Tflop/s per accelerator", estimate.flopsPerSecond() / 1e12,
        scaled.applyAsDouble(estimate.flopsPerSecond() / 1e12));
    line(text, "MFU, % of the 16-bit peak", 100 * estimate.utilization(),
        scaled.applyAsDouble(100 * estimate.utilization()));
    text.append(System.lineSeparator());
    for (Activity activity : Activity.values()) {
      double spent = results == null
          ? Double.NaN : results.metric("activity." + activity.id()).orElseThrow().value() / 1e6;
      if (estimate.seconds(activity) > 0 || spent > 0) {
        line(text, activity.title() + ", s", estimate.seconds(activity), spent);
      }
    }
    return text.append(System.lineSeparator()).toString();
  }

  private static void line(StringBuilder text, String what, double estimate, double run) {
    text.append(String.format(Locale.ROOT, "  %-46s %10s", what, number(estimate)));
    if (!Double.isNaN(run)) {
      text.append(String.format(Locale.ROOT, " %10s", number(run)));
    }
    text.append(System.lineSeparator());
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value >= 1000 ? "%,.0f" : value >= 100 ? "%.1f" : "%.3f", value);
  }

  private String memory(Iteration iteration) {
    int fullest = 0;
    for (int stage = 1; stage < pipeline; stage++) {
      fullest = iteration.memory(stage).bytes() > iteration.memory(fullest).bytes() ? stage : fullest;
    }
    return "Memory of an accelerator of stage " + fullest + ": " + iteration.memory(fullest) + "; it has "
        + iteration.accelerator().memory() + System.lineSeparator();
  }
}
