package dev.heddle.workload.megatron.parallel;

import com.google.common.primitives.Ints;
import dev.heddle.collective.Group;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * The places of ranks in all dimensions of parallelism, and their groups. Ranks are numbered by the job's placement;
 * experts divide the context- and data-parallel ranks of a stage, context first.
 */
public final class RankGrid {
  // The number of a group is a multiple of this, plus the ordinal of its kind.
  private static final int STRIDE = 16;
  private static final Group NONE = Group.ofFirst(1);

  private final int tensor;
  private final int context;
  private final int data;
  private final int pipeline;
  private final int expert;
  private final int expertTensor;
  private final int expertNode;
  private final int headRanks;
  private final int replicas;
  // Ranks of a stage that share states, and groups of ranks that hold the same experts and share theirs.
  private final int sharing;
  private final int expertSharing;
  // Differences of the numbers of neighbouring ranks in each dimension.
  private final int[] stride = new int[Dimension.values().length];

  /**
   * Numbers the ranks of a job.
   *
   * @param parallelism degrees
   * @param ranks of the job
   * @throws InvalidSettingException when the degrees do not divide the ranks
   */
  public RankGrid(Parallelism parallelism, int ranks) {
    this(parallelism, ranks, parallelism.expert());
  }

  /**
   * Numbers the ranks of a job whose expert-parallel groups span several nodes.
   *
   * @param parallelism degrees
   * @param ranks of the job
   * @param expertNode neighbours of an expert-parallel group that share a node; divides the group
   * @throws InvalidSettingException when the degrees do not divide the ranks
   */
  public RankGrid(Parallelism parallelism, int ranks, int expertNode) {
    this.expertNode = expertNode;
    tensor = parallelism.tensor();
    context = parallelism.context();
    pipeline = parallelism.pipeline();
    expert = parallelism.expert();
    expertTensor = parallelism.tensorOfExperts();
    headRanks = parallelism.headRanks();
    replicas = parallelism.replicas();
    requireMultiple(parallelism, ranks, Integer.MAX_VALUE);
    data = Math.toIntExact(ranks / parallelism.modelRanks());
    int next = 1;
    for (Dimension dimension : parallelism.placement()) {
      stride[dimension.ordinal()] = next;
      next *= size(dimension);
    }
    int stage = tensor * context * data;
    if (stage % (expertTensor * expert) != 0) {
      throw new InvalidSettingException("parallel.expert", expert + " does not divide the " + stage / expertTensor
          + " ranks of " + (expertTensor == 1 ? "tensor times " : "") + "context times data");
    }
    sharing = context * data / replicas;
    expertSharing = stage / expertTensor / expert / replicas;
    requireReplicas(stage / expertTensor / expert);
  }

  /**
   * Checks that degrees divide a number of ranks.
   *
   * @param parallelism degrees
   * @param ranks of the job
   * @param most ranks that there can be
   * @throws InvalidSettingException when they do not; names the next multiple, or the one below where there cannot be
   *     so many ranks
   */
  public static void requireMultiple(Parallelism parallelism, int ranks, int most) {
    long degrees = parallelism.modelRanks();
    if (ranks % degrees != 0) {
      long below = ranks / degrees * degrees;
      String refusal = ranks + " ranks are not divided by tensor " + parallelism.tensor() + " x context "
          + parallelism.context() + " x pipeline " + parallelism.pipeline() + " = " + degrees;
      if (below + degrees > most && below > 0) {
        throw new InvalidSettingException(
            "parallel", refusal + "; the multiple below is %s " + below, "ranks");
      }
      throw new InvalidSettingException("parallel", refusal
          + (below + degrees <= most ? "; the next multiple is " + (below + degrees)
              : "; there are no more than " + most));
    }
  }

  private void requireReplicas(int expertCopies) {
    if (data % replicas != 0) {
      throw new InvalidSettingException(
          "parallel.replicas", replicas + " does not divide the " + data + " data-parallel ranks");
    }
    if (replicas > 1 && sharing == 1) {
      throw new InvalidSettingException("parallel.replicas",
          replicas + " copies on " + data + " data-parallel ranks share nothing; sharding: none says so");
    }
    if (expert > 1 && expertCopies % replicas != 0) {
      throw new InvalidSettingException("parallel.replicas",
          replicas + " does not divide the " + expertCopies + " ranks that have the same experts");
    }
  }

  private int size(Dimension dimension) {
    return switch (dimension) {
      case TENSOR -> tensor;
      case CONTEXT -> context;
      case DATA -> data;
      case PIPELINE -> pipeline;
    };
  }

  private int place(Dimension dimension, int rank) {
    return rank / stride[dimension.ordinal()] % size(dimension);
  }

  /** Data-parallel ranks. */
  public int data() {
    return data;
  }

  /** All ranks. */
  public int ranks() {
    return tensor * context * data * pipeline;
  }

  /** The pipeline stage of a rank. */
  public int stage(int rank) {
    return place(Dimension.PIPELINE, rank);
  }

  /** The rank of another stage that has the same share of the same data. */
  public int atStage(int rank, int stage) {
    return rank + (stage - stage(rank)) * stride[Dimension.PIPELINE.ordinal()];
  }

  /** Members of a group of a kind. */
  public int size(GroupKind kind) {
    return switch (kind) {
      case TENSOR, TENSOR_OVERLAPPED -> tensor;
      case CONTEXT -> context / headRanks;
      case CONTEXT_HEADS -> headRanks;
      case EXPERT -> expert;
      case EXPERT_NODE -> expertNode;
      case EXPERT_RAIL -> expert / expertNode;
      case DATA, PARAMETERS -> sharing;
      case EXPERT_DATA -> expertSharing;
      case REPLICAS, EXPERT_REPLICAS -> replicas;
      case EMBEDDING -> pipeline > 1 ? 2 : 1;
      case MODEL -> tensor * pipeline;
    };
  }

