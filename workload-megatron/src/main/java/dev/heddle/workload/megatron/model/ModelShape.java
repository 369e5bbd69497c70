package dev.heddle.workload.megatron.model;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
 * @param headNorm whether queries and keys are normalised head by head, without a bias
 * @param experts in place of the dense block
 * @param predictionLayers modules that predict tokens after the next, one after the other, each a layer like the last
 *     [DeepSeek-V3, section 2.2]
 * @param predictionPattern a character for each layer of such a module of a hybrid model
 * @param predictionRepeats times that each of these modules runs, one after the other
 * @param window tokens that every other layer's attention sees; without it, all
 * @param latent compressed attention in place of plain heads
 * @param stateSpace mixer of the layers that a hybrid pattern gives one
 * @param pattern a character for each layer of a hybrid model, which is one block: M (state space), * (attention), -
 *     (dense block), E (experts); without it, each layer has attention and a dense block or experts
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
    @Setting(value = "whether queries and keys are normalised head by head", def = "false",
        source = "Qwen3 Technical Report: QK-Norm") boolean headNorm,
    @Setting("mixture of experts in place of the dense block") Optional<Experts> experts,
    @Setting(value = "modules of multi-token prediction", def = "0", min = "0", max = "8") int predictionLayers,
    @Setting(value = "kinds of the layers of each of these modules of a hybrid model, such as *E",
        source = "Megatron-Core, mtp_hybrid_override_pattern") Optional<String> predictionPattern,
    @Setting(value = "times that each of these modules runs, with the same parameters", def = "1", min = "1", max = "8",
        source = "Megatron-Core, mtp_use_repeated_layer") int predictionRepeats,
    @Setting("tokens that attention sees in layers with a window; without it, all") Optional<Window> window,
    @Setting("compressed attention in place of plain heads") Optional<LatentAttention> latent,
    @Setting("Mamba-2 mixer of layers M of a pattern") Optional<StateSpace> stateSpace,
    @Setting(value = "kinds of a hybrid model's layers, such as M-M*-: M state space, * attention, - dense block,"
        + " E experts; without it, attention and a block each",
        source = "Megatron-Core, hybrid_layer_pattern") Optional<String> pattern) {
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
    checkPrediction(predictionLayers, pattern, predictionPattern);
    if (pattern.isPresent()) {
      checkPattern(pattern.get(), layers, experts, stateSpace);
      if (window.isPresent()) {
        throw new InvalidSettingException("window", "is not modelled for a hybrid pattern of layers");
      }
    } else if (stateSpace.isPresent()) {
      throw new InvalidSettingException("state-space", "needs a pattern that says which layers are M");
    }
  }

  private static void checkPrediction(int modules, Optional<String> pattern, Optional<String> own) {
    if (own.isPresent() && (pattern.isEmpty() || modules == 0)) {
      throw new InvalidSettingException("prediction-pattern", "is that of prediction-layers of a model with a pattern");
    }
    if (pattern.isPresent() && modules > 0 && own.isEmpty()) {
      throw new InvalidSettingException(
          "prediction-pattern", "is needed beside a pattern, as its last layer is one block alone");
    }
    if (own.isPresent()
        && (own.get().isEmpty() || own.get().chars().anyMatch(kind -> pattern.get().indexOf(kind) < 0))) {
      throw new InvalidSettingException(
          "prediction-pattern", "is '" + own.get() + "'; it is made of characters that are in the pattern");
    }
  }

  private static Set<LayerKind> kinds(String pattern) {
    return IntStream.range(0, pattern.length()).mapToObj(layer -> LayerKind.of(pattern, layer))
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(LayerKind.class)));
  }

  private static void checkPattern(
      String pattern, int layers, Optional<Experts> experts, Optional<StateSpace> stateSpace) {
    if (pattern.length() != layers) {
      throw new InvalidSettingException("pattern", "has " + pattern.length() + " layers where layers says " + layers);
    }
    Set<LayerKind> kinds = kinds(pattern);
    if (kinds.contains(LayerKind.STATE_SPACE) != stateSpace.isPresent()) {
      throw new InvalidSettingException("state-space", stateSpace.isPresent()
          ? "no layer of the pattern is M, so that none has it" : "is needed for layers M of the pattern");
    }
    if (kinds.contains(LayerKind.EXPERTS) != experts.isPresent()) {
      throw new InvalidSettingException("experts", experts.isPresent()
          ? "no layer of the pattern is E, so that none has them" : "are needed for layers E of the pattern");
    }
    if (experts.isPresent() && (experts.get().denseLayers() > 0 || experts.get().every() > 1)) {
      throw new InvalidSettingException("experts", "the pattern says which layers have them; leave out dense-layers"
          + " and every");
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
        normBias, headNorm, experts, predictionLayers, predictionPattern, predictionRepeats, window, latent,
        stateSpace, pattern);
  }

  /** Numbers of the layers of a module of multi-token prediction: the last, or those of its own pattern, behind it. */
  public List<Integer> predictedLayers() {
    return predictionPattern.map(kinds -> IntStream.range(layers, layers + kinds.length()).boxed().toList())
        .orElse(List.of(layers - 1));
  }

  /** Passes of modules of multi-token prediction for a micro-batch. */
  public int predictions() {
    return predictionLayers * predictionRepeats;
  }

  /** Size of a token's vector among the experts. */
  public int expertVector() {
    return experts.flatMap(Experts::latent).orElse(hidden);
  }

  /** The blocks of a layer, from 0; behind the last are those of multi-token prediction. */
  public LayerKind kind(int layer) {
    if (layer >= layers && predictionPattern.isPresent()) {
      return LayerKind.of(predictionPattern.get(), layer - layers);
    }
    if (pattern.isPresent()) {
      return LayerKind.of(pattern.get(), layer);
    }
    boolean mixture = experts.isPresent() && layer >= experts.get().denseLayers()
        && (layer - experts.get().denseLayers() + 1) % experts.get().every() == 0;
    return mixture ? LayerKind.ATTENTION_AND_EXPERTS : LayerKind.ATTENTION_AND_DENSE;
  }

  /** Whether a layer, from 0, is a mixture of experts. */
  public boolean mixes(int layer) {
    return kind(layer).mixes();
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
    return feedForwardParameters(inner, hidden);
  }

  private long feedForwardParameters(long inner, long vector) {
    long up = activation.projections() * inner;
    return vector * up + inner * vector + (bias ? up + vector : 0);
  }

  /** Parameters of a layer, from 0, with all its experts. */
  public long layerParameters(int layer) {
    LayerKind kind = kind(layer);
    long mixer = kind.attends() ? attentionParameters()
        : kind.scans() ? stateSpace.orElseThrow().parameters(hidden) + norm() : 0;
    return mixer + (kind.dense() || kind.mixes() ? norm() : 0) + routerParameters(layer) + sharedParameters(layer)
        + (kind.mixes() ? experts.orElseThrow().count() * expertParameters() : 0);
  }

  /**
   * Parameters of a layer that every token uses besides attention and the router: the dense block or shared experts.
   */
  public long sharedParameters(int layer) {
    if (!mixes(layer)) {
      return kind(layer).dense() ? feedForwardParameters(inner()) : 0;
    }
    int shared = experts.orElseThrow().sharedFfn();
    return latentParameters() + (shared == 0 ? 0 : feedForwardParameters(shared));
  }

  // Of the projections to and from the vectors of experts.
  private long latentParameters() {
    return experts.flatMap(Experts::latent).map(vector -> 2L * hidden * vector + (bias ? hidden + vector : 0))
        .orElse(0L);
  }

  /** Parameters of a layer's router. */
  public long routerParameters(int layer) {
    return mixes(layer) ? (long) hidden * experts.orElseThrow().count() : 0;
  }

  /** Parameters of one expert. */
  public long expertParameters() {
    return experts.isPresent() ? feedForwardParameters(experts.get().ffn(), expertVector()) : 0;
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
    long dense = predictedLayers().stream().mapToLong(this::layerParameters).sum() - predictedExperts();
    return predictionLayers * (dense + 2L * hidden * hidden + 2L * norm());
  }

  private long predictedExperts() {
    return predictedLayers().stream().filter(this::mixes).count() * experts.map(Experts::count).orElse(0)
        * expertParameters();
  }

  /** All parameters. */
  public long parameters() {
    long sum =
        embeddingParameters() + headParameters() + predictionParameters() + predictionLayers * predictedExperts();
    for (int layer = 0; layer < layers; layer++) {
      sum += layerParameters(layer);
    }
    return sum;
  }

  /** The parameters that one token uses: of the experts, those of the {@code top-k}. */
  public long activeParameters() {
    long sum = parameters();
    long predicted = predictionLayers * predictedLayers().stream().filter(this::mixes).count();
    for (long layer = 0; layer < predicted; layer++) {
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
   * [Narayanan et al. SC'21, Korthikanti et al. appendix A]. A state-space mixer counts its recurrence.
   */
  public double flopsPerToken() {
    double forward = 2.0 * (1 + predictions()) * vocabulary * hidden
        + predictions() * (predictedLayers().stream().mapToDouble(this::layerFlops).sum() + 4.0 * hidden * hidden);
    for (int layer = 0; layer < layers; layer++) {
      forward += layerFlops(layer);
    }
    return 3 * forward;
  }

  private double layerFlops(int layer) {
    return 2.0 * matrixParameters(layer) + mixerFlops(layer);
  }

  /**
   * Layers that take as long as the modules of multi-token prediction and the output embedding, which each module and
   * the last layer apply: the operations of both over those of the last layer.
   */
  public int predictionLoad() {
    int last = layers - 1;
    double layer = 2.0 * matrixParameters(last) + mixerFlops(last) / 2;
    return predictions() + (int) Math.round((1 + predictions()) * 2.0 * vocabulary * hidden / layer);
  }

  /** The share of the pairs of positions of a causal sequence that a layer's attention computes: 1 without a window. */
  public double seenPairs(int layer) {
    double share = window.isPresent() && window.get().in(layer) ? (double) window.get().tokens() / sequence : 1;
    return share >= 1 ? 1 : share * (2 - share);
  }

  /**
   * The same where attention works out whole tiles of pairs, of which causal attention computes half.
   *
   * @param layer from 0
   * @param tile tokens of a tile's side
   */
  public double computedPairs(int layer, int tile) {
    if (window.isEmpty() || !window.get().in(layer)) {
      return 1;
    }
    long tiles = (sequence + tile - 1L) / tile;
    long seen = Math.min(tiles, 1 + (window.get().tokens() - 1L + tile - 1) / tile);
    return (seen * tiles - seen * (seen - 1) / 2.0) / (tiles * (tiles + 1) / 2.0);
  }

  private double mixerFlops(int layer) {
    if (!kind(layer).attends()) {
      return kind(layer).scans() ? stateSpace.orElseThrow().recurrenceFlops() : 0;
    }
    int keySize = latent.map(LatentAttention::keySize).orElse(perHead());
    int valueSize = latent.map(LatentAttention::valueSize).orElse(perHead());
    return 2.0 * sequence * seenPairs(layer) * heads * (keySize + valueSize);
  }

  private long matrixParameters(int layer) {
    LayerKind kind = kind(layer);
    long mixer = kind.attends() ? attentionMatrices()
        : kind.scans() ? stateSpace.orElseThrow().matrixParameters(hidden) : 0;
    long block = kind.mixes()
        ? experts.orElseThrow().topK() * matrices(experts.orElseThrow().ffn(), expertVector())
            + matrices(experts.orElseThrow().sharedFfn(), hidden)
            + (experts.orElseThrow().latent().isPresent() ? 2L * hidden * expertVector() : 0)
        : kind.dense() ? matrices(inner(), hidden) : 0;
    return mixer + block + routerParameters(layer);
  }

  private long attentionMatrices() {
    long inner = (long) heads * perHead();
    return latent.isPresent()
        ? attentionParameters() - norm() - latent.get().queryRank() - latent.get().keyRank()
        : hidden * (inner + 2L * keyHeads() * perHead()) + inner * hidden;
  }

  private long matrices(long inner, long vector) {
    return (activation.projections() + 1) * inner * vector;
  }

  private long norm() {
    return normBias ? 2L * hidden : hidden;
  }
}
