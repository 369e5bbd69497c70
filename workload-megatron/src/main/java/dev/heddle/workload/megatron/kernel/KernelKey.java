package dev.heddle.workload.megatron.kernel;

import dev.heddle.registry.SettingsSchema;
import dev.heddle.spi.Precision;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The key of a measured time: kind, shape and precision of a kernel, regardless of its purpose.
 *
 * @param kind {@code gemm} writes its result, {@code gemm-add} adds it to 32 bits; {@code attention-forward} and {@code
 *     attention-backward} are causal and fused; {@code memory} moves bytes; {@code norm-forward} and {@code
 *     norm-backward} normalise
 * @param precision of the factors; fp16 for kernels that move bytes
 * @param shape sizes as {@link #text} writes them
 */
record KernelKey(String kind, Precision precision, String shape) {
  static final String GEMM = "gemm";
  static final String GEMM_ADD = "gemm-add";
  static final String FORWARD = "attention-forward";
  static final String BACKWARD = "attention-backward";
  static final String NORM_FORWARD = "norm-forward";
  static final String NORM_BACKWARD = "norm-backward";
  static final String MEMORY = "memory";

  private static final int HALF = 2;
  private static final int FULL = 4;
  private static final int ATTENTION_SIZES = 7;

  /** The key of a kernel, where its time can be looked up. */
  static Optional<KernelKey> of(Kernel kernel) {
    if (kernel instanceof Kernel.Gemm gemm) {
      boolean adds = gemm.resultBytes() == 2 * FULL;
      if (!adds && gemm.resultBytes() != written(gemm.precision())) {
        return Optional.empty();
      }
      String shape = gemm.batch() == 1 ? text(gemm.m(), gemm.n(), gemm.k())
          : text(gemm.batch(), gemm.m(), gemm.n(), gemm.k());
      return Optional.of(new KernelKey(adds ? GEMM_ADD : GEMM, gemm.precision(), shape));
    }
    if (kernel instanceof Kernel.Attention attention) {
      return attention.causal()
          ? Optional.of(new KernelKey(attention.backward() ? BACKWARD : FORWARD, Precision.BF16, text(
              attention.sequences(), attention.heads(), attention.keyHeads(), attention.queries(), attention.keys(),
              attention.keySize(), attention.valueSize())))
          : Optional.empty();
    }
    if (kernel instanceof Kernel.Norm norm) {
      return Optional.of(new KernelKey(
          norm.backward() ? NORM_BACKWARD : NORM_FORWARD, Precision.FP16, text(norm.tokens(), norm.hidden())));
    }
    if (kernel instanceof Kernel.HeadProduct || kernel instanceof Kernel.BlockScaled
        || kernel instanceof Kernel.SharedFactors || kernel instanceof Kernel.Convolution
        || kernel instanceof Kernel.QuantisedAttention) {
      return Optional.empty();
    }
    return Optional.of(new KernelKey(MEMORY, Precision.FP16, text(Math.round(kernel.bytes()))));
  }

  /**
   * The kernel of a kind, precision and shape.
   *
   * @throws IllegalArgumentException naming the malformed value
   */
  static Kernel kernel(String kind, String precision, String shape) {
    long[] sizes = sizes(shape);
    return switch (kind) {
      case GEMM, GEMM_ADD -> gemm(kind, precision(precision), sizes);
      case FORWARD, BACKWARD -> attention(kind, sizes);
      case NORM_FORWARD, NORM_BACKWARD -> {
        require(sizes.length == 2, "the shape of normalisation is tokens x hidden size", shape);
        yield new Kernel.Norm(kind, NormKernel.FUSED, sizes[0], size(sizes, 1), true, kind.equals(NORM_BACKWARD));
      }
      case MEMORY -> {
        require(sizes.length == 1, "the shape of memory is its bytes", shape);
        yield new Kernel.Memory(kind, sizes[0]);
      }
      default -> throw new IllegalArgumentException("kernel '" + kind + "' is none of "
          + String.join(", ", GEMM, GEMM_ADD, FORWARD, BACKWARD, NORM_FORWARD, NORM_BACKWARD, MEMORY));
    };
  }

  private static Kernel gemm(String kind, Precision precision, long[] sizes) {
    require(sizes.length == 3 || sizes.length == 4, "the shape of a product is m x n x k or batch x m x n x k",
        text(sizes));
    int from = sizes.length - 3;
    return new Kernel.Gemm(kind, from == 0 ? 1 : sizes[0], sizes[from], sizes[from + 1], sizes[from + 2], precision,
        kind.equals(GEMM_ADD) ? 2 * FULL : written(precision));
  }

  private static Kernel attention(String kind, long[] sizes) {
    require(sizes.length == ATTENTION_SIZES,
        "the shape of attention is sequences x heads x key heads x queries x keys x key size x value size",
        text(sizes));
    return new Kernel.Attention(kind, AttentionKernel.FLASH_2, sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], 0,
        size(sizes, 5), size(sizes, 6), true, kind.equals(BACKWARD));
  }

  private static Precision precision(String text) {
    for (Precision precision : Precision.values()) {
      if (name(precision).equals(text)) {
        return precision;
      }
    }
    throw new IllegalArgumentException("precision '" + text + "' is none of "
        + Arrays.stream(Precision.values()).map(KernelKey::name).collect(Collectors.joining(", ")));
  }

  /** The name of a precision in files. */
  static String name(Precision precision) {
    return SettingsSchema.key(precision);
  }

  // Products of 32 bits write 32 bits, all others 16.
  private static int written(Precision precision) {
    return precision == Precision.FP32 || precision == Precision.TF32 ? FULL : HALF;
  }

  private static long[] sizes(String shape) {
    try {
      long[] sizes = Arrays.stream(shape.split("x", -1)).mapToLong(part -> Long.parseLong(part.strip())).toArray();
      require(LongStream.of(sizes).allMatch(size -> size > 0), "sizes must be positive", shape);
      return sizes;
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("shape '" + shape + "' must be whole numbers with x between them", e);
    }
  }

  private static int size(long[] sizes, int index) {
    require(sizes[index] <= Integer.MAX_VALUE, "hidden and head sizes must be at most " + Integer.MAX_VALUE,
        text(sizes));
    return (int) sizes[index];
  }

  private static void require(boolean holds, String message, String shape) {
    if (!holds) {
      throw new IllegalArgumentException(message + ", but is '" + shape + "'");
    }
  }

  private static String text(long... sizes) {
    return LongStream.of(sizes).mapToObj(Long::toString).collect(Collectors.joining("x"));
  }
}
