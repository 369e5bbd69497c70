package dev.heddle.workload.megatron.program;

import dev.heddle.spi.Precision;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.LinearFormat;
import dev.heddle.workload.megatron.model.LatentAttention;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.Parallelism;

/**
 * Sizes of a rank's part of a layer and a micro-batch.
 *
 * @param training the job
 * @param tokens of a micro-batch on this rank, between column- and row-parallel products
 * @param shared tokens of a micro-batch on this rank outside the products, where sequence parallelism divides them
 * @param projected columns of the projection to queries, keys and values
 * @param context columns of attention's result
 */
record LayerSizes(Training training, long tokens, long shared, long projected, long context) {
  /** Bytes of an element of activations. */
  static final int HALF = 2;

  static LayerSizes of(Training training) {
    ModelShape model = training.shape();
    Parallelism parallel = training.parallel();
    int tensor = parallel.tensor();
    long tokens = (long) training.batch().micro() * model.sequence() / parallel.context();
    LatentAttention latent = model.latent().orElse(null);
    long heads = (long) model.heads() / tensor;
    long keyHeads = Math.max(1, model.keyHeads() / tensor);
    long projected = latent == null
        ? heads * model.perHead() + 2 * keyHeads * model.perHead()
        : heads * (latent.keySize() + latent.plainSize() + latent.valueSize());
    return new LayerSizes(
        training, tokens, parallel.sequenceParallel() ? tokens / tensor : tokens, projected,
        heads * (latent == null ? model.perHead() : latent.valueSize()));
  }

  ModelShape model() {
    return training.shape();
  }

  Parallelism parallel() {
    return training.parallel();
  }

  Execution execution() {
    return training.execution();
  }

  int tensor() {
    return parallel().tensor();
  }

  /** Words of the vocabulary on this rank. */
  long words() {
    return (model().vocabulary() + tensor() - 1) / tensor();
  }

  /** Heads of this rank. */
  long heads() {
    return model().heads() / tensor();
  }

  /** Bytes of all tokens' hidden vectors. */
  long hiddenBytes() {
    return HALF * tokens * model().hidden();
  }

  /**
   * Bytes of all tokens' hidden vectors where they are gathered for a product: each rank's share is quantised first
   * [Transformer Engine, module/layernorm_linear.py and distributed.py, gather_along_first_dim].
   */
  long gatheredBytes() {
    return gatheredBytes(model().hidden());
  }

  /** The same of vectors of another size. */
  long gatheredBytes(long columns) {
    LinearFormat format = execution().precision();
    double element = format.quantised() ? format.number().activationBytes() : HALF;
    return Math.round(element * tokens * columns);
  }

  /** Whether each tensor-parallel rank quantises its share of the tokens before they are gathered. */
  boolean quantisesShares() {
    return parallel().sequenceParallel() && execution().precision().quantised();
  }

  /** Whether products read a quantised tensor along either side in a layout of its own, so that both are written. */
  boolean readsBothLayouts() {
    return execution().precision().scaledByBlocks() || training.kernels().transposed();
  }

  /** Heads of keys and values of this rank. */
  long keyHeads() {
    return Math.max(1, model().keyHeads() / tensor());
  }

  /** Elements of a head's query and key. */
  int keySize() {
    return model().latent().map(LatentAttention::keySize).orElse(model().perHead());
  }

  /** Elements of a head's value. */
  int valueSize() {
    return model().latent().map(LatentAttention::valueSize).orElse(model().perHead());
  }

  /** Bytes of the keys and values of the whole sequence, for the heads that a rank computes. */
  long keyBytes() {
    return HALF * tokens * (projected - context) * parallel().keyRanks();
  }

  /** The precision of operations that are not quantised. */
  Precision unquantised() {
    return execution().precision().quantised() ? Precision.BF16 : execution().precision().stated();
  }
}
