package dev.heddle.kernel;

import com.google.common.collect.ImmutableList;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import java.util.Arrays;
import java.util.List;

/** A kind of kernel: the sizes of its shape, in order, and how its work follows from them. */
public enum KernelKind {
  /** A product {@code C[m, n] = A[m, k] B[k, n]} whose factors have their format already. */
  GEMM("gemm", Geometries.product(), Family.PRODUCT, "m", "n", "k"),
  /** A product that adds to a matrix of 32 bits, as gradients of weights are. */
  GEMM_ADD("gemm-add", Geometries.product(), Family.PRODUCT, "m", "n", "k"),
  /** A product whose activations come in 16 bits and are cast first, as an engine's linear layer does it. */
  LINEAR("linear", Geometries.product(), Family.PRODUCT, "m", "n", "k"),
  /** Products of a batch in one kernel. */
  BATCHED_GEMM("batched-gemm", Geometries.batchedProduct(), Family.PRODUCT, "batch", "m", "n", "k"),
  /** Products of groups of rows with a matrix of each group; {@code skew} is 100 times the power law's exponent. */
  GROUPED_GEMM("grouped-gemm", new Geometries.Grouped(), Family.EXPERTS, "groups", "rows", "n", "k", "skew"),
  /** Gradients of the weights of grouped products. */
  GROUPED_GEMM_GRADIENT(
      "grouped-gemm-gradient", new Geometries.Grouped(), Family.EXPERTS, "groups", "rows", "n", "k", "skew"),
  /** Causal attention over whole sequences. */
  ATTENTION_FORWARD("attention-forward", new Geometries.Attention(1, 1, 1), Family.ATTENTION, KernelKind.attention()),
  /** Its gradients: five products where the forward pass has two. */
  ATTENTION_BACKWARD(
      "attention-backward", new Geometries.Attention(1, 2.5, 2), Family.ATTENTION, KernelKind.attention()),
  /** Causal attention whose queries each see the last keys alone. */
  ATTENTION_WINDOW_FORWARD("attention-window-forward",
      new Geometries.Window(new Geometries.Attention(1, 1, 1)), Family.ATTENTION,
      "sequences", "heads", "key-heads", "queries", "keys", "key-size", "value-size", "window"),
  /** Its gradients. */
  ATTENTION_WINDOW_BACKWARD("attention-window-backward",
      new Geometries.Window(new Geometries.Attention(1, 2.5, 2)), Family.ATTENTION,
      "sequences", "heads", "key-heads", "queries", "keys", "key-size", "value-size", "window"),
  /** Attention over whole sequences without a mask. */
  ATTENTION_FULL_FORWARD(
      "attention-full-forward", new Geometries.Attention(0, 1, 1), Family.ATTENTION, KernelKind.attention()),
  /** Its gradients. */
  ATTENTION_FULL_BACKWARD(
      "attention-full-backward", new Geometries.Attention(0, 2.5, 2), Family.ATTENTION, KernelKind.attention()),
  /** Attention of one new token of each sequence. */
  ATTENTION_DECODE("attention-decode", new Geometries.Decode(), Family.ATTENTION,
      "sequences", "heads", "key-heads", "context", "key-size", "value-size"),
  /** Causal latent attention over whole sequences, 192 a head of keys and 128 of values. */
  LATENT_PREFILL("latent-prefill", Geometries.latentPrefill(), Family.ATTENTION, "sequences", "heads", "length"),
  /** Its gradients. */
  LATENT_BACKWARD("latent-backward", Geometries.latentBackward(), Family.ATTENTION, "sequences", "heads", "length"),
  /** Absorbed latent attention of one new token. */
  LATENT_DECODE("latent-decode", Geometries.latentDecode(), Family.ATTENTION, "sequences", "heads", "context"),
  /** The batched products before and after absorbed latent attention, 128 x 512 a head. */
  LATENT_PROJECTION("latent-projection",
      new Geometries.Plain(2, 6, (s, f) -> 2 * 65536 * s[0] * s[1],
          (s, f) -> s[1] * (65536 * f.weightBytes() + 640 * 2 * s[0])),
      Family.ATTENTION, "tokens", "heads"),
  /** A layer of experts behind its router: permutation, grouped products, activation and sum. */
  EXPERTS("experts", new Geometries.Experts(), Family.EXPERTS,
      "tokens", "hidden", "feed-forward", "choices", "experts", "tensor-ranks", "expert-ranks", "skew"),
  /** Kernels of a gated delta net: sequences, length, hidden size, heads of values. */
  GATED_DELTA_NET("gated-delta-net",
      Geometries.moving(4, (s, f) -> s[0] * s[1] * (2 * 2 * 16 * 128 + 4 * 128 * s[3]) * 2), Family.STATE_SPACE,
      "sequences", "length", "hidden", "value-heads"),
  /** Kernels of a Mamba-2 layer: sequences, length, hidden size, heads, state. */
  MAMBA2("mamba2", Geometries.moving(5, (s, f) -> s[0] * s[1] * (4 * 64 * s[3] + 2 * 8 * s[4]) * 2), Family.STATE_SPACE,
      "sequences", "length", "hidden", "heads", "state"),
  /** A cast of 16 bits with its scales. */
  QUANTIZE("quantize", Geometries.vectors(5), Family.MEMORY, "tokens", "hidden"),
  /** Layer normalisation of 16 bits. */
  NORM_FORWARD("norm-forward", Geometries.vectors(4), Family.MEMORY, "tokens", "hidden"),
  /** Its gradients, of inputs and of weights. */
  NORM_BACKWARD("norm-backward", Geometries.vectors(6), Family.MEMORY, "tokens", "hidden"),
  /** Normalisation by the root mean square. */
  RMS_NORM_FORWARD("rms-norm-forward", Geometries.vectors(4), Family.MEMORY, "tokens", "hidden"),
  /** Its gradients. */
  RMS_NORM_BACKWARD("rms-norm-backward", Geometries.vectors(6), Family.MEMORY, "tokens", "hidden"),
  /** The gated activation of so many columns of its result. */
  SWIGLU_FORWARD("swiglu-forward", Geometries.vectors(6), Family.MEMORY, "tokens", "columns"),
  /** Its gradients. */
  SWIGLU_BACKWARD("swiglu-backward", Geometries.vectors(10), Family.MEMORY, "tokens", "columns"),
  /** The activation of GPT. */
  GELU_FORWARD("gelu-forward", Geometries.vectors(4), Family.MEMORY, "tokens", "columns"),
  /** Its gradients. */
  GELU_BACKWARD("gelu-backward", Geometries.vectors(6), Family.MEMORY, "tokens", "columns"),
  /** The sum of a residual. */
  ADD("add", Geometries.vectors(6), Family.MEMORY, "tokens", "hidden"),
  /** A matrix written as its transpose. */
  TRANSPOSE("transpose", Geometries.vectors(4), Family.MEMORY, "rows", "columns"),
  /** Rotation of heads. */
  ROTARY_FORWARD("rotary-forward", Geometries.moving(3, (s, f) -> 4 * s[0] * s[1] * s[2]), Family.MEMORY,
      "tokens", "heads", "size"),
  /** Tokens copied to the places of their experts. */
  PERMUTE("permute", Geometries.moving(3, (s, f) -> 4 * s[0] * s[1] * s[2]), Family.MEMORY,
      "tokens", "hidden", "choices"),
  /** Weighted sums of the outputs of a token's experts. */
  UNPERMUTE("unpermute", Geometries.moving(3, (s, f) -> s[0] * s[1] * (2 * s[2] + 2)), Family.MEMORY,
      "tokens", "hidden", "choices"),
  /** Look-up of tokens' vectors. */
  EMBEDDING_FORWARD("embedding-forward", Geometries.moving(3, (s, f) -> 4 * s[0] * s[1]), Family.MEMORY,
      "tokens", "hidden", "vocabulary"),
  /** Its gradient, of the whole table. */
  EMBEDDING_BACKWARD("embedding-backward",
      Geometries.moving(3, (s, f) -> 10 * s[0] * s[1] + 2 * s[1] * s[2]), Family.MEMORY,
      "tokens", "hidden", "vocabulary"),
  /** The loss of logits of 16 bits. */
  CROSS_ENTROPY_FORWARD("cross-entropy-forward", Geometries.vectors(8), Family.MEMORY, "tokens", "vocabulary"),
  /** Its gradient. */
  CROSS_ENTROPY_BACKWARD("cross-entropy-backward", Geometries.vectors(8), Family.MEMORY, "tokens", "vocabulary"),
  /** A step of Adam over parameters of 32 bits: both moments and the parameter read and written, the gradient read. */
  ADAM("adam", Geometries.linear(28), Family.MEMORY, "parameters"),
  /** A copy: half of the bytes are read, half written. */
  MEMORY("memory", Geometries.linear(1), Family.MEMORY, "bytes"),
  /** Bytes that are read. */
  MEMORY_READ("memory-read", Geometries.linear(1), Family.MEMORY, "bytes"),
  /** Bytes that are written. */
  MEMORY_WRITE("memory-write", Geometries.linear(1), Family.MEMORY, "bytes"),
  /** An empty kernel in a row of so many. */
  LAUNCH("launch", Geometries.linear(0), Family.MEMORY, "kernels");

