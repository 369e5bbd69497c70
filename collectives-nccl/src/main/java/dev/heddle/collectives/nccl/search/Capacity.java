package dev.heddle.collectives.nccl.search;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.system.LinkType;
import dev.heddle.collectives.nccl.system.NodeType;
import dev.heddle.collectives.nccl.system.Path;
import dev.heddle.collectives.nccl.system.SystemGraph;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** The free bandwidth of each link, MB/s, while channels reserve theirs. */
final class Capacity {
  private static final int AMPERE = 80;

  private final SystemGraph graph;
  private final int[] free;
  // The reverse traffic of each link: the answer of its far end to data that arrive.
  private final Answer[] answers;
  private final boolean[] answering;
  private final int[] reverse;
  private final boolean[] pci;
  // Whether a link ends at a host bridge of Intel's, which splits traffic between GPUs.
  private final boolean[] splits;
  // The links out of each GPU.
  private final int[][] outOf;

  private enum Answer {
    NONE, EIGHTH_FROM_OUTSIDE, FULL
  }

  Capacity(SystemGraph graph) {
    this.graph = graph;
    free = new int[graph.links()];
    answers = new Answer[free.length];
    answering = new boolean[free.length];
    reverse = new int[free.length];
    pci = new boolean[free.length];
    splits = new boolean[free.length];
    for (int link = 0; link < free.length; link++) {
      free[link] = graph.megabytes(link);
      answers[link] = answer(link);
      answering[link] = answers[link] != Answer.NONE;
      reverse[link] = graph.reverse(link);
      pci[link] = graph.linkType(link) == LinkType.PCI;
      int vertex = graph.to(link);
      splits[link] = graph.type(vertex) == NodeType.CPU && graph.cpu(graph.index(vertex)).intel();
    }
    outOf = linksOfGpus(graph::from);
  }

  private int[][] linksOfGpus(IntUnaryOperator end) {
    int[][] links = new int[graph.gpus()][];
    for (int gpu = 0; gpu < links.length; gpu++) {
      int vertex = graph.vertex(NodeType.GPU, gpu);
      links[gpu] = IntStream.range(0, free.length).filter(link -> end.applyAsInt(link) == vertex).toArray();
    }
    return links;
  }

  /** All that the search knows of a link but its bandwidth and type, as a number. */
  int traits(int link) {
    return answers[link].ordinal() << 1 | (splits[link] ? 1 : 0);
  }

  /** Whether a link out of a GPU has a rate left; no path from the GPU has it otherwise. */
  boolean leaves(int gpu, int rate) {
    return has(outOf[gpu], rate);
  }

  /** Whether the first and the last link of a path have a rate left; the path has not otherwise. */
  boolean hasAtEnds(Path path, int rate) {
    ImmutableIntArray links = path.links();
    int hops = links.length();
    return hops == 0 || free[links.get(0)] >= rate && free[links.get(hops - 1)] >= rate;
  }

  /** Whether a link has a rate left. */
  boolean has(int link, int rate) {
    return free[link] >= rate;
  }

  private boolean has(int[] links, int rate) {
    for (int link : links) {
      if (free[link] >= rate) {
        return true;
      }
    }
    return false;
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
    ImmutableIntArray links = path.links();
    int hops = links.length();
    for (int step = 0; step < hops; step++) {
      int link = links.get(step);
      int forward = pci[link] ? pciRate : rate;
      if (free[link] < forward || answering[link] && !answers(link, start, forward)) {
        release(links, step, start, rate, pciRate);
        return false;
      }
      free[link] -= forward;
      if (answering[link]) {
        free[reverse[link]] -= backRate(link, start, forward);
      }
    }
    return true;
  }

  // Whether the reverse of a link has the rate of the answer left.
  private boolean answers(int link, NodeType start, int forward) {
    int back = backRate(link, start, forward);
    return back <= 0 || free[reverse[link]] >= back;
  }

  /** Releases a reservation of {@link #reserve}. */
  void release(Path path, NodeType start, int rate) {
    release(path.links(), path.hops(), start, rate, pciRate(path, start, rate));
  }

  private void release(ImmutableIntArray links, int steps, NodeType start, int rate, int pciRate) {
    for (int step = 0; step < steps; step++) {
      int link = links.get(step);
      int forward = pci[link] ? pciRate : rate;
      free[link] += forward;
      if (answering[link]) {
        free[reverse[link]] += backRate(link, start, forward);
      }
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
