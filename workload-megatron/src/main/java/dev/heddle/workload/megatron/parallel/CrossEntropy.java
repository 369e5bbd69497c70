package dev.heddle.workload.megatron.parallel;

/**
 * Kernels of the loss, computed from logits of 16 bits. Rows of logits that a kernel reads again come from its cache.
 */
public enum CrossEntropy {
  /**
   * Kernels of Megatron-LM, one for each step in 32 bits: conversion, maximum, difference, exponential, sum, quotient;
   * backward the product with the loss's gradient, and the conversion.
   */
  MEGATRON(6 + 4 + 8 + 8 + 4 + 8, 6, 8 + 6, 2),
  /**
   * Kernels of PyTorch in 32 bits: conversion and logarithm of the softmax; backward the zeroed gradient of the loss,
   * that of the softmax, and the conversion.
   */
  PYTORCH(6 + 8, 2, 4 + 12 + 6, 3);

  private final int forwardBytes;
  private final int forwardKernels;
  private final int backwardBytes;
  private final int backwardKernels;

  CrossEntropy(int forwardBytes, int forwardKernels, int backwardBytes, int backwardKernels) {
    this.forwardBytes = forwardBytes;
    this.forwardKernels = forwardKernels;
    this.backwardBytes = backwardBytes;
    this.backwardKernels = backwardKernels;
  }

  /** Memory traffic of a pass for each logit, in bytes. */
  public int bytes(boolean backward) {
    return backward ? backwardBytes : forwardBytes;
  }

  /** Kernels of a pass. */
  public int kernels(boolean backward) {
    return backward ? backwardKernels : forwardKernels;
  }
}
