package dev.heddle.workload.megatron.kernel;

import dev.heddle.kernel.NumberFormat;
import dev.heddle.spi.Precision;

/** Format of the numbers that linear layers multiply, forward and backward. */
public enum LinearFormat {
  /** IEEE floating point of 16 bits. */
  FP16(Precision.FP16, NumberFormat.FP16),
  /** Brain floating point of 16 bits. */
  BF16(Precision.BF16, NumberFormat.BF16),
  /** 8 bits with one scale a tensor, which follows from earlier iterations (delayed scaling). */
  FP8(Precision.FP8, NumberFormat.FP8),
  /** 8 bits with one scale a tensor, for which its largest value is read first (current scaling). */
  FP8_CURRENT(Precision.FP8, NumberFormat.FP8),
  /** 8 bits with a power of two as scale for 32 elements [OCP Microscaling Formats 1.0]. */
  MXFP8(Precision.FP8, NumberFormat.MXFP8),
  /** 4 bits with a scale of 8 bits for 16 elements and one of 32 bits a tensor [Transformer Engine, NVFP4]. */
  NVFP4(Precision.FP8, NumberFormat.NVFP4),
  /**
   * 4 bits with a power of two as scale for 32 elements [OCP Microscaling Formats 1.0], forward and in both gradients;
   * a rotation of 16 elements, where a recipe has it, is part of the cast [ROCm/TransformerEngine, pull request 537:
   * MXFP4BlockScaling].
   */
  MXFP4(Precision.FP8, NumberFormat.MXFP4);

  /** Elements with one scale in OCP's formats, and those of which other formats need multiples. */
  private static final int BLOCK = 32;
  private static final int LEAST = 16;
  private static final int HALF = 2;

  private final Precision stated;
  private final NumberFormat number;

  LinearFormat(Precision stated, NumberFormat number) {
    this.stated = stated;
    this.number = number;
  }

  /** The precision of 16 or 8 bits that accelerators state a rate of; for 4 bits that of 8. */
  public Precision stated() {
    return stated;
  }

  /** The format in the library of kernels. */
  public NumberFormat number() {
    return number;
  }

  /** Whether activations are quantised before they are multiplied. */
  public boolean quantised() {
    return stated == Precision.FP8;
  }

  /** Whether blocks of elements have scales of their own, which matrix units apply. */
  public boolean scaledByBlocks() {
    return this == MXFP8 || this == NVFP4 || this == MXFP4;
  }

  /** Whether factors have 4 bits. */
  public boolean fourBits() {
    return this == NVFP4 || this == MXFP4;
  }

  /** Elements of which sizes of quantised layers must be multiples. */
  public int block() {
    return this == MXFP8 || this == MXFP4 ? BLOCK : LEAST;
  }

  /** Whether activations are quantised with one scale for all of a tensor. */
  public boolean scaledByTensor() {
    return quantised() && !scaledByBlocks();
  }

  /** Bytes moved for each quantised element that is written in both layouts. */
  public double quantisedBytes() {
    return quantisedBytes(2);
  }

  /**
   * Bytes moved for each quantised element: read in 16 bits, and written in one or both layouts with its share of the
   * scales. NVFP4's scale of a tensor needs the largest value first, for which the element is read once more.
   */
  public double quantisedBytes(int layouts) {
    return HALF + layouts * number.activationBytes() + largestBytes();
  }

  /** Bytes of an element that a cast reads once more for the largest value, which NVFP4's scale of a tensor needs. */
  public int largestBytes() {
    return this == NVFP4 ? HALF : 0;
  }

  /** The format of 8 bits that attention multiplies where it is quantised: blocks of 4 bits have none of their own. */
  public LinearFormat ofAttention() {
    return fourBits() ? MXFP8 : this == FP8_CURRENT ? FP8 : this;
  }

  /** The kernel of a product whose factors have this format. */
  public Kernel product(String name, long batch, long m, long n, long k, int resultBytes) {
    Kernel.Gemm product = new Kernel.Gemm(name, batch, m, n, k, stated, resultBytes);
    return scaledByBlocks() ? new Kernel.BlockScaled(product, this) : product;
  }
}
