package dev.heddle.training;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.LinkedHashMultiset;
import com.google.common.collect.Multiset;
import com.google.common.collect.Multisets;
import dev.heddle.fabric.Fabric;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.Batch;
import dev.heddle.workload.megatron.parallel.ContextExchange;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.PipelineOrder;
import dev.heddle.workload.megatron.parallel.Recompute;
import dev.heddle.workload.megatron.parallel.Sharding;
import dev.heddle.workload.megatron.program.Iteration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A search over all divisions of a job on a machine. Tensor parallelism stays within a node; divisions that leave a
 * remainder, do not fit the memory or are refused otherwise are left out.
 */
public final class TrainingSearch {
  private static final int[] MICRO = {1, 2, 4, 8, 16};
  private static final int[] CHUNKS = {1, 2, 3, 4, 6, 8, 12};
  private static final int LONG_SEQUENCE = 8192;

  private final Fabric fabric;
  private final TabulatedTimes times;
  private final int ranks;
  private final int perNode;
  private final double memoryShare;

  /**
   * The result of a search.
   *
   * @param candidates fastest first
   * @param front candidates that no other one beats in both time and memory
   * @param tried number of divisions of the ranks and the batch
   * @param tooLarge number of divisions that do not fit the memory
   * @param refusal the most frequent reason for which a division was refused; empty where none was
   */
  public record Outcome(
      List<Candidate> candidates, List<Candidate> front, int tried, int tooLarge, Optional<String> refusal) {
    /** Copies the lists. */
    public Outcome {
      candidates = ImmutableList.copyOf(candidates);
      front = ImmutableList.copyOf(front);
    }
  }

  /**
   * Prepares a search on a machine.
   *
   * @param fabric the machine
   * @param algorithm of the collectives
   * @param memoryShare of an accelerator's memory that a job may fill, above 0 and at most 1; the rest is for the
   *     context, the buffers of communicators and fragments
   */
  public TrainingSearch(Fabric fabric, CollectiveAlgorithm algorithm, double memoryShare) {
    this.memoryShare = memoryShare;
    this.fabric = fabric;
    times = new TabulatedTimes(fabric, algorithm);
    int[] accelerators = fabric.terminals(DeviceKind.ACCELERATOR);
    ranks = accelerators.length;
    int count = 0;
    for (int accelerator : accelerators) {
      count += fabric.node(accelerator) == fabric.node(accelerators[0]) ? 1 : 0;
    }
    perNode = count;
  }

  /**
   * A division that was tried.
   *
   * @param candidate empty where it does not fit the memory or was refused
   * @param refusal the reason for which it was refused
   */
  private record Division(Optional<Candidate> candidate, Optional<String> refusal) {}

  /**
   * Estimates all divisions of a job, on as many threads as there are processors.
   *
   * @param base model, batch and execution; its degrees, micro-batch and recomputation are replaced
   * @throws InvalidSettingException when the batch is given per rank: all candidates have the same batch
   */
  public Outcome search(Training base) {
    Map<Integer, Supplier<Division>> work = new LinkedHashMap<>();
    ways(base).forEach(training -> work.put(work.size(), () -> estimated(training)));
    Collection<Division> divisions = SideBySide.results(work).values();
    List<Candidate> found = divisions.stream().flatMap(each -> each.candidate().stream())
        .sorted(Comparator.comparingDouble(Candidate::seconds)).toList();
    Multiset<String> refusals = divisions.stream().flatMap(each -> each.refusal().stream())
        .collect(Collectors.toCollection(LinkedHashMultiset::create));
    int tried = divisions.size() - refusals.size();
    return new Outcome(found, front(found), tried, tried - found.size(),
        Multisets.copyHighestCountFirst(refusals).elementSet().stream().findFirst());
  }

