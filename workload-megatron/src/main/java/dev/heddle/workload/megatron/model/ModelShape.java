package dev.heddle.workload.megatron.model;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * A decoder-only transformer, as its configuration states it.
 *
 * @param name common name
 * @param hidden size of a token's vector
 * @param layers transformer layers
 * @param heads attention heads of a layer
 * @param kvHeads heads of keys and values; without it, as many as heads
 * @param headSize of queries, keys and values; without it, hidden / heads
 * @param ffn inner size of the dense feed-forward block; without it, four times hidden
 * @param activation of the feed-forward block
 * @param vocabulary tokens
 * @param sequence tokens of a sequence
 * @param positions kind of position encoding
 * @param tied whether input and output embedding are one matrix
 * @param bias whether linear layers add a bias
 * @param normBias whether normalisation has a bias besides its scale, as LayerNorm has and RMSNorm has not
 * @param experts in place of the dense block
 * @param predictionLayers modules that predict tokens after the next, one after the other, each a layer like the last
 *     [DeepSeek-V3, section 2.2]
 * @param window tokens that every other layer's attention sees; without it, all
 * @param latent compressed attention in place of plain heads
 */
public record ModelShape(
    @Setting("name, such as GPT-3 175B") String name,
    @Setting(value = "size of a token's vector", min = "1", max = "1000000") int hidden,
    @Setting(value = "transformer layers", min = "1", max = "100000") int layers,
    @Setting(value = "attention heads of a layer", min = "1", max = "100000") int heads,
    @Setting("heads of keys and values; without it, as many as heads") Optional<Integer> kvHeads,
    @Setting("size of a head; without it, hidden / heads") Optional<Integer> headSize,
    @Setting("inner size of the dense feed-forward block; without it, 4 * hidden") Optional<Integer> ffn,
    @Setting(value = "activation of the feed-forward block", def = "gelu") Activation activation,
    @Setting(value = "tokens of the vocabulary", min = "1", max = "100000000") int vocabulary,
    @Setting(value = "tokens of a sequence", min = "1", max = "100000000") int sequence,
    @Setting(value = "kind of position encoding", def = "learned") Positions positions,
    @Setting(value = "whether input and output embedding are one matrix", def = "true") boolean tied,
    @Setting(value = "whether linear layers add a bias", def = "true") boolean bias,
    @Setting(value = "whether normalisation has a bias", def = "true") boolean normBias,
    @Setting("mixture of experts in place of the dense block") Optional<Experts> experts,
    @Setting(value = "modules of multi-token prediction", def = "0", min = "0", max = "8") int predictionLayers,
    @Setting("tokens that attention sees in layers with a window; without it, all") Optional<Window> window,
    @Setting("compressed attention in place of plain heads") Optional<LatentAttention> latent) {
  private static final int FFN_FACTOR = 4;

  /** Checks that the sizes fit together. */
  public ModelShape {
    if (headSize.isEmpty() && hidden % heads != 0) {
      throw new InvalidSettingException(
          "heads", heads + " heads do not divide the hidden size " + hidden + "; give head-size");
    }
    if (kvHeads.isPresent() && (kvHeads.get() < 1 || heads % kvHeads.get() != 0)) {
      throw new InvalidSettingException(
          "kv-heads", kvHeads.get() + " heads of keys and values do not divide " + heads + " heads");
    }
    if (experts.isPresent() && experts.get().denseLayers() > layers) {
      throw new InvalidSettingException(
          "experts.dense-layers", experts.get().denseLayers() + " of " + layers + " layers");
    }
  }

  /** Heads of keys and values. */
  public int keyHeads() {
    return kvHeads.orElse(heads);
  }

  /** Size of a head. */
  public int perHead() {
    return headSize.orElse(hidden / heads);
  }

  /** Inner size of the dense feed-forward block. */
  public int inner() {
    return ffn.orElse(FFN_FACTOR * hidden);
  }

  /** A copy with sequences of another length. */
  public ModelShape withSequence(int tokens) {
    return new ModelShape(
        name, hidden, layers, heads, kvHeads, headSize, ffn, activation, vocabulary, tokens, positions, tied, bias,
        normBias, experts, predictionLayers, window, latent);
  }

  /** Whether a layer, from 0, is a mixture of experts. */
  public boolean mixes(int layer) {
    return experts.isPresent() && layer >= experts.get().denseLayers()
        && (layer - experts.get().denseLayers() + 1) % experts.get().every() == 0;
  }

  /** Parameters of a layer's attention, its normalisation included. */
  public long attentionParameters() {
    long h = hidden;
    long norm = norm();
    if (latent.isPresent()) {
      LatentAttention l = latent.get();
      long query = h * l.queryRank() + l.queryRank() + (long) l.queryRank() * heads * l.keySize();
      long key = h * (l.keyRank() + l.ropeSize()) + l.keyRank()
          + (long) l.keyRank() * heads * (l.plainSize() + l.valueSize());
      return query + key + (long) heads * l.valueSize() * h + norm;
    }
    long inner = (long) heads * perHead();
    long projected = inner + 2L * keyHeads() * perHead();
    return h * projected + inner * h + (bias ? projected + h : 0) + norm;
  }

  /**
   * Parameters of a dense layer's tensors below a size.
   *
   * @param below elements of a tensor
   */
  public long smallParameters(long below) {
    return tensors().filter(size -> size < below).sum();
  }

  /** Tensors of a dense layer with fewer parameters than a limit. */
  public long smallTensors(long below) {
    return tensors().filter(size -> size < below).count();
  }

  private LongStream tensors() {
    long inner = (long) heads * perHead();
    long projected = inner + 2L * keyHeads() * perHead();
    long up = (long) activation.projections() * inner();
    LongStream norms = LongStream.generate(() -> hidden).limit(normBias ? 4 : 2);
    LongStream biases = bias ? LongStream.of(projected, hidden, up, hidden) : LongStream.empty();
    LongStream matrices = LongStream.of(hidden * projected, inner * hidden, hidden * up, inner() * (long) hidden);
    return LongStream.concat(LongStream.concat(norms, biases), matrices);
  }

  /** Parameters of a dense feed-forward block of an inner size, without normalisation. */
  public long feedForwardParameters(long inner) {
    long up = activation.projections() * inner;
    return hidden * up + inner * hidden + (bias ? up + hidden : 0);
  }

  /** Parameters of a layer, from 0, with all its experts. */
  public long layerParameters(int layer) {
    return attentionParameters() + norm() + routerParameters(layer) + sharedParameters(layer)
        + (mixes(layer) ? experts.orElseThrow().count() * expertParameters() : 0);
  }

  /**
   * Parameters of a layer that every token uses besides attention and the router: the dense block or shared experts.
   */
  public long sharedParameters(int layer) {
    if (!mixes(layer)) {
      return feedForwardParameters(inner());
    }
    int shared = experts.orElseThrow().sharedFfn();
    return shared == 0 ? 0 : feedForwardParameters(shared);
  }

  /** Parameters of a layer's router. */
  public long routerParameters(int layer) {
    return mixes(layer) ? (long) hidden * experts.orElseThrow().count() : 0;
  }

  /** Parameters of one expert. */
  public long expertParameters() {
    return experts.isPresent() ? feedForwardParameters(experts.get().ffn()) : 0;
  }

  /** Parameters of the input embedding, positions included. */
  public long embeddingParameters() {
    return (long) vocabulary * hidden + (positions == Positions.LEARNED ? (long) sequence * hidden : 0);
  }

  /** Parameters of the output embedding that are not those of the input's, and of the last normalisation. */
  public long headParameters() {
    return norm() + (tied ? 0 : (long) vocabulary * hidden);
  }

  /**
   * Parameters of multi-token prediction without experts: each module has a layer and a projection of two vectors to
   * one.
   */
  public long predictionParameters() {
    int last = layers - 1;
    long dense = layerParameters(last) - (mixes(last) ? experts.orElseThrow().count() * expertParameters() : 0);
    return predictionLayers * (dense + 2L * hidden * hidden + 2L * norm());
  }

  /** All parameters. */
  public long parameters() {
    long sum = embeddingParameters() + headParameters() + predictionParameters()
        + (mixes(layers - 1) ? predictionLayers * experts.orElseThrow().count() * expertParameters() : 0);
    for (int layer = 0; layer < layers; layer++) {
      sum += layerParameters(layer);
    }
    return sum;
  }

  /** The parameters that one token uses: of the experts, those of the {@code top-k}. */
  public long activeParameters() {
    long sum = parameters();
    for (int module = 0; module < predictionLayers && mixes(layers - 1); module++) {
      sum -= (experts.orElseThrow().count() - experts.orElseThrow().topK()) * expertParameters();
    }
    for (int layer = 0; layer < layers; layer++) {
      if (mixes(layer)) {
        sum -= (experts.orElseThrow().count() - experts.orElseThrow().topK()) * expertParameters();
      }
    }
    return sum;
  }

  /**
   * Floating-point operations of matrix products for one token, forward and backward, without recomputation. Attention
   * counts all pairs of positions, masked or not: {@code 72 l h^2 (1 + s/6h + V/12lh)} for a plain model
   * [Narayanan et al. SC'21, Korthikanti et al. appendix A].
   */
  public double flopsPerToken() {
    double forward = 2.0 * (1 + predictionLayers) * vocabulary * hidden
        + predictionLayers
            * (2.0 * (matrixParameters(layers - 1) + 2.0 * hidden * hidden) + attentionFlops(layers - 1));
    for (int layer = 0; layer < layers; layer++) {
      forward += 2.0 * (matrixParameters(layer)) + attentionFlops(layer);
    }
    return 3 * forward;
  }

  /** The share of the pairs of positions of a causal sequence that a layer's attention computes: 1 without a window. */
  public double seenPairs(int layer) {
    double share = window.isPresent() && window.get().in(layer) ? (double) window.get().tokens() / sequence : 1;
    return share >= 1 ? 1 : share * (2 - share);
  }

  private double attentionFlops(int layer) {
    int keySize = latent.map(LatentAttention::keySize).orElse(perHead());
    int valueSize = latent.map(LatentAttention::valueSize).orElse(perHead());
    return 2.0 * sequence * seenPairs(layer) * heads * (keySize + valueSize);
  }

  private long matrixParameters(int layer) {
    long inner = (long) heads * perHead();
    long attention = latent.isPresent()
        ? attentionParameters() - norm() - latent.get().queryRank() - latent.get().keyRank()
        : hidden * (inner + 2L * keyHeads() * perHead()) + inner * hidden;
    long block = mixes(layer)
        ? experts.orElseThrow().topK() * matrices(experts.orElseThrow().ffn())
            + matrices(experts.orElseThrow().sharedFfn())
        : matrices(inner());
    return attention + block + routerParameters(layer);
  }

  private long matrices(long inner) {
    return (activation.projections() + 1) * inner * hidden;
  }

  private long norm() {
    return normBias ? 2L * hidden : hidden;
  }
}
