package dev.heddle.workload.megatron.parallel;

/**
 * Kernels of the loss, computed from logits of 16 bits. Rows of logits that a kernel reads again come from its cache.
 */
public enum CrossEntropy {
  /**
   * Kernels of Megatron-LM, one for each step in 32 bits: conversion, maximum, difference, exponential, sum, quotient;
   * backward the product with the loss's gradient, and the conversion.
   */
  MEGATRON(6 + 4 + 8 + 8 + 4 + 8, 6, 8 + 6, 2, 0, 0),
  /**
   * Kernels of Transformer Engine in 16 bits: one reads the logits for maximum and sum, one reads them and writes their
   * gradients in their place; backward these times the loss's gradient [transformer_engine/common/triton,
   * cross_entropy.py; Megatron-Core: cross_entropy_fusion_impl te].
   */
  TRANSFORMER_ENGINE(2 + 4, 2, 4, 1, 0, 0),
  /** Kernels of PyTorch in 32 bits. */
  PYTORCH(0, 0, 0, 0, 1, 1),
  /**
   * Kernels of Composer: FlashAttention's fused one, which reads the logits, and backward reads them and writes their
   * gradients; besides, two metrics of each micro-batch, loss and perplexity, compute the loss again by PyTorch's
   * kernels [llm-foundry, ComposerMPTCausalLM: fused_crossentropy, LanguageCrossEntropy, LanguagePerplexity; Composer,
   * trainer.py: _eval_train_metrics].
   */
  COMPOSER(2, 1, 4, 1, 2, 0);

  /** Conversion and logarithm of the softmax. */
  private static final int FORWARD_BYTES = 6 + 8;
  private static final int FORWARD_KERNELS = 2;
  /** The zeroed gradient of the loss, that of the softmax, and the conversion. */
  private static final int BACKWARD_BYTES = 4 + 12 + 6;
  private static final int BACKWARD_KERNELS = 3;

  private final int forwardBytes;
  private final int forwardKernels;
  private final int backwardBytes;
  private final int backwardKernels;
  private final int forwardOfPyTorch;
  private final int backwardOfPyTorch;

  CrossEntropy(int forwardBytes, int forwardKernels, int backwardBytes, int backwardKernels, int forwardOfPyTorch,
      int backwardOfPyTorch) {
    this.forwardBytes = forwardBytes;
    this.forwardKernels = forwardKernels;
    this.backwardBytes = backwardBytes;
    this.backwardKernels = backwardKernels;
    this.forwardOfPyTorch = forwardOfPyTorch;
    this.backwardOfPyTorch = backwardOfPyTorch;
  }

  /** Memory traffic for each logit of a pass's own kernels, in bytes. */
  public int bytes(boolean backward) {
    return backward ? backwardBytes : forwardBytes;
  }

  /** Own kernels of a pass. */
  public int kernels(boolean backward) {
    return backward ? backwardKernels : forwardKernels;
  }

  /** The number of times that a pass computes the loss, or its gradients, by PyTorch's kernels. */
  public int ofPyTorch(boolean backward) {
    return backward ? backwardOfPyTorch : forwardOfPyTorch;
  }

  /** Memory traffic for each logit of PyTorch's kernels, in bytes. */
  public static int bytesOfPyTorch(boolean backward) {
    return backward ? BACKWARD_BYTES : FORWARD_BYTES;
  }

  /** PyTorch's kernels of a pass. */
  public static int kernelsOfPyTorch(boolean backward) {
    return backward ? BACKWARD_KERNELS : FORWARD_KERNELS;
  }
}
