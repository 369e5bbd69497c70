package dev.heddle.workload.megatron.job;

import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.DeepSpeed;
import dev.heddle.workload.megatron.parallel.LowRankAdapters;
import dev.heddle.workload.megatron.parallel.Parallelism;
import java.util.Optional;
import java.util.function.IntToLongFunction;
import java.util.function.ToLongBiFunction;
import java.util.stream.IntStream;

/**
 * The layers of each stage's model chunks, and the number of their parameters on one rank. Layers are dealt out evenly;
 * where they do not divide, the first and the last chunk, which hold the embeddings, get fewer. Where multi-token
 * prediction follows, the last chunk gets as few as balance it with the others.
 */
public final class LayerShare {
  private final ModelShape model;
  private final Parallelism parallel;
  private final Optional<DeepSpeed> deepSpeed;
  private final Optional<LowRankAdapters> lora;
  private final int virtualStages;
  private final int[] counts;

  /** Assigns the layers of a job to its stages. */
  public LayerShare(Training training) {
    model = training.shape();
    parallel = training.parallel();
    deepSpeed = training.deepspeed();
    lora = training.lora();
    virtualStages = parallel.pipeline() * parallel.chunks();
    counts = parallel.layout().map(layout -> PipelineLayout.layers(layout, model.layers(), virtualStages))
        .orElseGet(() -> model.predictionLayers() > 0 && virtualStages > 1
            ? balanced(model.layers(), virtualStages, model.predictionLoad())
            : even(model.layers(), virtualStages));
  }

  private int virtual(int stage, int chunk) {
    return chunk * parallel.pipeline() + stage;
  }

  /** The first layer of a stage's chunk, and the first after it. */
  public int[] layers(int stage, int chunk) {
    return new int[] {firstLayer(virtual(stage, chunk)), firstLayer(virtual(stage, chunk) + 1)};
  }

  private int firstLayer(int virtual) {
    int first = 0;
    for (int before = 0; before < virtual; before++) {
      first += counts[before];
    }
    return first;
  }

  // Where layers do not divide, the first and the last virtual stage, which hold the embeddings, get fewer.
  private static int[] even(int layers, int virtualStages) {
    int rest = layers % virtualStages;
    int fewerAtFront = (virtualStages - rest + 1) / 2;
    int[] counts = new int[virtualStages];
    for (int virtual = 0; virtual < virtualStages; virtual++) {
      boolean more = virtual >= fewerAtFront && virtual < fewerAtFront + rest;
      counts[virtual] = layers / virtualStages + (more ? 1 : 0);
    }
    return counts;
  }

  // The last virtual stage has work of as many layers as the load besides its own. The longest stage is as short as it
  // can be, and then all others, as in the layouts of DeepSeek-V3 [Megatron-Bridge, recipes/deepseek/deepseek_v3.py].
  // Where the others' layers do not divide, the first stages get fewer: one holds the embedding, all the most
  // activations.
  private static int[] balanced(int layers, int virtualStages, int load) {
    int others = virtualStages - 1;
    int last = 0;
    int longest = Integer.MAX_VALUE;
    for (int count = 0; count <= layers / virtualStages + 1; count++) {
      int most = Math.max(count + load, (layers - count + others - 1) / others);
      if (most <= longest) {
        longest = most;
        last = count;
      }
    }
    int[] counts = new int[virtualStages];
    for (int virtual = 0; virtual < others; virtual++) {
      counts[virtual] = (layers - last + virtual) / others;
    }
    counts[others] = last;
    return counts;
  }

  /** Layers of a stage. */
  public int count(int stage) {
    int count = 0;
    for (int chunk = 0; chunk < parallel.chunks(); chunk++) {
      int[] range = layers(stage, chunk);
      count += range[1] - range[0];
    }
    return count;
  }

  /** Whether a chunk holds the input embedding. */
  public boolean embeds(int stage, int chunk) {
    return virtual(stage, chunk) == 0;
  }