  /** Kinds with the same limiting resource. */
  public enum Family {
    /** Products of matrices. */
    PRODUCT,
    /** Attention. */
    ATTENTION,
    /** Layers of experts and their grouped products. */
    EXPERTS,
    /** Layers of linear attention. */
    STATE_SPACE,
    /** Kernels that move more than they compute. */
    MEMORY
  }

  private final String id;
  private final Geometry geometry;
  private final Family family;
  private final ImmutableList<String> sizes;

  KernelKind(String id, Geometry geometry, Family family, String... sizes) {
    this.id = id;
    this.geometry = geometry;
    this.family = family;
    this.sizes = ImmutableList.copyOf(sizes);
  }

  private static String[] attention() {
    return new String[] {"sequences", "heads", "key-heads", "queries", "keys", "key-size", "value-size"};
  }

  /** The kind's name in tables and commands. */
  public String id() {
    return id;
  }

  /** Names of the sizes of its shape, in order. */
  public List<String> sizes() {
    return sizes;
  }

  /** Kinds with the same limiting resource. */
  public Family family() {
    return family;
  }

  Geometry geometry() {
    return geometry;
  }

  /**
   * Exponentials of the softmax for each operation: one for each query and key, of whose products it is taken.
   * Gradients take it again and pass the gradient of the softmax, which is counted as much work for each product:
   * published rates of gradients make it 2.7 to 3.8 times that of the forward pass [FlashAttention-3, figure 6].
   */
  double exponentialsPerFlop(double[] shape) {
    return switch (this) {
      case ATTENTION_FORWARD, ATTENTION_FULL_FORWARD, ATTENTION_WINDOW_FORWARD, ATTENTION_BACKWARD,
          ATTENTION_FULL_BACKWARD, ATTENTION_WINDOW_BACKWARD ->
        0.5 / (shape[5] + shape[6]);
      case ATTENTION_DECODE -> 0.5 / (shape[4] + shape[5]);
      case LATENT_PREFILL, LATENT_BACKWARD -> 0.5 / 320;
      case LATENT_DECODE -> 0.5 / 1088;
      default -> 0;
    };
  }

