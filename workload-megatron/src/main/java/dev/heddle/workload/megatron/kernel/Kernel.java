package dev.heddle.workload.megatron.kernel;

import com.google.common.collect.ImmutableSet;
import dev.heddle.spi.Precision;
import dev.heddle.workload.megatron.model.StateSpace;

/** One kernel of an accelerator: its operations and its memory traffic. */
public sealed interface Kernel {
  /** The purpose of the kernel, such as {@code qkv}. */
  String name();

  /** The resource that limits the kernel. */
  KernelClass kind();

  /** Floating-point operations; a fused multiply-add counts as two. */
  double flops();

  /** Bytes read and written, each once. */
  double bytes();

  /** A kernel that the memory's bandwidth limits, and of which no operations count. */
  sealed interface MemoryBound extends Kernel {
    @Override
    default KernelClass kind() {
      return KernelClass.MEMORY;
    }

    @Override
    default double flops() {
      return 0;
    }
  }

  /**
   * A batch of matrix products {@code C[m, n] = A[m, k] B[k, n]}.
   *
   * @param name purpose of the kernel
   * @param batch products, at least 1
   * @param m rows of the result
   * @param n columns of the result
   * @param k inner size
   * @param precision of the factors
   * @param resultBytes moved per element of the result: 2 to write 16 bits, 8 to add to 32 bits
   */
  record Gemm(String name, long batch, long m, long n, long k, Precision precision, int resultBytes)
      implements Kernel {
    /** Prefix of the names of products of a group of experts. */
    public static final String EXPERT = "expert";

    /** Ending of the names of products that are gradients of weights, whose inner size is tokens. */
    private static final String WEIGHTS = "-weights";
    /** Ending of the names of products that are gradients of inputs. */
    private static final String INPUTS = "-inputs";

    /** Whether the products are gradients of weights. */
    public boolean ofWeights() {
      return name.endsWith(WEIGHTS);
    }

    /** Whether the products are gradients, of weights or of inputs. */
    public boolean ofGradients() {
      return ofWeights() || name.endsWith(INPUTS);
    }

    /** Whether the products are those of a group of experts, which run concurrently. */
    public boolean ofExperts() {
      return name.startsWith(EXPERT);
    }

    @Override
    public KernelClass kind() {
      return batch > 1 ? KernelClass.BATCHED_GEMM : KernelClass.GEMM;
    }

    @Override
    public double flops() {
      return 2.0 * batch * m * n * k;
    }

    /** Bytes of both factors. */
    public double factorBytes() {
      return (double) batch * (m * k + k * n) * elementBytes(precision);
    }

    /** Memory traffic of the result, in bytes. */
    public double writtenBytes() {
      return (double) batch * m * n * resultBytes;
    }

    @Override
    public double bytes() {
      return factorBytes() + writtenBytes();
    }
  }

  /**
   * Products of heads that do not begin at multiples of 16 bytes: heads lie between each other in memory, and matrix
   * units load from such addresses alone [cuBLAS, Tensor Core usage], so the vector units compute them in 32 bits.
   *
   * @param product of 16 bits
   */
  record HeadProduct(Gemm product) implements Kernel {
    @Override
    public String name() {
      return product.name();
    }

    @Override
    public KernelClass kind() {
      return KernelClass.BATCHED_GEMM;
    }

    @Override
    public double flops() {
      return product.flops();
    }

    @Override
    public double bytes() {
      return product.bytes();
    }

    /** The product as computed by the vector units. */
    Gemm vectorised() {
      return new Gemm(
          name(), product.batch(), product.m(), product.n(), product.k(), Precision.FP32, elementBytes(Precision.FP32));
    }
  }

  /**
   * Products whose factors have a scale for each block of elements, which matrix units apply.
   *
   * @param product with factors of 8 bits
   * @param format of the factors, whose blocks have scales
   */
  record BlockScaled(Gemm product, LinearFormat format) implements Kernel {
    @Override
    public String name() {
      return product.name();
    }

    @Override
    public KernelClass kind() {
      return product.kind();
    }

    @Override
    public double flops() {
      return product.flops();
    }

    /** Bytes of both factors with their scales. */
    double factorBytes() {
      return product.factorBytes() * format.number().weightBytes();
    }

    @Override
    public double bytes() {
      return factorBytes() + product.writtenBytes();
    }
  }

  /**
   * Products of a batch, of which several share a factor that is read from memory once.
   *
   * @param product of 16 bits
   * @param bytes read and written by all of them
   */
  record SharedFactors(Gemm product, double bytes) implements Kernel {
    @Override
    public String name() {
      return product.name();
    }

    @Override
    public KernelClass kind() {
      return KernelClass.BATCHED_GEMM;
    }

    @Override
    public double flops() {
      return product.flops();
    }
  }

  /**
   * The causal convolution of a state-space mixer.
   *
   * @param name purpose of the kernel
   * @param sequences in the batch
   * @param length of a sequence on this rank, in tokens
   * @param ranks that divide the channels
   * @param hidden size of a token's vector
   * @param mixer whose channels are convolved
   * @param backward whether the kernel computes the gradients
   */
  record Convolution(
      String name, long sequences, long length, int ranks, int hidden, StateSpace mixer, boolean backward)
      implements MemoryBound {
    private static final int HALF = 2;

    /** Reads the channels and writes them; backward, reads both gradient and input, and writes the input's gradient. */
    @Override
    public double bytes() {
      return (backward ? 3.0 : 2.0) * HALF * sequences * length * mixer.channels() / ranks;
    }
  }