  /** Whether a chunk holds the output embedding. */
  public boolean predicts(int stage, int chunk) {
    return virtual(stage, chunk) == virtualStages - 1;
  }

  /** Whether a stage's embedding is a copy of another stage's. */
  public boolean sharesEmbedding(int stage) {
    return model.tied() && parallel.pipeline() > 1 && (stage == 0 || stage == parallel.pipeline() - 1);
  }

  /** Parameters of a layer on one rank, without experts. */
  public long denseLayer(int layer) {
    long all = model.layerParameters(layer)
        - (model.mixes(layer) ? model.experts().orElseThrow().count() * model.expertParameters() : 0);
    return all / parallel.tensor();
  }

  /** Parameters of a layer on one rank, without experts, that are trained: all, or those of the adapters. */
  public long trainedLayer(int layer) {
    return lora.map(adapters -> adapters.layerParameters(model) / parallel.tensor()).orElseGet(() -> denseLayer(layer));
  }

  /** Parameters of the embeddings of a chunk on one rank that are trained; none beside adapters. */
  public long trainedEmbeddings(int stage, int chunk) {
    return lora.isPresent() ? 0 : embeddings(stage, chunk);
  }

  /** Parameters of each layer that are never shared, being of small tensors [DeepSpeed's persistence threshold]. */
  public long unshardedLayer() {
    return deepSpeed.map(settings -> model.smallParameters(settings.paramPersistenceThreshold())).orElse(0L)
        / parallel.tensor();
  }

  /** Parameters of a layer's experts on one rank. */
  public long expertLayer(int layer) {
    return model.mixes(layer)
        ? model.experts().orElseThrow().count() * model.expertParameters() / parallel.expert()
            / parallel.tensorOfExperts()
        : 0;
  }

  /** Parameters on one rank of the experts of multi-token prediction, which goes with the loss. */
  public long predictionExperts(int stage, int chunk) {
    return predicts(stage, chunk)
        ? model.predictionLayers() * model.predictedLayers().stream().mapToLong(this::expertLayer).sum() : 0;
  }

  /** Parameters of the embeddings of a chunk on one rank. */
  public long embeddings(int stage, int chunk) {
    long ends = 0;
    if (embeds(stage, chunk)) {
      ends += model.embeddingParameters();
    }
    if (predicts(stage, chunk)) {
      ends += model.headParameters() + model.predictionParameters();
      if (model.tied() && parallel.pipeline() > 1) {
        ends += (long) model.vocabulary() * model.hidden();
      }
    }
    return ends / parallel.tensor();
  }

  /** Parameters of a stage on one rank, without experts; adapters are not counted. */
  public long dense(int stage) {
    return sum(stage, this::denseLayer, this::embeddings);
  }

  /** Parameters of a stage on one rank, without experts, that are trained. */
  public long trained(int stage) {
    return sum(stage, this::trainedLayer, this::trainedEmbeddings);
  }

  /** Parameters of a stage's chunk on one rank, without experts, that are trained. */
  public long trained(int stage, int chunk) {
    return sum(stage, chunk, this::trainedLayer, this::trainedEmbeddings);
  }

  private long sum(int stage, IntToLongFunction ofLayer, ToLongBiFunction<Integer, Integer> ofChunk) {
    return IntStream.range(0, parallel.chunks()).mapToLong(chunk -> sum(stage, chunk, ofLayer, ofChunk)).sum();
  }

  private long sum(
      int stage, int chunk, IntToLongFunction ofLayer, ToLongBiFunction<Integer, Integer> ofChunk) {
    int[] range = layers(stage, chunk);
    return IntStream.range(range[0], range[1]).mapToLong(ofLayer).sum() + ofChunk.applyAsLong(stage, chunk);
  }

  /** Parameters of a stage's experts on one rank. */
  public long experts(int stage) {
    return sum(stage, this::expertLayer, this::predictionExperts);
  }

  /** Parameters of the experts of a stage's chunk on one rank. */
  public long experts(int stage, int chunk) {
    return sum(stage, chunk, this::expertLayer, this::predictionExperts);
  }
}