  /** The number of a rank's group of a kind. */
  public int group(GroupKind kind, int rank) {
    int t = place(Dimension.TENSOR, rank);
    int replica = replica(rank);
    int stage = stage(rank);
    int flat = t + tensor * replica;
    int all = tensor * context * data;
    int experts = expertTensor * expert;
    int within = switch (kind) {
      case TENSOR, TENSOR_OVERLAPPED -> replica + context * data * stage;
      case CONTEXT -> t + tensor * (replica % headRanks + headRanks * (replica / context + data * stage));
      case CONTEXT_HEADS -> t + tensor * (replica / headRanks + context * data / headRanks * stage);
      case EXPERT -> flat % expertTensor + expertTensor * (flat / (expertTensor * expert)) + all * stage;
      case EXPERT_NODE -> flat % expertTensor + expertTensor * (flat / (expertTensor * expertNode)) + all * stage;
      case EXPERT_RAIL -> flat % (expertTensor * expertNode)
          + expertTensor * expertNode * (flat / (expertTensor * expert)) + all * stage;
      case DATA, PARAMETERS -> t + tensor * (replica / sharing + replicas * stage);
      case EXPERT_DATA -> flat % experts + experts * (flat / experts / expertSharing + replicas * stage);
      case REPLICAS -> t + tensor * (replica % sharing + sharing * stage);
      case EXPERT_REPLICAS -> flat % experts + experts * (flat / experts % expertSharing + expertSharing * stage);
      case EMBEDDING -> t + tensor * replica;
      case MODEL -> replica;
    };
    return within * STRIDE + kind.ordinal();
  }

  /** The kind of a group. */
  public GroupKind kind(int group) {
    return GroupKind.values()[group % STRIDE];
  }

  /** The members of a rank's group of a kind, by context, data and stage; tensor-parallel ones next to each other. */
  public int[] members(GroupKind kind, int rank) {
    int[] members = new int[size(kind)];
    for (int i = 0; i < members.length; i++) {
      members[i] = member(kind, rank, i);
    }
    return members;
  }

  /**
   * The ranks of a stage that share nodes with a rank's tensor-parallel group and send at the same time.
   *
   * @param rank any of them
   * @param node node number of a rank
   */
  public int[] concurrentSenders(int rank, IntUnaryOperator node) {
    int[] nodes = Arrays.stream(members(GroupKind.TENSOR, rank)).map(node).distinct().toArray();
    return IntStream.range(0, ranks())
        .filter(other -> stage(other) == stage(rank) && Ints.contains(nodes, node.applyAsInt(other))).toArray();
  }

  /** The first member of a rank's group of a kind. */
  public int first(GroupKind kind, int rank) {
    return member(kind, rank, 0);
  }

  private int member(GroupKind kind, int rank, int i) {
    int t = place(Dimension.TENSOR, rank);
    int replica = replica(rank);
    int stage = stage(rank);
    int flat = t + tensor * replica;
    int experts = expertTensor * expert;
    return switch (kind) {
      case TENSOR, TENSOR_OVERLAPPED -> rank(i, replica, stage);
      case CONTEXT -> rank(t, replica / context * context + replica % headRanks + i * headRanks, stage);
      case CONTEXT_HEADS -> rank(t, replica / headRanks * headRanks + i, stage);
      case EXPERT -> flat(flat - flat / expertTensor % expert * expertTensor + i * expertTensor, stage);
      case EXPERT_NODE -> flat(flat - flat / expertTensor % expertNode * expertTensor + i * expertTensor, stage);
      case EXPERT_RAIL -> flat(flat - flat / expertTensor % expert / expertNode * expertNode * expertTensor
          + i * expertNode * expertTensor, stage);
      case DATA, PARAMETERS -> rank(t, replica / sharing * sharing + i, stage);
      case EXPERT_DATA ->
        flat(flat % experts + experts * (flat / experts / expertSharing * expertSharing + i), stage);
      case REPLICAS -> rank(t, replica % sharing + i * sharing, stage);
      case EXPERT_REPLICAS ->
        flat(flat % experts + experts * (flat / experts % expertSharing + i * expertSharing), stage);
      case EMBEDDING -> rank(t, replica, i == 0 ? 0 : pipeline - 1);
      case MODEL -> rank(i % tensor, replica, i / tensor);
    };
  }

  // The rank at a place of a stage; tensor-parallel ranks count fastest, then context, then data.
  private int flat(int place, int stage) {
    return rank(place % tensor, place / tensor, stage);
  }

  // The place among the ranks of a stage that have the same share of the matrices.
  private int replica(int rank) {
    return place(Dimension.CONTEXT, rank) + context * place(Dimension.DATA, rank);
  }

  private int rank(int t, int replica, int stage) {
    return t * stride[Dimension.TENSOR.ordinal()] + replica % context * stride[Dimension.CONTEXT.ordinal()]
        + replica / context * stride[Dimension.DATA.ordinal()] + stage * stride[Dimension.PIPELINE.ordinal()];
  }

  /** All groups, by number; numbers that stand for none hold a group of one. */
  public List<Group> groups() {
    List<Group> all = new ArrayList<>();
    for (GroupKind kind : GroupKind.values()) {
      for (int rank = 0; rank < ranks() && size(kind) > 1; rank++) {
        if (first(kind, rank) == rank) {
          int number = group(kind, rank);
          while (all.size() <= number) {
            all.add(NONE);
          }
          all.set(number, Group.of(members(kind, rank)));
        }
      }
    }
    return all;
  }
}
