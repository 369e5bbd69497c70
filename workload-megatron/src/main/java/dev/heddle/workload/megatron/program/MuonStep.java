package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.Precision;
import dev.heddle.workload.megatron.job.LayerShare;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.model.Experts;
import dev.heddle.workload.megatron.model.LatentAttention;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.model.StateSpace;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Muon's step for the matrices of a stage. Each matrix belongs to one of the ranks that share the optimizer's states,
 * the greatest first to the rank that has the least; the busiest rank counts, that of experts apart. Its matrices are
 * made orthogonal in 16 bits; tensor-parallel ranks gather the momentum of a matrix and do the same [Megatron-Core,
 * layer_wise_optimizer.py and muon.py, tp_mode duplicated; emerging_optimizers, muon_utils.py].
 */
final class MuonStep {
  private static final int STEPS = 5;
  private static final int FULL = 4;
  /**
   * Bytes of elementwise kernels for an element, in 32 bits: momentum (12) and Nesterov's sum (12), norm (4) and
   * division by it (8), conversion to 16 bits (6) and back (6), decay of the weight (8), its step (12) and copy to 16
   * bits (6).
   */
  private static final int ELEMENTWISE = 12 + 12 + 4 + 8 + 6 + 6 + 8 + 12 + 6;
  private static final int ELEMENTWISE_KERNELS = 9;

  private final ModelShape model;
  private final Parallelism parallel;
  private final LayerShare share;
  private final RankGrid grid;

  /**
   * A matrix of a layer.
   *
   * @param rows of all tensor-parallel ranks
   * @param columns of all tensor-parallel ranks
   * @param expert whether it is one of an expert's
   */
  private record Matrix(long rows, long columns, boolean expert) {
    long elements() {
      return rows * columns;
    }
  }

  MuonStep(Training training, RankGrid grid) {
    this.grid = grid;
    model = training.shape();
    parallel = training.parallel();
    share = new LayerShare(training);
  }

  /** Elements of a stage's matrices on one tensor-parallel rank. */
  long elements(int stage) {
    return matrices(stage).stream().mapToLong(each -> each.elements() / tensor(each.expert())).sum();
  }

  /** Adds the step of the matrices that the busiest rank of a stage owns. */
  void add(StageOps ops, int stage) {
    List<Matrix> all = matrices(stage);
    boolean shared = parallel.sharding().optimizer();
    for (boolean expert : new boolean[] {false, true}) {
      int owners = shared ? grid.size(expert ? GroupKind.EXPERT_DATA : GroupKind.DATA) : 1;
      busiest(all.stream().filter(each -> each.expert() == expert).toList(), owners).forEach(each -> step(ops, each));
    }
  }

  private int tensor(boolean expert) {
    return expert ? parallel.tensorOfExperts() : parallel.tensor();
  }

  private static List<Matrix> busiest(List<Matrix> matrices, int owners) {
    List<List<Matrix>> owned = IntStream.range(0, owners).mapToObj(owner -> (List<Matrix>) new ArrayList<Matrix>())
        .toList();
    long[] load = new long[owners];
    matrices.stream().sorted(Comparator.comparingLong(Matrix::elements).reversed()).forEach(matrix -> {
      int least = IntStream.range(0, owners).boxed().min(Comparator.comparingLong(owner -> load[owner])).orElseThrow();
      load[least] += matrix.elements();
      owned.get(least).add(matrix);
    });
    int most = IntStream.range(0, owners).boxed().max(Comparator.comparingLong(owner -> load[owner])).orElseThrow();
    return owned.get(most);
  }

  private void step(StageOps ops, Matrix matrix) {
    int tensor = tensor(matrix.expert());
    if (tensor > 1) {
      ops.blocking(
          Activity.OPTIMIZER, GroupKind.TENSOR, CollectiveOp.ALL_GATHER,
          FULL * matrix.elements());
    }
    long small = Math.min(matrix.rows(), matrix.columns());
    long great = Math.max(matrix.rows(), matrix.columns());
    ops.operate(new Kernel.Gemm("muon-gram", 1, small, small, great, Precision.BF16, HALF), STEPS);
    ops.operate(new Kernel.Gemm("muon-square", 1, small, small, small, Precision.BF16, HALF), STEPS);
    ops.operate(new Kernel.Gemm("muon-product", 1, small, great, small, Precision.BF16, HALF), STEPS);
    ops.moveByOperators(
        "muon-elementwise", (double) ELEMENTWISE * matrix.elements() / tensor, ELEMENTWISE_KERNELS);
  }

  private List<Matrix> matrices(int stage) {
    return IntStream.range(0, parallel.chunks()).mapToObj(chunk -> share.layers(stage, chunk))
        .flatMapToInt(range -> IntStream.range(range[0], range[1])).boxed().flatMap(this::layer).toList();
  }

  private Stream<Matrix> layer(int layer) {
    List<Matrix> matrices = new ArrayList<>();
    if (model.kind(layer).attends()) {
      attention(matrices);
    } else if (model.kind(layer).scans()) {
      StateSpace mixer = model.stateSpace().orElseThrow();
      matrices.add(dense(mixer.columns(), model.hidden()));
      matrices.add(dense(model.hidden(), mixer.inner()));
    }
    if (model.mixes(layer)) {
      Experts experts = model.experts().orElseThrow();
      matrices.add(dense(experts.count(), model.hidden()));
      experts.latent().ifPresent(vector -> {
        matrices.add(dense(vector, model.hidden()));
        matrices.add(dense(model.hidden(), vector));
      });
      block(matrices, experts.sharedFfn(), false);
      for (int expert = 0; expert < experts.count() / parallel.expert(); expert++) {
        block(matrices, experts.ffn(), true);
      }
    } else if (model.kind(layer).dense()) {
      block(matrices, model.inner(), false);
    }
    return matrices.stream();
  }

  private void attention(List<Matrix> matrices) {
    long hidden = model.hidden();
    LatentAttention latent = model.latent().orElse(null);
    if (latent == null) {
      matrices.add(dense((model.heads() + 2L * model.keyHeads()) * model.perHead(), hidden));
      matrices.add(dense(hidden, (long) model.heads() * model.perHead()));
      return;
    }
    matrices.add(dense(latent.queryRank(), hidden));
    matrices.add(dense((long) model.heads() * latent.keySize(), latent.queryRank()));
    matrices.add(dense(latent.keyRank() + latent.ropeSize(), hidden));
    matrices.add(dense((long) model.heads() * (latent.plainSize() + latent.valueSize()), latent.keyRank()));
    matrices.add(dense(hidden, (long) model.heads() * latent.valueSize()));
  }

  private void block(List<Matrix> matrices, long inner, boolean expert) {
    if (inner > 0) {
      long vector = expert ? model.expertVector() : model.hidden();
      matrices.add(new Matrix(model.activation().projections() * inner, vector, expert));
      matrices.add(new Matrix(vector, inner, expert));
    }
  }

  private static Matrix dense(long rows, long columns) {
    return new Matrix(rows, columns, false);
  }
}