  /**
   * Bytes for each operation that gradients of attention add to sums in the cache: each tile of 128 keys adds its part
   * of the gradients of queries in 32 bits [FlashAttention-2 §3.1.2, atomic additions; FlashAttention-3 §3 and -4 §4,
   * reductions of tiles].
   */
  double summedBytesPerFlop(double[] shape) {
    return switch (this) {
      case ATTENTION_BACKWARD, ATTENTION_FULL_BACKWARD, ATTENTION_WINDOW_BACKWARD ->
        4 * shape[5] / 128 / (5 * (shape[5] + shape[6]));
      case LATENT_BACKWARD -> 4 * 192.0 / 128 / (2 * (3 * 192 + 2 * 128));
      default -> 0;
    };
  }

  /** Whether a size may be 0: the exponent of a load, which is 0 for balanced ones. */
  boolean mayBeZero(int size) {
    return sizes.get(size).equals("skew");
  }

  /** Floating-point operations of a shape; a fused multiply-add counts as two. */
  public double flops(double... shape) {
    return geometry.flops(shape);
  }

  /** Bytes that a shape reads and writes, each once. */
  public double bytes(NumberFormat format, double... shape) {
    return geometry.bytes(shape, format);
  }

  /**
   * The kind of a name.
   *
   * @throws InvalidSettingException when there is none, naming the nearest
   */
  public static KernelKind of(String name) {
    for (KernelKind kind : values()) {
      if (kind.id.equals(name)) {
        return kind;
      }
    }
    List<String> known = Arrays.stream(values()).map(KernelKind::id).toList();
    throw new InvalidSettingException("", "there is no kernel '" + name + "'; known are " + String.join(", ", known)
        + NearestMatch.hint(name, known));
  }

  @Override
  public String toString() {
    return id;
  }
}
