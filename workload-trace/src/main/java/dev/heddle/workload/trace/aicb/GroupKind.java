package dev.heddle.workload.trace.aicb;

import dev.heddle.collective.Group;
import java.util.Arrays;

/** The groups of SimAI's simulation: tensor, data and expert parallel, and data parallel of experts. */
enum GroupKind {
  TENSOR("tensor", "Tensor-parallel communication that is not hidden"),
  DATA("data", "Data-parallel communication that is not hidden"),
  EXPERT("expert", "Expert-parallel communication that is not hidden"),
  EXPERT_DATA("expert-data", "Data-parallel communication of experts that is not hidden");

  private final String id;
  private final String title;

  GroupKind(String id, String title) {
    this.id = id;
    this.title = title;
  }

  String id() {
    return id;
  }

  String title() {
    return title;
  }

  /**
   * The placement of ranks: those of a tensor-parallel group beside each other, then expert-parallel ones.
   *
   * @param ranks a multiple of the rest
   * @param tensor ranks of a tensor-parallel group
   * @param expert ranks of an expert-parallel group
   * @param data ranks of a data-parallel group, a multiple of {@code expert}
   */
  record Grid(int ranks, int tensor, int expert, int data) {
    private int stage(int rank) {
      return rank / (tensor * data);
    }

    private int replica(int rank) {
      return rank / tensor % data;
    }

    /** The number of groups of a kind. */
    int groups(GroupKind kind) {
      return ranks / size(kind);
    }

    /** The number of members of a group. */
    int size(GroupKind kind) {
      return switch (kind) {
        case TENSOR -> tensor;
        case DATA -> data;
        case EXPERT -> expert;
        case EXPERT_DATA -> data / expert;
      };
    }

    /** The number of a rank's group among those of its kind. */
    int group(GroupKind kind, int rank) {
      int position = rank % tensor;
      return switch (kind) {
        case TENSOR -> rank / tensor;
        case DATA -> stage(rank) * tensor + position;
        case EXPERT -> (stage(rank) * (data / expert) + replica(rank) / expert) * tensor + position;
        case EXPERT_DATA -> (stage(rank) * expert + replica(rank) % expert) * tensor + position;
      };
    }

    /** The groups of a kind by number. */
    Group[] all(GroupKind kind) {
      int[][] members = new int[groups(kind)][size(kind)];
      int[] count = new int[members.length];
      for (int rank = 0; rank < ranks; rank++) {
        int group = group(kind, rank);
        members[group][count[group]++] = rank;
      }
      return Arrays.stream(members).map(Group::of).toArray(Group[]::new);
    }
  }
}