  /**
   * Attention in one kernel [Dao et al., FlashAttention].
   *
   * @param name purpose of the kernel
   * @param kernel a fused kernel
   * @param sequences in the batch
   * @param heads of queries
   * @param keyHeads heads of keys and values
   * @param queries positions of queries
   * @param keys positions of keys
   * @param window keys that a query sees, which {@code keys} has counted in whole tiles; 0 for all
   * @param keySize of a head's query and key
   * @param valueSize of a head's value
   * @param causal whether half of all pairs are left out
   * @param backward whether the kernel computes the gradients: three products over keys' size and two over values'
   *     instead of one of each
   */
  record Attention(
      String name, AttentionKernel kernel, long sequences, long heads, long keyHeads, long queries, long keys,
      long window, int keySize, int valueSize, boolean causal, boolean backward)
      implements Kernel {
    private static final int LATENT_KEYS = 192;
    private static final int LATENT_VALUES = 128;

    /** Mean size of a head's keys and values. */
    double headSize() {
      return (keySize + valueSize) / 2.0;
    }

    /** Whether heads have the sizes of expanded latent attention [DeepSeek-V2 §2.1; Kimi K2]. */
    public boolean latent() {
      return keySize == LATENT_KEYS && valueSize == LATENT_VALUES && keyHeads == heads;
    }

    @Override
    public KernelClass kind() {
      return KernelClass.ATTENTION;
    }

    @Override
    public double flops() {
      int width = backward ? 3 * keySize + 2 * valueSize : keySize + valueSize;
      return 2.0 * sequences * heads * queries * keys * width / (causal ? 2 : 1);
    }

    @Override
    public double bytes() {
      double once = 2.0 * sequences
          * (heads * queries * (keySize + valueSize) + keyHeads * keys * (keySize + valueSize));
      return backward ? 2 * once : once;
    }
  }

  /**
   * Fused attention that multiplies 8 bits: queries, keys, values, probabilities and gradients are cast.
   *
   * @param wide the same kernel in 16 bits
   * @param format of the factors: fp8 or mxfp8
   */
  record QuantisedAttention(Attention wide, LinearFormat format) implements Kernel {
    @Override
    public String name() {
      return wide.name();
    }

    @Override
    public KernelClass kind() {
      return KernelClass.ATTENTION;
    }

    @Override
    public double flops() {
      return wide.flops();
    }

    @Override
    public double bytes() {
      return wide.bytes();
    }
  }

  /**
   * Normalisation of tokens' vectors of 16 bits.
   *
   * @param name purpose of the kernel
   * @param kernel generation of the kernel
   * @param tokens normalised tokens
   * @param hidden size of a token's vector
   * @param centred whether the mean is subtracted, as LayerNorm does and RMSNorm does not
   * @param backward whether the kernel computes the gradients, of inputs and of weights
   */
  record Norm(String name, NormKernel kernel, long tokens, int hidden, boolean centred, boolean backward)
      implements
      MemoryBound {
    private static final int HALF = 2;
    /** Sizes above that of a warp's row for which Transformer Engine has a kernel of RMSNorm's own. */
    private static final ImmutableSet<Integer> TUNED = ImmutableSet.of(4096, 8192);
    private static final int SMALL = 2048;

    /**
     * Whether Transformer Engine's kernel of any size runs, of which a block takes one row after the other. LayerNorm
     * has one of its own for most models' sizes, RMSNorm for few [Transformer Engine, rmsnorm_fwd_cuda_kernel.cu and
     * rmsnorm_bwd_semi_cuda_kernel.cu: REGISTER_NORM_LAUNCHER]; of small sizes a block takes as many rows as it has
     * warps.
     */
    boolean general() {
      return kernel == NormKernel.PERSISTENT && !centred && hidden > SMALL && !TUNED.contains(hidden);
    }

    /** Reads the input and writes the result; backward, both gradients and the input. */
    @Override
    public double bytes() {
      return (backward ? 3.0 : 2.0) * HALF * tokens * hidden;
    }
  }

  /**
   * A kernel bound by memory bandwidth.
   *
   * @param name purpose of the kernel
   * @param bytes read and written
   */
  record Memory(String name, double bytes) implements MemoryBound {}

  /**
   * The loss of logits of 16 bits by the kernels of PyTorch, in 32 bits.
   *
   * @param name as in the report
   * @param tokens rows
   * @param words logits of a row
   * @param backward gradients
   * @param bytesOfLogit that are read and written for a logit
   */
  record Loss(String name, long tokens, long words, boolean backward, int bytesOfLogit) implements MemoryBound {
    @Override
    public double bytes() {
      return (double) bytesOfLogit * tokens * words;
    }
  }

  /**
   * A function of each element of matrices of 16 bits.
   *
   * @param name purpose of the kernel
   * @param function that is computed
   * @param rows of the result
   * @param columns of the function's result; its gradients count as those of as many
   */
  record Elementwise(String name, ElementFunction function, long rows, long columns) implements MemoryBound {
    private static final int HALF = 2;

    @Override
    public double bytes() {
      return (double) HALF * function.elements() * rows * columns;
    }
  }

  /**
   * A cast from 16 to 8 or 4 bits with its scales.
   *
   * @param name purpose of the kernel
   * @param bytes read and written
   */
  record Cast(String name, double bytes) implements MemoryBound {}

  /** Bytes of one element of a matrix. */
  static int elementBytes(Precision precision) {
    return switch (precision) {
      case FP64, FP64_MATRIX -> 8;
      case FP32, TF32 -> 4;
      case FP16, BF16 -> 2;
      case FP8 -> 1;
    };
  }
}
