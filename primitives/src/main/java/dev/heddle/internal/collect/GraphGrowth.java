package dev.heddle.internal.collect;

import java.util.Arrays;
import java.util.PriorityQueue;

/**
 * A division of a graph into connected parts of similar load, grown one after another.
 *
 * <p>A part takes next the vertex that has the greatest share of its cables, by rate, in the part; among equals the one
 * nearest to the terminals, so a pod is complete before a part takes up the switches above. A switch whose terminals
 * have no other cable is one vertex with them, where a part has room for that. The load of a vertex is the rate, in
 * units of payload, of all links that leave it.
 */
public final class GraphGrowth {
  private static final int NONE = -1;

  // A leaf with its hosts stays whole up to this share of the mean load of a part.
  private static final double LARGEST_LEAF = 1.2;

  // A part that has this share of its load takes no vertex beyond its neighbours.
  private static final double ENOUGH = 0.9;

  private final int count;
  private final int most;
  // Of a vertex, with all that are one with it.
  private final double[] load;
  // The switch that is one with a terminal; otherwise the vertex itself.
  private final int[] leaf;
  private final double[] cables;
  private final int[] depth;
  private final int[] first;
  private final int[] neighbour;
  private final double[] rate;
  private double total;

  private final int[] part;
  private final double[] inside;
  private PriorityQueue<Candidate> candidates = new PriorityQueue<>();

  /**
   * A vertex beside the growing part.
   *
   * @param share of its cables that end in the part, when the candidate was noted
   */
  private record Candidate(int vertex, double share, int depth) implements Comparable<Candidate> {
    @Override
    public int compareTo(Candidate other) {
      int byShare = Double.compare(other.share, share);
      int byDepth = byShare != 0 ? byShare : Integer.compare(depth, other.depth);
      return byDepth != 0 ? byDepth : Integer.compare(vertex, other.vertex);
    }
  }

  /**
   * A graph of cables, an edge for each direction. An edge may begin and end at one vertex.
   *
   * @param vertices their number
   * @param terminals vertices of terminals, in their order; a vertex may have several
   * @param from per edge the vertex that it leaves
   * @param to per edge the vertex at which it ends
   * @param unitRate per edge its rate, units of payload a picosecond
   * @param byteRate per edge its rate, bytes a picosecond
   */
  public record Graph(int vertices, int[] terminals, int[] from, int[] to, double[] unitRate, double[] byteRate) {}

  /**
   * Reads a graph.
   *
   * @param most parts
   */
  public GraphGrowth(Graph graph, int most) {
    count = graph.vertices();
    this.most = Math.min(most, count);
    load = new double[count];
    cables = new double[count];
    first = new int[count + 1];
    for (int edge = 0; edge < graph.from().length; edge++) {
      int from = graph.from()[edge];
      load[from] += graph.unitRate()[edge];
      if (from != graph.to()[edge]) {
        cables[from] += graph.byteRate()[edge];
        first[from + 1]++;
      }
    }
    for (int vertex = 0; vertex < count; vertex++) {
      first[vertex + 1] += first[vertex];
      total += load[vertex];
    }
    neighbour = new int[first[count]];
    rate = new double[first[count]];
    int[] filled = Arrays.copyOf(first, count);
    for (int edge = 0; edge < graph.from().length; edge++) {
      int from = graph.from()[edge];
      int to = graph.to()[edge];
      if (from != to) {
        neighbour[filled[from]] = to;
        rate[filled[from]++] = graph.byteRate()[edge];
      }
    }
    depth = depths(graph.terminals());
    leaf = new int[count];
    part = new int[count];
    inside = new double[count];
  }

  private int[] depths(int[] terminals) {
    int[] found = new int[count];
    Arrays.fill(found, Integer.MAX_VALUE);
    int[] queue = new int[count];
    int size = 0;
    for (int vertex : terminals) {
      if (found[vertex] != 0) {
        found[vertex] = 0;
        queue[size++] = vertex;
      }
    }
    for (int at = 0; at < size; at++) {
      for (int edge = first[queue[at]]; edge < first[queue[at] + 1]; edge++) {
        if (found[neighbour[edge]] == Integer.MAX_VALUE) {
          found[neighbour[edge]] = found[queue[at]] + 1;
          queue[size++] = neighbour[edge];
        }
      }
    }
    return found;
  }

  /** The part of each vertex, from 0; every part has one. */
  public int[] parts() {
    Arrays.fill(part, NONE);
    mergeLeaves();
    double left = total;
    int number = 0;
    for (int next = 0; next < count; next++) {
      if (part[next] == NONE) {
        double target = number == most - 1 ? Double.MAX_VALUE : left / (most - number);
        left -= grow(number++, target, next);
      }
    }
    return part;
  }

  private void mergeLeaves() {
    double[] whole = load.clone();
    for (int vertex = 0; vertex < count; vertex++) {
      leaf[vertex] = vertex;
      int only = only(vertex);
      if (only != NONE) {
        whole[only] += load[vertex];
      }
    }
    for (int vertex = 0; vertex < count; vertex++) {
      int only = only(vertex);
      if (only != NONE && whole[only] <= LARGEST_LEAF * total / most) {
        leaf[vertex] = only;
        load[vertex] = whole[only];
        load[only] = whole[only];
      }
    }
  }

  // The only neighbour of a terminal, unless that is a terminal too.
  private int only(int vertex) {
    if (depth[vertex] != 0 || first[vertex] == first[vertex + 1]) {
      return NONE;
    }
    int only = neighbour[first[vertex]];
    for (int edge = first[vertex]; edge < first[vertex + 1]; edge++) {
      if (neighbour[edge] != only) {
        return NONE;
      }
    }
    return depth[only] > 0 ? only : NONE;
  }

  private double grow(int number, double target, int from) {
    Arrays.fill(inside, 0);
    candidates = new PriorityQueue<>();
    double sum = 0;
    int seed = from;
    while (true) {
      Candidate best = candidates.poll();
      int vertex = seed;
      if (best != null) {
        vertex = best.vertex;
        if (part[vertex] != NONE || best.share < inside[vertex] / cables[vertex]) {
          continue;
        }
      } else if (seed == count || sum > ENOUGH * target) {
        return sum;
      } else {
        seed++;
      }
      if (part[vertex] == NONE && (sum == 0 || sum + load[vertex] / 2 <= target)) {
        take(number, vertex);
        sum += load[vertex];
      }
    }
  }

  // A vertex, with all that are one with it.
  private void take(int number, int vertex) {
    int centre = leaf[vertex];
    join(number, centre);
    for (int edge = first[centre]; edge < first[centre + 1]; edge++) {
      if (leaf[neighbour[edge]] == centre && part[neighbour[edge]] == NONE) {
        join(number, neighbour[edge]);
      }
    }
  }

  private void join(int number, int vertex) {
    part[vertex] = number;
    for (int edge = first[vertex]; edge < first[vertex + 1]; edge++) {
      int other = neighbour[edge];
      if (part[other] == NONE) {
        inside[other] += rate[edge];
        candidates.add(new Candidate(other, inside[other] / cables[other], depth[other]));
      }
    }
  }
}
