package dev.heddle.spi;

import com.google.common.collect.ImmutableList;
import dev.heddle.collective.Collective;
import dev.heddle.collective.Group;
import dev.heddle.results.Results.Metric;
import dev.heddle.spi.Workload.Activity;
import dev.heddle.spi.Workload.Pass;
import dev.heddle.workload.Program;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.LongFunction;

/** Plan of a workload on one cluster: ranks, groups, programs, and the names by which results show them. */
public final class WorkloadPlan {
  private final int[] ranks;
  private final Programs programs;
  private final ImmutableList<Group> groups;
  private final ImmutableList<Collective> allToAllVSizes;
  private final Reporting reporting;

  /** Maker of programs. */
  @FunctionalInterface
  public interface Programs {
    /** The program of one rank, a fresh cursor at every call. */
    Program program(int rank, WorkloadContext context);
  }

  /** Titles of streams. */
  @FunctionalInterface
  public interface Streams {
    /** The title of a stream of a rank's program. */
    String title(int rank, int stream);
  }

  private record Reporting(
      ImmutableList<Activity> activities, LongFunction<List<Metric>> metrics, IntFunction<Pass> passes,
      Streams streams) {
    static final Reporting NONE = new Reporting(
        ImmutableList.of(), simulatedPs -> List.of(), number -> new Pass("pass", Integer.toString(number)),
        (rank, stream) -> stream == 0 ? "main" : "stream " + stream);
  }

  private WorkloadPlan(
      int[] ranks, Programs programs, ImmutableList<Group> groups, ImmutableList<Collective> allToAllVSizes,
      Reporting reporting) {
    this.ranks = ranks;
    this.programs = programs;
    this.groups = groups;
    this.allToAllVSizes = allToAllVSizes;
    this.reporting = reporting;
  }

  /**
   * A plan without groups.
   *
   * @param ranks terminals that take part, all distinct; position {@code i} is rank {@code i}
   * @param programs of the ranks
   */
  public static WorkloadPlan of(int[] ranks, Programs programs) {
    return new WorkloadPlan(ranks.clone(), programs, ImmutableList.of(), ImmutableList.of(), Reporting.NONE);
  }

  /** The same plan with groups of ranks that do collectives ({@link dev.heddle.workload.Operation#collective}). */
  public WorkloadPlan withGroups(List<Group> numbered) {
    return new WorkloadPlan(ranks, programs, ImmutableList.copyOf(numbered), allToAllVSizes, reporting);
  }

  /** The same plan with sizes of all_to_alls whose pairs differ ({@link dev.heddle.workload.Operation#allToAllV}). */
  public WorkloadPlan withAllToAllVSizes(List<Collective> numbered) {
    return new WorkloadPlan(ranks, programs, groups, ImmutableList.copyOf(numbered), reporting);
  }

  /** The same plan with activities, by the number that {@link dev.heddle.workload.Operation#activity} gives. */
  public WorkloadPlan withActivities(List<Activity> numbered) {
    return with(new Reporting(
        ImmutableList.copyOf(numbered), reporting.metrics(), reporting.passes(), reporting.streams()));
  }

  /** The same plan with metrics of its own, by the duration of a run to its end in picoseconds, at least 1. */
  public WorkloadPlan withMetrics(LongFunction<List<Metric>> metrics) {
    return with(new Reporting(reporting.activities(), metrics, reporting.passes(), reporting.streams()));
  }

  /** The same plan with names of passes, by the number that {@link dev.heddle.workload.Operation#pass} gives. */
  public WorkloadPlan withPasses(IntFunction<Pass> passes) {
    return with(new Reporting(reporting.activities(), reporting.metrics(), passes, reporting.streams()));
  }

  /** The same plan with titles of streams. */
  public WorkloadPlan withStreams(Streams streams) {
    return with(new Reporting(reporting.activities(), reporting.metrics(), reporting.passes(), streams));
  }

  private WorkloadPlan with(Reporting other) {
    return new WorkloadPlan(ranks, programs, groups, allToAllVSizes, other);
  }

  /** The terminal of each rank; a copy. */
  public int[] ranks() {
    return ranks.clone();
  }

  /** Groups of ranks that do collectives, by number. */
  public List<Group> groups() {
    return groups;
  }

  /** Sizes of all_to_alls whose pairs differ, by number. */
  public List<Collective> allToAllVSizes() {
    return allToAllVSizes;
  }

  /** Activities by number; results state the time of each in the first stream of each rank. */
  public List<Activity> activities() {
    return reporting.activities();
  }

  /**
   * Metrics of the workload; first among the results of a run to its end.
   *
   * @param simulatedPs duration of the run in picoseconds, at least 1
   */
  public List<Metric> metrics(long simulatedPs) {
    return reporting.metrics().apply(simulatedPs);
  }

  /** The pass of a number, at least 0. */
  public Pass pass(int number) {
    return reporting.passes().apply(number);
  }

  /** The title of a stream of a rank's program. */
  public String stream(int rank, int stream) {
    return reporting.streams().title(rank, stream);
  }

  /** The program of one rank, a fresh cursor at every call. */
  public Program program(int rank, WorkloadContext context) {
    return programs.program(rank, context);
  }
}
