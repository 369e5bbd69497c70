package dev.heddle.spi;

import dev.heddle.units.RandomStream;
import dev.heddle.units.SimTime;

/** The inputs of a program. */
public final class WorkloadContext {
  private final Cluster cluster;
  private final int[] ranks;
  private final long seed;
  private final SimTime end;
  private final String scope;

  /**
   * Collects the inputs of programs.
   *
   * @param cluster the machine
   * @param ranks the terminal of each rank
   * @param seed the run's seed
   * @param end of open-loop generation: the end of the measurement window, or the largest time
   */
  public WorkloadContext(Cluster cluster, int[] ranks, long seed, SimTime end) {
    this(cluster, ranks, seed, end, "");
  }

  private WorkloadContext(Cluster cluster, int[] ranks, long seed, SimTime end, String scope) {
    this.scope = scope;
    this.cluster = cluster;
    this.ranks = ranks.clone();
    this.seed = seed;
    this.end = end;
  }

  /**
   * The context of a workload that is a part of another.
   *
   * @param terminals of the part's ranks
   * @param part its name: random numbers of parts are independent
   */
  public WorkloadContext of(int[] terminals, String part) {
    return new WorkloadContext(cluster, terminals, seed, end, scope + part + "/");
  }

  /** The machine. */
  public Cluster cluster() {
    return cluster;
  }

  /** The number of ranks. */
  public int ranks() {
    return ranks.length;
  }

  /** The terminal of a rank. */
  public int terminal(int rank) {
    return ranks[rank];
  }

  /** The node of a rank. */
  public int node(int rank) {
    return cluster.node(ranks[rank]);
  }

  /** When open-loop generation ends. */
  public SimTime end() {
    return end;
  }

  /**
   * A separate stream of random numbers for a rank and a purpose.
   *
   * @param rank that uses it
   * @param purpose of the numbers; different purposes are independent
   */
  public RandomStream random(int rank, String purpose) {
    return RandomStream.of(seed, scope + "rank/" + rank, purpose);
  }
}
