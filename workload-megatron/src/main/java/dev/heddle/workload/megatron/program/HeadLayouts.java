package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import dev.heddle.workload.megatron.kernel.AttentionKernel;
import dev.heddle.workload.megatron.kernel.NormKernel;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.model.Positions;
import dev.heddle.workload.megatron.parallel.Execution;

/**
 * Kernels between the projection and attention: rotations of queries and keys, and copies to another layout of memory.
 * Gradients run through their inverses.
 */
final class HeadLayouts {
  /**
   * Elements read and written for each of queries and keys by rotations that scale, and their operators: two products,
   * negation of half, its concatenation, sum and copy (12), and six of the tables of cosines and sines; for the
   * gradients two products, negation of half, concatenation, their sum, zeros for the empty rest of a head and the sum
   * with them (14).
   */
  private static final int YARN_ELEMENTS = 12;
  private static final int YARN_OPERATORS = 12;
  private static final int YARN_GRADIENT_ELEMENTS = 14;
  private static final int YARN_GRADIENT_OPERATORS = 7;
  /** Bytes of a copied element. */
  private static final double COPIED = 2.0 * HALF;

  private final LayerSizes sizes;
  private final ModelShape model;
  private final Execution execution;
  private final boolean engine;
  private final double queries;
  private final double keys;

  HeadLayouts(LayerSizes sizes) {
    this.sizes = sizes;
    model = sizes.model();
    execution = sizes.execution();
    engine = execution.norm() != NormKernel.FUSED;
    queries = (double) sizes.tokens() * sizes.heads() * sizes.keySize();
    keys = (double) sizes.tokens() * sizes.keyHeads() * sizes.keySize();
  }

  /** Adds what is between the projection and attention. */
  void forward(StageOps ops) {
    if (rotatesAtOnce()) {
      rotateAtOnce(ops);
      copyForFlash(ops);
      return;
    }
    if (engine) {
      groupQueries(ops);
    }
    rotate(ops, false);
    arrange(ops);
  }

  /** Adds what is between the gradients of attention and those of the projection. */
  void backward(StageOps ops) {
    if (model.latent().isPresent()) {
      latentGradients(ops);
      return;
    }
    if (rotatesAtOnce()) {
      rotateAtOnce(ops);
      return;
    }
    rotate(ops, true);
    // Transformer Engine concatenates gradients that do not lie in one tensor, as PyTorch does all [Transformer Engine,
    // SplitAlongDim.backward; torch.split, torch.chunk].
    if (packed() && !inOneTensor()) {
      copy(ops, queries + 2 * keys);
    }
  }

  // torchtitan and its like project queries, keys and values by products of their own.
  private boolean packed() {
    return engine || !execution.fusedAttention() || !rotates();
  }

  private boolean rotates() {
    return model.positions() == Positions.ROTARY || model.positions() == Positions.YARN;
  }

  // cuDNN reads and writes queries, keys and values where the projection put them; for FlashAttention they are copied
  // at once, and their gradients back into one tensor [Transformer Engine, get_qkv_layout and _PrepareQKVForFA].
  private boolean inOneTensor() {
    return engine && execution.fusedAttention() && !inParts() && !flash();
  }

  private boolean inParts() {
    return rotates() || grouped();
  }

  private boolean grouped() {
    return sizes.keyHeads() < sizes.heads();
  }

  private boolean flash() {
    return execution.attention() == AttentionKernel.FLASH_1 || execution.attention() == AttentionKernel.FLASH_2;
  }

  // The heads of a group of queries follow each other, with the group's key and value between groups; that they become
  // one dimension copies them [Megatron-Core, SelfAttention.get_query_key_value_tensors].
  private void groupQueries(StageOps ops) {
    if (grouped() && (sizes.keyHeads() > 1 || !rotates())) {
      copy(ops, queries);
    }
  }

  private void arrange(StageOps ops) {
    if (!execution.fusedAttention()) {
      // The result's heads are gathered for each token [Megatron-LM, CoreAttention: permute and contiguous].
      copy(ops, (double) sizes.tokens() * sizes.context());
      return;
    }
    if (!engine) {
      return;
    }
    // No layout covers dense queries or keys beside others that are not: these are copied [Transformer Engine,
    // get_qkv_layout].
    if (rotates()) {
      copy(ops, keys);
    } else if (grouped()) {
      copy(ops, 2 * keys);
    }
    copyForFlash(ops);
  }

  private void copyForFlash(StageOps ops) {
    if (flash() && (!inParts() || sizes.training().batch().micro() > 1)) {
      copy(ops, queries + 2 * keys);
    }
  }

  private void rotateAtOnce(StageOps ops) {
    ops.move("positions", COPIED * (queries + 2 * keys));
  }

  // The kernel reads the projection and writes dense queries, keys and values; its inverse writes the projection's
  // gradients [Megatron-Core, fused_apply_rotary_pos_emb for a single qkv; Transformer Engine, fused_qkv_rope].
  private boolean rotatesAtOnce() {
    return execution.fusedRotation();
  }

  // Rotations that scale are no kernel of Transformer Engine but operators of PyTorch [Megatron-Core, rope_utils.py]:
  // products with cosines and sines, of which the second is of halves that were negated and concatenated, their sum and
  // a copy of it.
  private void rotate(StageOps ops, boolean backward) {
    if (model.positions() == Positions.YARN) {
      int elements = backward ? YARN_GRADIENT_ELEMENTS : YARN_ELEMENTS;
      long heads = sizes.heads() + sizes.keyHeads();
      ops.move("positions", (double) elements * HALF * sizes.tokens() * heads * model.perHead());
      ops.operators(2 * (backward ? YARN_GRADIENT_OPERATORS : YARN_OPERATORS) - 1, false);
    } else if (model.positions() == Positions.ROTARY && execution.runsOperators()) {
      OperatorKernels.rotate(ops, queries + keys);
    } else if (model.positions() == Positions.ROTARY) {
      ops.move("positions", COPIED * (queries + keys));
    }
  }

  private void latentGradients(StageOps ops) {
    if (model.positions() == Positions.YARN || execution.runsOperators()) {
      rotate(ops, true);
    } else {
      ops.move("positions", COPIED * sizes.tokens() * sizes.projected() * 2 / 3);
    }
  }

  private static void copy(StageOps ops, double elements) {
    ops.move("layout", COPIED * elements);
  }
}
