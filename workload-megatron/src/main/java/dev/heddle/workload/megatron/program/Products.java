package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import com.google.common.collect.ImmutableSet;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.kernel.ElementFunction;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.LinearFormat;
import dev.heddle.workload.megatron.model.Activation;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.LinearModule;
import dev.heddle.workload.megatron.parallel.LowRankAdapters;
import java.util.List;
import java.util.Optional;

/** Products of a layer with its weights, and their gradients. */
final class Products {
  /** Operators for the clamps of an activation: each projection's and the concatenation. */
  private static final int CLAMPS = 3;
  /** The same of the gradients: three comparisons, both masks in one, two choices and the concatenation. */
  private static final int CLAMP_GRADIENTS = 7;
  /** The first matrix of a layer without experts, of which an activation follows. */
  private static final String UP = "up";
  /** The second one. */
  private static final String DOWN = "down";
  /** Matrices whose input a kernel of their own module normalises [Transformer Engine, LayerNormLinear]. */
  private static final ImmutableSet<String> NORMALISED =
      ImmutableSet.of("qkv", UP, "in-projection", "queries", "keys");
  private static final int SCALE_BYTES = 4;

  /** The kernel that writes a matrix of 16 bits, which a product needs quantised. */
  private enum Producer {
    /** Normalisation, by the module of the product. */
    NORM,
    /** An activation, or its gradients, of a layer without experts. */
    ACTIVATION,
    /** Any other kernel. */
    OTHER
  }

  private final LayerSizes sizes;
  private final Execution execution;
  private final Optional<TensorGathers> gathers;

  /**
   * Prepares the products of a job.
   *
   * @param sizes of a layer
   * @param gathers of its matrices, where they are gathered one at a time
   */
  Products(LayerSizes sizes, Optional<TensorGathers> gathers) {
    this.sizes = sizes;
    this.gathers = gathers;
    execution = sizes.execution();
  }

  /** Adds a product of all tokens with a matrix of weights. */
  void run(StageOps ops, String name, long n, long k) {
    run(ops, name, n, k, false);
  }

  /** Adds a product of the rank's own share of the tokens with a matrix that each tensor-parallel rank has whole. */
  void runShare(StageOps ops, String name, long n, long k) {
    quantise(ops, sizes.shared() * k);
    ops.run(execution.precision().product(name, 1, sizes.shared(), n, k, HALF));
  }

  /** Adds the gradients of its inputs. */
  void shareInputs(StageOps ops, String name, long inputs, long results) {
    quantise(ops, sizes.shared() * results);
    ops.run(execution.precision().product(name + "-inputs", 1, sizes.shared(), inputs, results, HALF));
  }

  /** Adds the gradients of its matrix. */
  void shareWeights(StageOps ops, String name, long rows, long columns) {
    weights(ops, name, sizes.shared(), rows, columns);
  }

  /** Adds a product with a matrix whose rows ranks share, for which all tokens are gathered. */
  void runGathered(StageOps ops, String name, long n, long k) {
    run(ops, name, n, k, true);
  }

  private void run(StageOps ops, String name, long n, long k, boolean gathered) {
    gathers.ifPresent(each -> each.beforeForward(ops, name, ops.activity() == Activity.RECOMPUTE));
    // An adapter beside the matrix needs the gathered tokens in 16 bits.
    if (gathered && sizes.quantisesShares() && adapter(name).isEmpty()) {
      quantiseShare(ops, k, producer(name));
    } else {
      quantise(ops, sizes.tokens() * k, producer(name));
    }
    ops.run(execution.precision().product(name, 1, sizes.tokens(), n, k, HALF));
    adapter(name).ifPresent(rank -> {
      dropout(ops, k);
      adapt(ops, "adapter", rank, k);
      adapt(ops, "adapter", n, rank);
      scale(ops, n);
      ops.move("adapter-sum", 3.0 * HALF * sizes.tokens() * n);
    });
  }

  // The rank of the adapter beside a matrix.
  private Optional<Integer> adapter(String name) {
    return switch (name) {
      case "qkv" -> adapter(LinearModule.LINEAR_QKV);
      case "projection" -> adapter(LinearModule.LINEAR_PROJ);
      case UP -> adapter(LinearModule.LINEAR_FC1);
      case DOWN -> adapter(LinearModule.LINEAR_FC2);
      default -> Optional.empty();
    };
  }