  private Division estimated(Training training) {
    try {
      Iteration iteration = new Iteration(training, fabric);
      long most = IntStream.range(0, training.parallel().pipeline())
          .mapToLong(stage -> iteration.memory(stage).bytes()).max().orElse(0);
      if (most > memoryShare * iteration.accelerator().memory().bytes()) {
        return new Division(Optional.empty(), Optional.empty());
      }
      Estimate estimate = RepresentativeRanks.of(iteration, times.of(iteration));
      return new Division(
          Optional.of(new Candidate(
              training, iteration.grid().data(), estimate.seconds(), estimate.utilization(), most)),
          Optional.empty());
    } catch (InvalidSettingException refused) {
      return new Division(Optional.empty(), Optional.of(refused.component() + ": " + refused.getMessage()));
    }
  }

  private static List<Candidate> front(List<Candidate> fastestFirst) {
    List<Candidate> front = new ArrayList<>();
    long least = Long.MAX_VALUE;
    for (Candidate candidate : fastestFirst) {
      if (candidate.memoryBytes() < least) {
        front.add(candidate);
        least = candidate.memoryBytes();
      }
    }
    return front;
  }

  private List<Training> ways(Training base) {
    int batch = base.batch().global().orElseThrow(
        () -> new InvalidSettingException("batch.global", "is missing; ways to cut a job are compared at one batch"));
    List<Training> ways = new ArrayList<>();
    ModelShape model = base.shape();
    for (int tensor = 1; tensor <= perNode; tensor *= 2) {
      for (int context = 1; context == 1 || context <= 16 && model.sequence() / context >= LONG_SEQUENCE / 2; context *=
          2) {
        for (int pipeline = 1; pipeline <= Math.min(model.layers(), ranks / tensor / context); pipeline++) {
          if (ranks % (tensor * context * pipeline) == 0) {
            for (int chunks : pipeline == 1 ? new int[] {1} : CHUNKS) {
              if (chunks == 1 || model.layers() % (pipeline * chunks) == 0) {
                for (int expert : experts(model)) {
                  add(ways, base, batch, new int[] {tensor, context, pipeline, chunks, expert});
                }
              }
            }
          }
        }
      }
    }
    return ways;
  }

  private static int[] experts(ModelShape model) {
    if (model.experts().isEmpty()) {
      return new int[] {1};
    }
    List<Integer> degrees = new ArrayList<>();
    for (int degree = 1; degree <= model.experts().get().count(); degree *= 2) {
      degrees.add(degree);
    }
    return degrees.stream().mapToInt(Integer::intValue).toArray();
  }

  private void add(List<Training> ways, Training base, int batch, int[] degrees) {
    int data = ranks / (degrees[0] * degrees[1] * degrees[2]);
    for (int micro : MICRO) {
      if (batch % (micro * data) != 0) {
        continue;
      }
      for (Recompute recompute : new Recompute[] {
          base.execution().fusedAttention() ? Recompute.NONE : Recompute.SELECTIVE, Recompute.FULL}) {
        try {
          Parallelism parallel = new Parallelism(
              degrees[0], degrees[0] > 1, degrees[2], degrees[3], degrees[1],
              degrees[1] > 1 && base.model().window().isPresent() ? ContextExchange.ALL_GATHER
                  : ContextExchange.P2P,
              Optional.empty(),
              degrees[4], base.parallel().expertTensor(),
              data > 1 ? Sharding.OPTIMIZER : Sharding.NONE, 1, PipelineOrder.ONE_F_ONE_B, Optional.empty(),
              base.parallel().placement());
          ways.add(new Training(
              base.model(), base.sequence(), parallel, Batch.of(batch, micro),
              base.execution().with(base.execution().precision(), recompute), Optional.empty(), base.lora(),
              base.packed(), base.kernels(),
              base.kernelsOf(), base.skew(),
              base.variation(), Optional.empty(), base.ranksPerNode(), false));
        } catch (InvalidSettingException refused) {
          continue;
        }
      }
    }
  }
}
