package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.KernelTimes;
import dev.heddle.workload.megatron.model.Experts;
import dev.heddle.workload.megatron.model.LatentAttention;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.RankGrid;
import dev.heddle.workload.megatron.parallel.Recompute;
import java.util.List;
import java.util.Optional;

/**
 * What one rank does for a layer and a micro-batch: the kernels of Megatron's transformer layer, and between them the
 * collectives of tensor, sequence, context and expert parallelism [Shoeybi et al.; Korthikanti et al. §4].
 */
final class LayerPasses {
  private final LayerSizes sizes;
  private final ModelShape model;
  private final Execution execution;
  private final KernelTimes times;
  private final Products products;
  private final TensorExchanges exchanges;
  private final AttentionCore attention;
  private final Optional<ExpertPasses> experts;

  LayerPasses(Training training, KernelTimes times, RankGrid grid) {
    this.times = times;
    sizes = LayerSizes.of(training);
    model = training.shape();
    execution = training.execution();
    products = new Products(sizes);
    exchanges = new TensorExchanges(sizes);
    attention = new AttentionCore(sizes);
    experts = model.experts().map(each -> new ExpertPasses(sizes, products, each, grid));
  }

  StageOps pieces() {
    return new StageOps(times, execution);
  }

  LayerSizes sizes() {
    return sizes;
  }

  Products products() {
    return products;
  }

  /**
   * The forward pass of a layer.
   *
   * @param layer from 0
   * @param paired whether a backward pass of another micro-batch runs with it, whose computation hides the exchange of
   *     tokens; the model lets the pass's own computation hide it, which has the same parts
   */
  List<StageOp> forward(int layer, boolean paired) {
    StageOps pieces = pieces();
    forward(pieces, layer, paired);
    return pieces.list();
  }

  /** The backward pass of a layer, with the forward parts that it computes again, or a part of it. */
  List<StageOp> backward(int layer, StageOps.Part part, boolean paired) {
    StageOps pieces = pieces().only(part);
    if (execution.recompute() == Recompute.FULL) {
      pieces.count(Activity.RECOMPUTE);
      recompute(pieces, layer);
      pieces.count(Activity.COMPUTE);
    }
    if (paired && model.mixes(layer)) {
      backwardBlock(pieces, layer, () -> backwardAttention(pieces, layer), true);
    } else {
      backwardBlock(pieces, layer, () -> {}, false);
      backwardAttention(pieces, layer);
    }
    return pieces.list();
  }

  private void recompute(StageOps pieces, int layer) {
    if (model.mixes(layer) || !sizes.training().stopsEarly()) {
      forward(pieces, layer, false);
      return;
    }
    forwardAttention(pieces, layer);
    norm(pieces, "norm2", false);
    innerProduct(pieces, "", model.inner());
  }

  private void forward(StageOps pieces, int layer, boolean paired) {
    if (paired && model.mixes(layer)) {
      forwardBlock(pieces, layer, () -> forwardAttention(pieces, layer), true);
    } else {
      forwardAttention(pieces, layer);
      forwardBlock(pieces, layer, () -> {}, false);
    }
  }

  private void forwardAttention(StageOps pieces, int layer) {
    norm(pieces, "norm", false);
    exchanges.gather(pieces, () -> projections(pieces));
    attention.forward(pieces, layer);
    exchanges.scatter(pieces, () -> products.run(pieces, "projection", model.hidden(), sizes.context()));
    residual(pieces);
  }

  private void forwardBlock(StageOps pieces, int layer, Runnable attention, boolean paired) {
    norm(pieces, "norm2", false);
    if (model.mixes(layer)) {
      experts.orElseThrow().forward(pieces, attention, paired);
      model.experts().map(Experts::sharedFfn).filter(size -> size > 0)
          .ifPresent(size -> dense(pieces, "shared-", size));
    } else {
      dense(pieces, "", model.inner());
    }
    residual(pieces);
  }

  /** Normalises the tokens that this rank shares, or works out the gradients of that. */
  void norm(StageOps pieces, String name, boolean backward) {
    pieces.run(new Kernel.Norm(name, execution.norm(), sizes.shared(), model.hidden(), backward));
  }

  private void residual(StageOps pieces) {
    pieces.move("residual", (3.0 * HALF + (execution.dropout() ? 1 : 0)) * sizes.shared() * model.hidden());
  }

  private void dense(StageOps pieces, String prefix, int size) {
    innerProduct(pieces, prefix, size);
    exchanges.scatter(pieces, () -> products.run(pieces, prefix + "down", model.hidden(), size / sizes.tensor()));
  }