  private Optional<Integer> adapter(LinearModule module) {
    return sizes.training().lora().filter(lora -> lora.modules().contains(module)).map(LowRankAdapters::rank);
  }

  // The result of an adapter, or its gradient, is multiplied by a number in an operator of its own [NeMo and
  // Megatron-Bridge, ParallelLinearAdapter.forward: x * (alpha / dim)].
  private void scale(StageOps ops, long columns) {
    ops.operate(new Kernel.Memory("adapter-scale", 2.0 * HALF * sizes.tokens() * columns), 1);
  }

  // A byte of an element's mask beside what is read and written.
  private void dropout(StageOps ops, long columns) {
    if (sizes.training().lora().filter(LowRankAdapters::dropout).isPresent()) {
      ops.operate(new Kernel.Memory("adapter-dropout", (2.0 * HALF + 1) * sizes.tokens() * columns), 1);
    }
  }

  private void adapt(StageOps ops, String name, long n, long k) {
    ops.run(new Kernel.Gemm(name, 1, sizes.tokens(), n, k, sizes.unquantised(), HALF));
  }

  /**
   * Adds the quantisation of a matrix, which is written in its format in both layouts, one of them for the gradients of
   * weights.
   */
  void quantise(StageOps ops, long elements) {
    quantise(ops, elements, Producer.OTHER);
  }

  private void quantise(StageOps ops, double elements, Producer producer) {
    if (execution.precision().quantised() && !quantises(producer)) {
      cast(ops, elements, quantisedBytes(elements), producer);
    }
  }

  private boolean quantises(Producer producer) {
    return switch (producer) {
      case NORM -> execution.normQuantises();
      case ACTIVATION -> execution.activationQuantises();
      case OTHER -> false;
    };
  }

  private boolean leavesLargest(Producer producer) {
    return switch (producer) {
      case NORM -> execution.normLeavesLargest();
      case ACTIVATION -> execution.activationLeavesLargest();
      case OTHER -> false;
    };
  }

  private void cast(StageOps ops, double elements, double bytes, Producer producer) {
    boolean known = leavesLargest(producer);
    LinearFormat format = execution.precision();
    Kernel cast = new Kernel.Cast("quantise", known ? bytes - format.largestBytes() * elements : bytes);
    if (format != LinearFormat.FP8_CURRENT || known) {
      ops.run(cast);
      return;
    }
    List<Kernel> kernels =
        List.of(new Kernel.Cast("largest", HALF * elements), new Kernel.Memory("scale", SCALE_BYTES), cast);
    ops.run(kernels, 1).launches(kernels.size() - 1.0, false);
  }

  // Kernels of normalisation and activation run in the module of the product that reads their results, unless an
  // adapter beside it reads them too.
  private Producer producer(String name) {
    if (adapter(name).isPresent()) {
      return Producer.OTHER;
    }
    return NORMALISED.contains(name) ? Producer.NORM : name.equals(DOWN) ? Producer.ACTIVATION : Producer.OTHER;
  }

