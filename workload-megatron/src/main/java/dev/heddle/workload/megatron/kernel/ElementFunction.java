package dev.heddle.workload.megatron.kernel;

import dev.heddle.kernel.KernelKind;

/** A function that a kernel computes element by element, with the elements that it reads and writes for one. */
public enum ElementFunction {
  /** The sum of two matrices. */
  SUM(3, KernelKind.ADD),
  /** An activation of one projection. */
  ACTIVATION(2, KernelKind.GELU_FORWARD),
  /** Its gradient. */
  ACTIVATION_GRADIENT(3, KernelKind.GELU_BACKWARD),
  /** An activation of two projections, of which one is the gate. */
  GATED_ACTIVATION(3, KernelKind.SWIGLU_FORWARD),
  /** Its gradients, laid side by side by a kernel that PyTorch compiles. */
  GATED_ACTIVATION_GRADIENT(5, KernelKind.SWIGLU_BACKWARD),
  /** Its gradients by a kernel of Transformer Engine, which works each of them out once. */
  FUSED_GATED_ACTIVATION_GRADIENT(5, KernelKind.SWIGLU_BACKWARD);

  private final int elements;
  private final KernelKind measured;

  ElementFunction(int elements, KernelKind measured) {
    this.elements = elements;
    this.measured = measured;
  }

  /** Elements read and written for each of the result. */
  int elements() {
    return elements;
  }

  /** The kind of kernel in the library. */
  KernelKind measured() {
    return measured;
  }
}