  private void innerProduct(StageOps pieces, String prefix, int size) {
    long inner = size / sizes.tensor();
    long up = model.activation().projections() * inner;
    exchanges.gather(pieces, () -> products.run(pieces, prefix + "up", up, model.hidden()));
    products.activation(pieces, sizes.tokens(), up, inner);
  }

  private void projections(StageOps pieces) {
    long moved = sizes.tokens() * sizes.projected();
    LatentAttention latent = model.latent().orElse(null);
    if (latent == null) {
      products.run(pieces, "qkv", sizes.projected(), model.hidden());
      // Queries and keys are copied into the layout of the scores, or rotated.
      pieces.move("positions", 2.0 * HALF * moved * 2 / 3);
      return;
    }
    products.run(pieces, "latent", latent.queryRank() + latent.keyRank() + latent.ropeSize(), model.hidden());
    products.run(pieces, "queries", sizes.heads() * latent.keySize(), latent.queryRank());
    products.run(pieces, "keys", sizes.heads() * (latent.plainSize() + latent.valueSize()), latent.keyRank());
    pieces.move("positions", 2.0 * HALF * moved);
  }

  private void backwardBlock(StageOps pieces, int layer, Runnable attention, boolean paired) {
    backwardResidual(pieces);
    if (model.mixes(layer)) {
      model.experts().map(Experts::sharedFfn).filter(size -> size > 0).ifPresent(size -> backwardDense(pieces, size));
      experts.orElseThrow().backward(pieces, attention, paired);
    } else {
      backwardDense(pieces, model.inner());
    }
    backwardNorm(pieces);
  }

  private void backwardDense(StageOps pieces, int size) {
    long inner = size / sizes.tensor();
    long up = model.activation().projections() * inner;
    backwardRow(pieces, "down", inner);
    pieces.move("activation", (double) HALF * sizes.tokens() * (2 * up + inner));
    bias(pieces, up);
    backwardColumn(pieces, "up", up);
  }

  private void backwardAttention(StageOps pieces, int layer) {
    backwardResidual(pieces);
    backwardRow(pieces, "projection", sizes.context());
    attention.backward(pieces, layer);
    pieces.move("positions", 2.0 * HALF * sizes.tokens() * sizes.projected() * 2 / 3);
    bias(pieces, sizes.projected());
    LatentAttention latent = model.latent().orElse(null);
    if (latent == null) {
      backwardColumn(pieces, "qkv", sizes.projected());
    } else {
      exchanges.backwardColumn(pieces, () -> latent(pieces, latent, true), () -> latent(pieces, latent, false));
    }
    backwardNorm(pieces);
  }

  private void latent(StageOps pieces, LatentAttention latent, boolean inputs) {
    long[][] matrices = {
        {sizes.heads() * latent.keySize(), latent.queryRank()},
        {sizes.heads() * (latent.plainSize() + latent.valueSize()), latent.keyRank()},
        {latent.queryRank() + latent.keyRank() + latent.ropeSize(), model.hidden()}
    };
    for (long[] size : matrices) {
      if (inputs) {
        pieces.run(
            new Kernel.Gemm("latent-inputs", 1, sizes.tokens(), size[1], size[0], execution.precision(), HALF));
      } else {
        products.weights(pieces, "latent", size[0], size[1]);
      }
    }
  }

  // The gradient that passed by the block is added to that which passed through it.
  private void backwardNorm(StageOps pieces) {
    norm(pieces, "norm", true);
    pieces.move("residual", 3.0 * HALF * sizes.shared() * model.hidden());
  }

  private void backwardResidual(StageOps pieces) {
    if (execution.dropout()) {
      pieces.move("dropout", (2.0 * HALF + 1) * sizes.shared() * model.hidden());
    }
    if (model.bias()) {
      pieces.move("bias", (double) HALF * sizes.shared() * model.hidden());
    }
  }

  private void bias(StageOps pieces, long columns) {
    if (model.bias()) {
      pieces.move("bias", (double) HALF * sizes.tokens() * columns);
    }
  }

  private void backwardRow(StageOps pieces, String name, long inner) {
    exchanges.backwardRow(pieces);
    products.inputs(pieces, name, inner, model.hidden());
    products.weights(pieces, name, model.hidden(), inner);
  }

  private void backwardColumn(StageOps pieces, String name, long columns) {
    exchanges.backwardColumn(pieces, () -> products.inputs(pieces, name, model.hidden(), columns),
        () -> products.weights(pieces, name, columns, model.hidden()));
  }
}