  // Formats with scales of blocks are gathered in the layout that is needed. With one scale for a tensor only rows are
  // gathered, and the other layout is made of all of them [Transformer Engine, supports_only_rowwise_all_gather].
  // Ranks then agree on the largest value of all of them, where it is the scale [Transformer Engine,
  // _customize_quantizers_float8_current_scaling: with_amax_reduction].
  private void quantiseShare(StageOps ops, long columns, Producer producer) {
    double share = (double) sizes.shared() * columns;
    LinearFormat format = execution.precision();
    if (format == LinearFormat.FP8_CURRENT) {
      ops.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_REDUCE, SCALE_BYTES);
    }
    if (!quantises(producer)) {
      cast(ops, share, format.scaledByBlocks()
          ? quantisedBytes(share) : (HALF + format.number().activationBytes()) * share, producer);
    }
  }

  // The layout that only the gradients of weights need, of what was gathered or normalised in the other one.
  private void transpose(StageOps ops, String name, double elements) {
    if (sizes.quantisesShares() || producer(name) == Producer.NORM && execution.normQuantises()) {
      transpose(ops, elements);
    }
  }

  private void transpose(StageOps ops, double elements) {
    if (execution.precision().scaledByTensor() && layouts() == 2) {
      ops.runWeightGradient(
          new Kernel.Cast("transpose", 2 * execution.precision().number().activationBytes() * elements));
    }
  }

  /** Memory traffic of the quantisation of a matrix, in bytes. */
  double quantisedBytes(double elements) {
    return execution.precision().quantisedBytes(layouts()) * elements;
  }

  // One layout, where weights are frozen or products read either.
  private int layouts() {
    return sizes.readsBothLayouts() && sizes.training().lora().isEmpty() ? 2 : 1;
  }

  /** Adds the gradients of a product's inputs; sizes are inputs and results per token. */
  void inputs(StageOps ops, String name, long inputs, long results) {
    inputs(ops, name, inputs, results, false);
  }

  /** Adds the same where the gradients of the results are gathered. */
  void inputsOfGathered(StageOps ops, String name, long inputs, long results) {
    inputs(ops, name, inputs, results, true);
  }

  private void inputs(StageOps ops, String name, long inputs, long results, boolean gathered) {
    gathers.ifPresent(each -> each.beforeBackward(ops, name));
    if (gathered && sizes.quantisesShares()) {
      quantiseShare(ops, results, Producer.OTHER);
    } else {
      quantise(ops, sizes.tokens() * results,
          name.equals(UP) && adapter(UP).isEmpty() ? Producer.ACTIVATION : Producer.OTHER);
    }
    ops.run(execution.precision().product(name + "-inputs", 1, sizes.tokens(), inputs, results, HALF));
    adapter(name).ifPresent(rank -> {
      scale(ops, results);
      adapt(ops, "adapter-inputs", rank, results);
      adapt(ops, "adapter-inputs", inputs, rank);
      dropout(ops, inputs);
      ops.move("adapter-sum", 3.0 * HALF * sizes.tokens() * inputs);
    });
  }

  /** Adds the gradients of a matrix one of whose factors was gathered, with that many columns. */
  void weightsOfGathered(StageOps ops, String name, long rows, long columns, long gathered) {
    transpose(ops, name, (double) sizes.tokens() * gathered);
    weights(ops, name, rows, columns);
  }

  /** Adds the gradients of a matrix of weights, or where it is frozen of the adapter beside it. */
  void weights(StageOps ops, String name, long rows, long columns) {
    weights(ops, name, sizes.tokens(), rows, columns);
  }

  private void weights(StageOps ops, String name, long tokens, long rows, long columns) {
    if (sizes.training().lora().isPresent()) {
      adapter(name).ifPresent(rank -> {
        gradients(ops, rank, columns);
        gradients(ops, rows, rank);
      });
      return;
    }
    ops.runWeightGradient(
        execution.precision().product(name + "-weights", 1, rows, columns, tokens, weightBytes()));
    accumulate(ops, name, (double) rows * columns);
    gathers.ifPresent(each -> each.reduce(ops, name));
  }

  /** Adds the product that gives the logits of all tokens. */
  void logits(StageOps ops, long words) {
    long hidden = sizes.model().hidden();
    quantiseOutput(ops, sizes.tokens() * hidden);
    ops.run(output("logits", new long[] {sizes.tokens(), words, hidden}, HALF));
  }

  /** Adds its gradients: those of the hidden vectors, and of the matrix unless it is frozen. */
  void logitsGradients(StageOps ops, long words, boolean trained) {
    long hidden = sizes.model().hidden();
    quantiseOutput(ops, sizes.tokens() * words);
    ops.run(output("logits-inputs", new long[] {sizes.tokens(), hidden, words}, HALF));
    if (trained) {
      ops.runWeightGradient(output("logits-weights", new long[] {words, hidden, sizes.tokens()}, weightBytes()));
      accumulate(ops, "logits-weights", (double) words * hidden);
    }
  }

  private void quantiseOutput(StageOps ops, long elements) {
    if (execution.quantisedOutput()) {
      quantise(ops, elements);
    }
  }

  private Kernel output(String name, long[] shape, int resultBytes) {
    return execution.quantisedOutput()
        ? execution.precision().product(name, 1, shape[0], shape[1], shape[2], resultBytes)
        : new Kernel.Gemm(name, 1, shape[0], shape[1], shape[2], sizes.unquantised(), resultBytes);
  }

  private void gradients(StageOps ops, long rows, long columns) {
    ops.runWeightGradient(
        new Kernel.Gemm("adapter-weights", 1, rows, columns, sizes.tokens(), sizes.unquantised(), weightBytes()));
    accumulate(ops, "adapter-weights", (double) rows * columns);
  }

  /** Adds the accumulation of gradients where the product does not include it. */
  void accumulate(StageOps ops, String name, double gradients) {
    int kernels = execution.accumulation().kernels();
    double bytes = gradients * (sizes.training().shardedByPyTorch()
        ? execution.accumulation().shardedBytes(execution.gradientBytes())
        : execution.accumulation().addedBytes(execution.gradientBytes()));
    for (int kernel = 0; kernel < kernels; kernel++) {
      ops.runWeightGradient(new Kernel.Memory(name + "-accumulation", bytes / kernels));
    }
  }

  /** Memory traffic of a product for each weight gradient, in bytes. */
  int weightBytes() {
    return execution.accumulation().productBytes(execution.gradientBytes());
  }

  /**
   * Adds the activation function of a number of tokens. Clamps are operators of PyTorch before it: one for each
   * projection and their concatenation; a constant of it is copied from the host, which waits for that
   * [Megatron-Core, fused_bias_geglu.py].
   */
  void activation(StageOps ops, long count, long up, long inner) {
    if (clamps()) {
      ops.move("clamp", 4.0 * HALF * count * up);
      ops.operators(CLAMPS - 1, false);
      ops.reach();
      ops.synchronise();
    }
    if (gatesByOperators()) {
      OperatorKernels.gate(ops, (double) count * inner, false);
    } else {
      ops.run(new Kernel.Elementwise(
          "activation", up > inner ? ElementFunction.GATED_ACTIVATION : ElementFunction.ACTIVATION, count, inner));
    }
  }

  /**
   * Adds the gradients of the activation function. Those of the clamps compare again, with one bound of the gate and
   * both of the other projection, choose by masks of a byte an element, and are concatenated.
   */
  void activationGradients(StageOps ops, long count, long up, long inner) {
    if (gatesByOperators()) {
      OperatorKernels.gate(ops, (double) count * inner, true);
    } else {
      ops.run(new Kernel.Elementwise("activation",
          up > inner ? ElementFunction.GATED_ACTIVATION_GRADIENT : ElementFunction.ACTIVATION_GRADIENT, count, inner));
    }
    if (clamps()) {
      int chosen = 2 * HALF + 1;
      int compared = HALF + 1;
      ops.move("clamp", (double) count * (inner * (3 * compared + 3 + 2 * chosen) + 2 * HALF * up));
      ops.operators(CLAMP_GRADIENTS - 1, false);
    }
  }

  /**
   * Adds the activation of a layer without experts, whose kernel may write what the next product reads [Megatron-Core,
   * TEFusedMLP].
   */
  void fusedActivation(StageOps ops, long up, long inner) {
    if (execution.activationQuantises() && adapter(DOWN).isEmpty()) {
      ops.run(new Kernel.Cast("activation", sizes.tokens() * (HALF * up + written(inner))));
    } else {
      activation(ops, sizes.tokens(), up, inner);
    }
  }

  /** Adds its gradients, by a kernel of Transformer Engine. */
  void fusedActivationGradients(StageOps ops, long up, long inner) {
    if (execution.activationQuantises() && adapter(UP).isEmpty()) {
      ops.run(new Kernel.Cast("activation", sizes.tokens() * (HALF * (inner + up) + written(up))));
      // Both factors of the gradients of weights were written by rows alone, the activation's result and these.
      transpose(ops, (double) sizes.tokens() * (inner + up));
    } else {
      ops.run(new Kernel.Elementwise("activation", up > inner
          ? ElementFunction.FUSED_GATED_ACTIVATION_GRADIENT : ElementFunction.ACTIVATION_GRADIENT, sizes.tokens(),
          inner));
    }
  }

  // Rows alone where the scale is the tensor's: the other layout is made of them.
  private double written(long columns) {
    LinearFormat format = execution.precision();
    return (format.scaledByBlocks() ? layouts() : 1) * format.number().activationBytes() * columns;
  }

  private boolean gatesByOperators() {
    return execution.runsOperators() && sizes.model().activation() == Activation.SWIGLU;
  }

  private boolean clamps() {
    return sizes.model().activation() == Activation.CLAMPED_SWIGLU;
  }
}
