package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.model.StateSpace;
import dev.heddle.workload.megatron.parallel.GroupKind;

/**
 * Kernels of one rank for a Mamba-2 mixer between its projections: the causal convolution, the recurrence in chunks,
 * whose pairs of tokens are products of matrices and between which states are passed on [Dao and Gu 2024, §6], and the
 * gated normalisation. The recurrence is five kernels forward: sums of time steps, scores of each group, states of each
 * chunk, passing of states, and output [mamba_ssm, ssd_combined]. The backward pass computes the convolution and the
 * first four again, and two gradients for each product, those of decays apart.
 *
 * <p>Tensor-parallel ranks divide heads and groups. Context-parallel ranks divide the sequence outside and the heads
 * inside of the mixer, and exchange tokens for heads before and behind it [Megatron-Core, MambaContextParallel].
 */
final class StateSpacePasses {
  private static final int FULL = 4;
  /**
   * Elements read and written for each of all heads: the scan reads the gate and writes its result before and after it
   * (2 more), the normalisation reads and writes (2); their gradients are of the gate, for which both, the scan's
   * result and the output's gradient are read and two gradients written (5), and of the normalisation (3) [mamba_ssm,
   * ssd_combined: chunk_scan_bwd_dz].
   */
  private static final double GATED = 4;
  private static final double GATED_GRADIENTS = 8;

  private final LayerSizes sizes;
  private final StateSpace mixer;
  private final long heads;
  private final long groups;
  private final long chunk;
  private final long chunks;
  private final double headElements;
  private final double groupElements;
  private final double states;

  StateSpacePasses(LayerSizes sizes, StateSpace mixer) {
    this.sizes = sizes;
    this.mixer = mixer;
    heads = mixer.heads() / sizes.tensor();
    groups = mixer.groups() / sizes.tensor();
    chunk = Math.min(mixer.chunk(), sizes.model().sequence());
    chunks = Math.max(1, (sizes.tokens() + chunk - 1) / chunk);
    headElements = (double) sizes.tokens() * heads * mixer.headSize();
    groupElements = (double) sizes.tokens() * groups * mixer.state();
    states = (double) chunks * heads * mixer.headSize() * mixer.state();
  }

  /** Columns of the first projection on this rank. */
  long columns() {
    return mixer.columns() / sizes.tensor();
  }

  /** Elements of all heads of this rank, which are the rows of the last projection. */
  long inner() {
    return mixer.inner() / sizes.tensor();
  }

  /** Bytes of the activations that the backward pass needs, but the input of the first projection. */
  double keptBytes() {
    // Results of the projection, the recurrence's, and the normalised one.
    return (double) HALF * sizes.tokens() * (columns() + 2 * inner());
  }

  /** Adds the kernels between the projections. */
  void forward(StageOps ops) {
    exchange(ops, columns());
    reorder(ops, columns());
    ops.run(convolution(false));
    steps(ops);
    scores(ops);
    chunkStates(ops);
    output(ops, "scan");
    reorder(ops, inner());
    ops.move("gated-norm", GATED * HALF * headElements);
    exchange(ops, inner());
  }

  // The mixer's kernels need one sequence after the other, where Megatron's layers have a micro-batch's tokens of one
  // position beside each other [Megatron-Core, mamba_mixer.py: _ssm_training].
  private void reorder(StageOps ops, long elements) {
    if (sizes.training().batch().micro() > 1) {
      ops.move("reorder", 2.0 * HALF * sizes.tokens() * elements);
    }
  }

  /** Adds the gradients of the kernels between the projections. */
  void backward(StageOps ops) {
    exchange(ops, inner());
    ops.move("gated-norm", GATED_GRADIENTS * HALF * headElements);
    reorder(ops, inner());
    ops.repeat(() -> {
      ops.run(convolution(false));
      steps(ops);
      scores(ops);
      chunkStates(ops);
    });
    // States: of the output's gradients, and passed backwards.
    states(ops, "scan-states-gradient");
    ops.move("scan-passing", (HALF + 2.0 * FULL) * states);
    // Inputs, by scores and by states, which are read for the gradients of time steps.
    output(ops, "scan-inputs");
    // Both matrices of the state, by states and by scores.
    long m = chunk;
    ops.run(shared("scan-matrix", heads, m, mixer.state(), mixer.headSize(),
        HALF * (headElements + states) + FULL * groupElements));
    ops.run(shared("scan-matrix", heads, m, mixer.state(), mixer.headSize(),
        HALF * (headElements + states) + FULL * groupElements));
    // Gradients of the scores, and of the decays between tokens, each by the same products of outputs' gradients and
    // inputs.
    for (int gradient = 0; gradient < 2; gradient++) {
      ops.run(shared("scan-scores-gradient", heads, m, m / 2 + m % 2, mixer.headSize(),
          2.0 * HALF * headElements + (double) FULL * chunks * groups * m * m / 2));
    }
    for (int matrix = 0; matrix < 2; matrix++) {
      ops.run(new Kernel.Gemm(
          "scan-matrix-scores", chunks * groups, m, mixer.state(), m, sizes.unquantised(), HALF));
    }
    ops.run(convolution(true));
    reorder(ops, columns());
    exchange(ops, columns());
  }

  private void exchange(StageOps ops, long elements) {
    if (sizes.parallel().context() > 1) {
      GroupKind all = sizes.parallel().keyRanks() == 1 ? GroupKind.CONTEXT_HEADS : GroupKind.CONTEXT;
      ops.blocking(Activity.CONTEXT, all, CollectiveOp.ALL_TO_ALL, HALF * sizes.tokens() * elements);
    }
  }

  private Kernel convolution(boolean backward) {
    long sequences = sizes.training().batch().micro();
    return new Kernel.Convolution("convolution", sequences, sizes.tokens() / sequences, sizes.tensor(),
        sizes.model().hidden(), mixer, backward);
  }

  // Time steps of 16 bits become steps and sums of decays of 32.
  private void steps(StageOps ops) {
    ops.move("scan-steps", (HALF + 2.0 * FULL) * sizes.tokens() * heads);
  }

  // Products of both matrices of the state for all pairs of a chunk's tokens, for each group.
  private void scores(StageOps ops) {
    ops.run(new Kernel.Gemm(
        "scan-scores", chunks * groups, chunk, chunk, mixer.state(), sizes.unquantised(), FULL));
  }

  // States at the end of each chunk in 32 bits, which are passed on and written in 16.
  private void chunkStates(StageOps ops) {
    states(ops, "scan-states");
    ops.move("scan-passing", ((double) FULL + HALF) * states);
  }

  private void states(StageOps ops, String name) {
    ops.run(shared(name, heads, mixer.headSize(), mixer.state(), chunk,
        HALF * (headElements + groupElements) + FULL * states));
  }

  // Results of a chunk by its first state and by the scores of its tokens, half of which are masked.
  private void output(StageOps ops, String name) {
    ops.run(shared(name, heads, chunk, mixer.headSize(), mixer.state() + chunk / 2,
        HALF * (2 * headElements + groupElements + states) + (double) FULL * chunks * groups * chunk * chunk / 2));
  }

  private Kernel shared(String name, long perChunk, long m, long n, long k, double bytes) {
    return new Kernel.SharedFactors(
        new Kernel.Gemm(name, chunks * perChunk, m, n, k, sizes.unquantised(), HALF), bytes);
  }
}
