package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import dev.heddle.spi.Precision;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.parallel.Execution;

/** The products of a layer with its weights, and the gradients that they make. */
final class Products {
  private final LayerSizes sizes;
  private final Execution execution;

  Products(LayerSizes sizes) {
    this.sizes = sizes;
    execution = sizes.execution();
  }

  /** A product of all tokens with a matrix of weights. */
  void run(StageOps pieces, String name, long n, long k) {
    quantise(pieces, sizes.tokens() * k);
    pieces.run(new Kernel.Gemm(name, 1, sizes.tokens(), n, k, execution.precision(), HALF));
  }

  /** A matrix is read, and written in 8 bits as it is and transposed. */
  void quantise(StageOps pieces, long elements) {
    if (execution.precision() == Precision.FP8) {
      pieces.move("quantise", (double) (HALF + 2) * elements);
    }
  }

  /** The gradients of a product's inputs, of which a token has so many, from those of its results. */
  void inputs(StageOps pieces, String name, long inputs, long results) {
    quantise(pieces, sizes.tokens() * results);
    pieces.run(new Kernel.Gemm(name + "-inputs", 1, sizes.tokens(), inputs, results, execution.precision(), HALF));
  }

  /** The gradients of a matrix of weights. */
  void weights(StageOps pieces, String name, long rows, long columns) {
    pieces.weight(
        new Kernel.Gemm(name + "-weights", 1, rows, columns, sizes.tokens(), execution.precision(), weightBytes()));
    accumulate(pieces, name, (double) rows * columns);
  }

  /** Adds gradients up where the product that made them does not. */
  void accumulate(StageOps pieces, String name, double gradients) {
    int kernels = execution.accumulation().kernels();
    double bytes = gradients * (sizes.training().shardedByPyTorch()
        ? execution.accumulation().shardedBytes(execution.gradientBytes())
        : execution.accumulation().addedBytes(execution.gradientBytes()));
    for (int kernel = 0; kernel < kernels; kernel++) {
      pieces.weight(new Kernel.Memory(name + "-accumulation", bytes / kernels));
    }
  }

  /** Bytes that a product moves for each gradient of a weight that it makes. */
  int weightBytes() {
    return execution.accumulation().productBytes(execution.gradientBytes());
  }

  /** What the activation function reads and writes of so many tokens. */
  void activation(StageOps pieces, long count, long up, long inner) {
    pieces.move("activation", (double) HALF * count * (up + inner));
  }
}
