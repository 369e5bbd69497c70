package dev.heddle.spi;

/**
 * Work of a cluster's ranks.
 *
 * <ul>
 *   <li>WORKLOAD-1: {@link #plan} MUST be a pure function of the cluster, and its ranks MUST be distinct terminals.
 *   <li>WORKLOAD-2: {@link WorkloadPlan#program} MUST be deterministic in its context: the same context gives the same
 *       operations, in any order in which the ranks' programs are asked for. Random numbers MUST come from
 *       {@link WorkloadContext#random}.
 *   <li>WORKLOAD-3: in a workload that ends, every send MUST be matched by a receive of the same tag and size class or
 *       be one-sided ({@link dev.heddle.workload.Operation#generate}).
 *   <li>WORKLOAD-4: peers MUST be ranks other than the sender.
 *   <li>WORKLOAD-5: the activities and the metrics of a plan MUST be among those that the provider declares.
 * </ul>
 */
@FunctionalInterface
public interface Workload {
  /**
   * Plans the work on a cluster.
   *
   * @throws InvalidSettingException when the cluster lacks a thing that the workload needs
   */
  WorkloadPlan plan(Cluster cluster);

  /** Activity of ranks: its stable key, such as {@code compute}, and its title for people. */
  record Activity(String id, String title) {}

  /** Stretch of a rank's operations: a kind for people, such as {@code forward}, and a label within its kind. */
  record Pass(String kind, String label) {}
}
