package dev.heddle.cli.train;

import com.google.common.collect.ImmutableMap;
import dev.heddle.registry.SettingsSchema;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.workload.megatron.parallel.ContextExchange;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.PipelineOrder;
import dev.heddle.workload.megatron.parallel.Recompute;
import dev.heddle.workload.megatron.parallel.Sharding;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the division of a job among ranks. */
final class JobOptions {
  private static final String OF_PARALLEL = "parallel.";

  // Options by the setting that an error message of a job names, those of its parallelism without that word.
  private static final ImmutableMap<String, String> OPTIONS = ImmutableMap.<String, String>builder()
      .put("parallel", "--tp, --cp, --pp")
      .put("tensor", "--tp")
      .put("pipeline", "--pp")
      .put("chunks", "--vp")
      .put("context", "--cp")
      .put("context-exchange", "--cp-exchange")
      .put("context-heads", "--cp-heads")
      .put("expert", "--ep")
      .put("expert-tensor", "--etp")
      .put("layout", "--layout")
      .put("sequence-parallel", "--no-sequence-parallel")
      .put("sharding", "--sharding")
      .put("replicas", "--replicas")
      .put("batch.global", "--global-batch, --micro-batch")
      .put("sequence", "--sequence")
      .put("ranks", "--ranks")
      .put("ranks-per-node", "--ranks-per-node")
      .put("execution.recompute", "--recompute")
      .put("execution.recompute-modules", "--execution")
      .put("execution.attention", "--execution")
      .put("execution.offload-layers", "--execution")
      .put("execution.optimizer", "--execution")
      .put("execution.operation-fuser", "--execution: operation-fuser")
      .put("execution.fused-rotation", "--execution: fused-rotation")
      .put("execution.precision", "--precision")
      .put("precision", "--precision")
      .put("kernels.power-limit", "--power-limit")
      .put("power-limit", "--power-limit")
      .put("lora", "--lora")
      .put("variation.stragglers", "--variation")
      .put("skew", "--skew")
      .put("memoization-tolerance", "--memoization-tolerance")
      .put("check-memory", "--ignore-memory")
      .buildOrThrow();

  @Option(names = "--tp", paramLabel = "N", description = "Tensor-parallel ranks (default: 1).")
  private int tensor = 1;

  @Option(names = "--pp", paramLabel = "N", description = "Pipeline stages (default: 1).")
  private int pipeline = 1;

  @Option(names = "--vp", paramLabel = "N", description = "Model chunks of a stage, interleaved (default: 1).")
  private int chunks = 1;

  @Option(names = "--cp", paramLabel = "N", description = "Context-parallel ranks (default: 1).")
  private int contexts = 1;

  @Option(
      names = "--cp-exchange",
      paramLabel = "KIND",
      description = "Exchange of context-parallel ranks: p2p (keys and values round a ring), all-gather, a2a (heads),"
          + " a2a-p2p (heads between --cp-heads neighbours, a ring of the others; default: p2p).")
  private String exchange = "p2p";

  @Option(names = "--cp-heads", paramLabel = "N",
      description = "Neighbours of --cp that exchange heads under --cp-exchange a2a-p2p.")
  private @Nullable Integer headRanks;

  @Option(names = "--ep", paramLabel = "N", description = "Expert-parallel ranks (default: 1).")
  private int experts = 1;

  @Option(names = "--etp", paramLabel = "N",
      description = "Ranks that share each expert's matrices: 1 or as many as --tp (default: 1 with --ep, else --tp).")
  private @Nullable Integer expertTensor;

  @Option(names = "--layout", paramLabel = "LAYOUT",
      description = "Layers of each virtual stage, as Megatron-Core's pipeline layout: 'Et*4|(t*4|)*14tmL'.")
  private @Nullable String layout;

  @Option(
      names = "--no-sequence-parallel",
      description = "Let tensor-parallel ranks each keep the activations between the matrices.")
  private boolean unshared;

  @Option(
      names = "--sharding",
      paramLabel = "KIND",
      description = "States that data-parallel ranks share: none, optimizer, gradients, parameters"
          + " (default: optimizer).")
  private String sharding = "optimizer";

  @Option(names = "--replicas", paramLabel = "N",
      description = "Copies of the states that --sharding divides, each on neighbouring data-parallel ranks, as with"
          + " HSDP (default: 1).")
  private int replicas = 1;

  @Option(
      names = "--order",
      paramLabel = "ORDER",
      description = "Order of the pipeline: one-f-one-b, gpipe, zero-bubble (default: one-f-one-b).")
  private String order = "one-f-one-b";

  @Option(
      names = "--recompute",
      paramLabel = "KIND",
      description = "Activations that are recomputed: none, selective, full (default: that of --execution).")
  private @Nullable String recompute;

  @Option(names = "--micro-batch", paramLabel = "N",
      description = "Sequences that a rank computes at once (default: 1).")
  private int microBatch = 1;

  @Option(names = "--ignore-memory", description = "Run a job that does not fit the accelerators' memory.")
  private boolean ignoreMemory;

  @Option(names = "--ranks", paramLabel = "N",
      description = "Accelerators that take part, from the first (default: all of the cluster's).")
  private @Nullable Integer ranks;

  @Option(names = "--ranks-per-node", paramLabel = "N",
      description = "Accelerators of each node that take part: 64 of a rack's 72 (default: all).")
  private @Nullable Integer ranksPerNode;

  /** Pipeline stages. */
  int pipeline() {
    return pipeline;
  }

  /** The division of the job. */
  Division division() {
    return named(() -> new Division(
        parallelism(), microBatch,
        Optional.ofNullable(recompute).map(kind -> Choice.of("--recompute", kind, List.of(Recompute.values()))),
        Optional.ofNullable(ranks), Optional.ofNullable(ranksPerNode), !ignoreMemory));
  }

  private Parallelism parallelism() {
    return new Parallelism(
        tensor, tensor > 1 && !unshared, pipeline, chunks, contexts,
        Choice.of("--cp-exchange", exchange, List.of(ContextExchange.values())), Optional.ofNullable(headRanks),
        experts, Optional.ofNullable(expertTensor), Choice.of("--sharding", sharding, List.of(Sharding.values())),
        replicas,
        Choice.of("--order", order, List.of(PipelineOrder.values())), Optional.ofNullable(layout),
        Parallelism.none().placement());
  }

  /** Evaluates a supplier; its error names options in place of settings. */
  static <T> T named(Supplier<T> value) {
    try {
      return value.get();
    } catch (InvalidSettingException e) {
      String message = e.message(JobOptions::option);
      // The option that leaves the check of memory out is no reason why a job does not fit.
      boolean bare = e.component().isEmpty() || e.component().equals("check-memory");
      throw new InvalidSettingException("", bare ? message : option(e.component()) + ": " + message);
    }
  }

  private static String option(String setting) {
    String key = SettingsSchema.key(setting);
    return OPTIONS.getOrDefault(key.startsWith(OF_PARALLEL) ? key.substring(OF_PARALLEL.length()) : key, key);
  }
}
