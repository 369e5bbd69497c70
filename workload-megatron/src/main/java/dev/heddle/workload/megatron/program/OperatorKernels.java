package dev.heddle.workload.megatron.program;

/**
 * Kernels of the operators of PyTorch where a model is not compiled: each reads and writes whole tensors. Bytes are
 * those of one element of 16 bits, with what is worked out in 32 bits between.
 */
final class OperatorKernels {
  private OperatorKernels() {}

  /**
   * The root mean square norm [ATen, layer_norm.cpp, rms_norm of 2.5]: conversion to 32 bits (6 bytes an element),
   * square (8), mean (4), product with the root (8), conversion to 16 bits (6), product with the scale (4), and two
   * operators on a number for each token. Its gradients: product with the scale (4), the scale's gradient and its sum
   * (8), conversion (6), product with the root (8), the root's gradient and its sum (16), division (4), power (8), two
   * products (20), sum of both ways (12), conversion (6), and three operators on a number for each token.
   *
   * @param elements of the tensor
   */
  static void norm(StageOps ops, String name, double elements, boolean backward) {
    if (backward) {
      ops.moveByOperators(name, 92 * elements, 13);
      ops.operators(3, false);
    } else {
      ops.moveByOperators(name, 36 * elements, 6);
      ops.operators(2, false);
    }
  }

  /**
   * Rotations of queries and keys as complex numbers [Llama's apply_rotary_emb]: conversion to 32 bits (6 bytes an
   * element), product (8), conversion to 16 bits (6), each of both tensors; gradients alike.
   *
   * @param elements of queries and keys
   */
  static void rotate(StageOps ops, double elements) {
    ops.moveByOperators("positions", 20 * elements, 6);
  }

  /**
   * The gate's activation (4 bytes an element) and its product with the other projection (6); their gradients are two
   * products and the activation's derivative (18).
   *
   * @param elements of a projection
   */
  static void gate(StageOps ops, double elements, boolean backward) {
    ops.moveByOperators("activation", (backward ? 18 : 10) * elements, backward ? 3 : 2);
  }
}
