package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.system.LinkType;
import dev.heddle.collectives.nccl.system.NodeType;
import dev.heddle.collectives.nccl.system.Path;
import dev.heddle.collectives.nccl.system.SystemGraph;

/** The free bandwidth of each link, MB/s, while channels reserve theirs. */
final class Capacity {
  private static final int AMPERE = 80;

  private final SystemGraph graph;
  private final int[] free;
  // The reverse traffic of each link: the answer of its far end to data that arrive.
  private final Answer[] answers;
  private final boolean[] pci;
  // Whether a link ends at a host bridge of Intel's, which splits traffic between GPUs.
  private final boolean[] splits;

  private enum Answer {
    NONE, EIGHTH_FROM_OUTSIDE, FULL
  }

  Capacity(SystemGraph graph) {
    this.graph = graph;
    free = new int[graph.links()];
    answers = new Answer[free.length];
    pci = new boolean[free.length];
    splits = new boolean[free.length];
    for (int link = 0; link < free.length; link++) {
      free[link] = graph.megabytes(link);
      answers[link] = answer(link);
      pci[link] = graph.linkType(link) == LinkType.PCI;
      int vertex = graph.to(link);
      splits[link] = graph.type(vertex) == NodeType.CPU && graph.cpu(graph.index(vertex)).intel();
    }
  }

  // The reverse traffic of a link: GPUs before Ampere answer traffic from outside the GPUs; a CPU on NVLink answers at
  // the full rate.
  private Answer answer(int link) {
    int vertex = graph.to(link);
    NodeType type = graph.type(vertex);
    if (type == NodeType.GPU && graph.gpu(graph.index(vertex)).sm() < AMPERE) {
      return Answer.EIGHTH_FROM_OUTSIDE;
    }
    return type == NodeType.CPU && graph.linkType(link) == LinkType.NVL ? Answer.FULL : Answer.NONE;
  }

  /** Reserves a rate on all links of a path; reserves nothing and returns false when a link has less than that. */
  boolean reserve(Path path, NodeType start, int rate) {
    int pciRate = pciRate(path, start, rate);
    for (int step = 0; step < path.hops(); step++) {
      int link = path.links().get(step);
      int forward = pci[link] ? pciRate : rate;
      int back = backRate(link, start, forward);
      if (free[link] < forward || back > 0 && free[graph.reverse(link)] < back) {
        release(path, start, rate, step);
        return false;
      }
      free[link] -= forward;
      free[graph.reverse(link)] -= back;
    }
    return true;
  }

  /** Releases a reservation of {@link #reserve}. */
  void release(Path path, NodeType start, int rate) {
    release(path, start, rate, path.hops());
  }

  private void release(Path path, NodeType start, int rate, int steps) {
    int pciRate = pciRate(path, start, rate);
    for (int step = 0; step < steps; step++) {
      int link = path.links().get(step);
      int forward = pci[link] ? pciRate : rate;
      free[link] += forward;
      free[graph.reverse(link)] += backRate(link, start, forward);
    }
  }

  // The rate on PCIe links. Intel's host bridges split traffic between GPUs into small packets, which costs a sixth
  // more.
  private int pciRate(Path path, NodeType start, int rate) {
    if (path.type() != PathType.PHB || start != NodeType.GPU) {
      return rate;
    }
    for (int step = 0; step < path.hops(); step++) {
      if (splits[path.links().get(step)]) {
        return rate / 5 * 6 + rate % 5 * 6 / 5;
      }
    }
    return rate;
  }

  private int backRate(int link, NodeType start, int forward) {
    return switch (answers[link]) {
      case NONE -> 0;
      case EIGHTH_FROM_OUTSIDE -> start == NodeType.GPU ? 0 : forward / 8;
      case FULL -> forward;
    };
  }
}
