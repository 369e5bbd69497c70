package dev.heddle.cli;

import dev.heddle.results.SweepResults;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.sim.SimulationException;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Runs the points of a sweep side by side, each on one thread. A thread keeps its point before it begins the next, so
 * that a kill costs at most one unfinished point per thread. Points that run out of memory run again one at a time
 * after the others, as points that run at the same time share the memory.
 */
final class SweepRunner {
  private static final String OUT_OF_MEMORY = "out of memory, also alone; give the virtual machine more, as in"
      + " HEDDLE_JAVA_OPTS=-Xmx8g, or make the point smaller";

  private final PointRunner runner;
  private final int threads;

  SweepRunner(PointRunner runner, int threads) {
    this.runner = runner;
    this.threads = threads;
  }

  /**
   * The outcome of a sweep.
   *
   * @param results summaries of the finished points, in the order of the axes whatever the order in which they finished
   * @param failures one message per reason for which points could not be carried out
   */
  record Outcome(SweepResults results, List<String> failures) {}

  /** A point that was run, with the reason for its failure, if any; the sweep continues after such failures. */
  private record Attempt(ScenarioFile.Point point, String failure) {
    boolean failed() {
      return !failure.isEmpty();
    }
  }

  /** Runs the points that the store does not hold, and returns all. */
  Outcome run(ScenarioFile file, PointStore store, Progress progress) {
    List<ScenarioFile.Point> missing =
        file.points().stream().filter(point -> store.summary(point.key()).isEmpty()).toList();
    progress.start(file.points().size() - missing.size());
    List<String> failures = missing.isEmpty() ? List.of() : runMissing(missing, store, progress);
    List<SweepResults.Point> points = new ArrayList<>();
    for (ScenarioFile.Point point : file.points()) {
      store.summary(point.key())
          .ifPresent(results -> points.add(new SweepResults.Point(point.parameters(), results)));
    }
    return new Outcome(
        new SweepResults(
            file.name(), file.description(), file.axes(), file.plots(), file.rankings(), points),
        failures);
  }

  private List<String> runMissing(List<ScenarioFile.Point> missing, PointStore store, Progress progress) {
    List<Attempt> failed = new ArrayList<>();
    List<ScenarioFile.Point> again = new ArrayList<>();
    for (Attempt attempt : attempts(missing, threads, store, progress)) {
      if (attempt.failure().equals(OUT_OF_MEMORY) && threads > 1 && missing.size() > 1) {
        again.add(attempt.point());
      } else {
        failed.add(attempt);
      }
    }
    if (!again.isEmpty()) {
      progress.again(again.size());
      failed.addAll(attempts(again, 1, store, progress));
    }
    Map<String, List<ScenarioFile.Point>> reasons = new LinkedHashMap<>();
    failed.stream().sorted((a, b) -> a.failure().compareTo(b.failure()))
        .forEach(attempt -> reasons.computeIfAbsent(attempt.failure(), any -> new ArrayList<>()).add(attempt.point()));
    List<String> texts = new ArrayList<>();
    reasons.forEach((reason, points) -> texts.add(
        points.size() + " of the points cannot be carried out: " + reason + " (" + (points.size() > 1 ? "such as " : "")
            + name(points.get(0)) + ")"));
    return texts;
  }

  private static String name(ScenarioFile.Point point) {
    return String.join(", ", point.parameters().entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList());
  }

  /** Tries points, and returns those that failed. */
  private List<Attempt> attempts(
      List<ScenarioFile.Point> points, int side, PointStore store, Progress progress) {
    ExecutorService pool = Executors.newFixedThreadPool(
        Math.min(side, points.size()),
        task -> {
          Thread thread = new Thread(task, "sweep");
          thread.setDaemon(true);
          return thread;
        });
    try {
      CompletionService<Attempt> completion = new ExecutorCompletionService<>(pool);
      for (ScenarioFile.Point point : points) {
        completion.submit(() -> attempt(point, store));
      }
      List<Attempt> failed = new ArrayList<>();
      for (int i = 0; i < points.size(); i++) {
        Attempt attempt = take(completion);
        if (attempt.failed()) {
          failed.add(attempt);
        }
        progress.step();
      }
      return failed;
    } finally {
      pool.shutdownNow();
    }
  }

  private Attempt attempt(ScenarioFile.Point point, PointStore store) {
    try {
      store.append(point, runner.run(point.scenario()));
      return new Attempt(point, "");
    } catch (SimulationException | ScenarioException | InvalidSettingException e) {
      return new Attempt(point, String.valueOf(e.getMessage()));
    } catch (OutOfMemoryError e) {
      return new Attempt(point, OUT_OF_MEMORY);
    }
  }

  private static Attempt take(CompletionService<Attempt> completion) {
    try {
      return completion.take().get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof OutputException output) {
        throw output;
      }
      throw new IllegalStateException("a point of the sweep failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while points were running", e);
    }
  }
}
