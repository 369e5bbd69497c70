package dev.heddle.spi;

import dev.heddle.collective.Collective;
import dev.heddle.collective.Group;
import dev.heddle.results.Results.Metric;
import dev.heddle.workload.Program;
import java.util.List;

/**
 * What a cluster's ranks do.
 *
 * <ul>
 *   <li>WORKLOAD-1: {@link #ranks} MUST be a pure function of the cluster and MUST return distinct terminals.
 *   <li>WORKLOAD-2: {@link #program} MUST be deterministic in its context: the same context gives the same operations,
 *       in whichever order the ranks' programs are asked for. Random numbers MUST come from
 *       {@link WorkloadContext#random}.
 *   <li>WORKLOAD-3: in a workload that ends, every send MUST be matched by a receive of the same tag and size class or
 *       be one-sided ({@link dev.heddle.workload.Operation#generate}).
 *   <li>WORKLOAD-4: peers MUST be ranks other than the sender.
 * </ul>
 */
public interface Workload {
  /**
   * The terminals that take part; position {@code i} is rank {@code i}.
   *
   * @throws InvalidSettingException when the cluster lacks what the workload needs
   */
  int[] ranks(Cluster cluster);

  /**
   * The groups of ranks that do collectives ({@link dev.heddle.workload.Operation#collective}), by number.
   *
   * @param terminals the terminal of each rank, as {@link #ranks} gives them
   * @param cluster the machine
   */
  default List<Group> groups(int[] terminals, Cluster cluster) {
    return List.of();
  }

  /**
   * The sizes of all_to_alls whose pairs differ ({@link dev.heddle.workload.Operation#allToAllV}), by number.
   *
   * @param cluster the machine
   */
  default List<Collective> allToAllVSizes(Cluster cluster) {
    return List.of();
  }

  /**
   * What ranks spend their time on, by the number that {@link dev.heddle.workload.Operation#activity} gives; results
   * then say how long each took in the first stream of each rank. None: nobody asks.
   */
  default List<Activity> activities() {
    return List.of();
  }

  /**
   * Something that ranks spend their time on.
   *
   * @param id stable key, such as {@code compute}
   * @param title for people
   */
  record Activity(String id, String title) {}

  /**
   * What users of this workload count, such as tokens a second; first among the results of a run to its end.
   *
   * @param cluster the machine
   * @param simulatedPs what the run took, at least 1
   */
  default List<Metric> figures(Cluster cluster, long simulatedPs) {
    return List.of();
  }

  /**
   * What a stretch of a rank's operations makes up together, such as the forward pass of a micro-batch.
   *
   * @param kind for people, the same for all of a kind, such as {@code forward}
   * @param label which of its kind, such as the micro-batch's number
   */
  record Pass(String kind, String label) {}

  /**
   * What a number that {@link dev.heddle.workload.Operation#pass} gives stands for; drawings and traces show it.
   *
   * @param number at least 0
   */
  default Pass pass(int number) {
    return new Pass("pass", Integer.toString(number));
  }

  /**
   * What a stream of a rank's program is for, for people.
   *
   * @param rank of the run
   * @param stream of its program
   */
  default String stream(int rank, int stream) {
    return stream == 0 ? "main" : "stream " + stream;
  }

  /** The program of one rank, a fresh cursor at every call. */
  Program program(int rank, WorkloadContext context);
}
