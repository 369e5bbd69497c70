package dev.heddle.verification;

import dev.heddle.observe.ActivityObserver;
import dev.heddle.results.Results;
import dev.heddle.results.Results.Metric;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.scenario.Scenario;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.workload.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Comparison of runs that replay calls within a tolerance of their begins with runs of every packet. */
public final class ToleranceSuite implements PacketComparison<ToleranceSuite.Comparison> {
  /** Bound on the mean error of the time of a run in percent. */
  static final double BOUND = 0.1;

  private static final String TOLERANCE = "2 us";

  /**
   * One scenario, run both ways.
   *
   * @param row times of both
   * @param moved calls and messages that were replayed from records of other begins
   * @param statedUs error of times that the run states
   * @param largestUs greatest error of the end of anything that a rank spends time on
   */
  record Comparison(Row row, long moved, double statedUs, double largestUs) implements Compared {
    /** Whether the time of the run is within the stated error. */
    boolean isWithin() {
      return Math.abs(row.model() - row.reference()) <= statedUs;
    }

    /** Whether all ends are within the stated error. */
    boolean areAllWithin() {
      return largestUs <= statedUs;
    }
  }

  /** The ends of all that ranks spend time on. */
  private static final class Ends implements ActivityObserver {
    private final Map<Long, List<Long>> of = new TreeMap<>();

    @Override
    public void spent(int rank, int stream, Operation operation, long startPs, long endPs) {
      of.computeIfAbsent((long) rank << 32 | stream, key -> new ArrayList<>()).add(endPs);
    }

    double largestUs(Ends other) {
      long largest = 0;
      for (Map.Entry<Long, List<Long>> each : of.entrySet()) {
        List<Long> its = other.of.getOrDefault(each.getKey(), List.of());
        for (int i = 0; i < each.getValue().size(); i++) {
          largest = Math.max(largest, Math.abs(each.getValue().get(i) - its.get(i)));
        }
      }
      return largest / US;
    }
  }

  @Override
  public String id() {
    return "tolerance";
  }

  @Override
  public double bound() {
    return BOUND;
  }

  @Override
  public String description() {
    return "Replay of calls within a tolerance of their begins: times against those of runs of every packet";
  }

  @Override
  public Map<String, String> changes(ScenarioFile file) {
    return Map.of("run.memoization-tolerance", TOLERANCE);
  }

  @Override
  public Comparison compare(ScenarioFile.Point own, Scenario near) {
    Ends exact = new Ends();
    Ends replayed = new Ends();
    Results full = own.scenario().simulation().run(null, exact);
    Results moved = near.simulation().run(null, replayed);
    long count = (long) metric(moved, "memoization.moved");
    double stated = metric(moved, "memoization.error");
    double largest = exact.largestUs(replayed);
    String label = String.join(", ", own.parameters().values()) + String.format(
        Locale.ROOT, " (%d moved, error stated %.2f us; the largest of any end %.2f us)", count, stated, largest);
    Row row = new Row(
        label, OptionalLong.empty(), full.run().simulatedPs() / US, moved.run().simulatedPs() / US);
    return new Comparison(row, count, stated, largest);
  }

  private static double metric(Results results, String id) {
    return results.metric(id).map(Metric::value).orElseThrow();
  }

  @Override
  public String summary(List<Comparison> all) {
    List<Comparison> moved = all.stream().filter(each -> each.moved() > 0).toList();
    return String.format(
        Locale.ROOT,
        "Scenarios: %d, of which %d have a call or message that was replayed from a record of other begins, %d in all. "
            + "The time of the run is within the error that it states in %d of these, the end of every call, message "
            + "and kernel in %d.",
        all.size(), moved.size(), moved.stream().mapToLong(Comparison::moved).sum(),
        moved.stream().filter(Comparison::isWithin).count(), moved.stream().filter(Comparison::areAllWithin).count());
  }
}
