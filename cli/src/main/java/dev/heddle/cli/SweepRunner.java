package dev.heddle.cli;

import dev.heddle.results.Results;
import dev.heddle.results.SweepResults;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.sim.SimulationException;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Runs the points of a sweep side by side, each on one thread. A thread keeps its point before it begins the next, so
 * that a kill costs at most one unfinished point per thread.
 */
final class SweepRunner {
  private final PointRunner runner;
  private final int threads;

  SweepRunner(PointRunner runner, int threads) {
    this.runner = runner;
    this.threads = threads;
  }

  /**
   * What a sweep yielded.
   *
   * @param results the finished points, in the order of the axes whatever the order in which they finished
   * @param failures points that cannot be carried out, and why
   */
  record Outcome(SweepResults results, List<String> failures) {}

  /** Runs the points that the store does not hold, and returns all. */
  Outcome run(ScenarioFile file, PointStore store, Progress progress) {
    Map<String, Results> known = store.points();
    List<Integer> missing = new ArrayList<>();
    for (int i = 0; i < file.points().size(); i++) {
      if (!known.containsKey(file.points().get(i).key())) {
        missing.add(i);
      }
    }
    progress.start(file.points().size() - missing.size());
    List<String> failures = missing.isEmpty() ? List.of() : runMissing(file, missing, store, progress);
    Map<String, Results> all = store.points();
    List<SweepResults.Point> points = new ArrayList<>();
    for (ScenarioFile.Point point : file.points()) {
      Results results = all.get(point.key());
      if (results != null) {
        points.add(new SweepResults.Point(point.parameters(), results));
      }
    }
    return new Outcome(
        new SweepResults(
            file.name(), file.description(), file.axes(), file.plots(), file.rankings(), points),
        failures);
  }

  private List<String> runMissing(ScenarioFile file, List<Integer> missing, PointStore store, Progress progress) {
    ExecutorService pool = Executors.newFixedThreadPool(
        Math.min(threads, missing.size()),
        task -> {
          Thread thread = new Thread(task, "sweep");
          thread.setDaemon(true);
          return thread;
        });
    try {
      CompletionService<ScenarioFile.Point> completion = new ExecutorCompletionService<>(pool);
      for (int index : missing) {
        ScenarioFile.Point point = file.points().get(index);
        completion.submit(() -> store.append(point, runner.run(point.scenario())), point);
      }
      return collect(missing.size(), completion, progress);
    } finally {
      pool.shutdownNow();
    }
  }

  private static List<String> collect(
      int count, CompletionService<ScenarioFile.Point> completion, Progress progress) {
    Map<String, Integer> failures = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      try {
        completion.take().get();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof OutputException output) {
          throw output;
        }
        Throwable cause = e.getCause();
        if (!(cause instanceof SimulationException
            || cause instanceof ScenarioException
            || cause instanceof InvalidSettingException)) {
          throw new IllegalStateException("a point of the sweep failed", cause);
        }
        failures.merge(String.valueOf(cause.getMessage()), 1, Integer::sum);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while points were running", e);
      }
      progress.step();
    }
    List<String> texts = new ArrayList<>();
    failures.forEach((message, times) -> texts.add(times + " of the points cannot be carried out: " + message));
    return texts;
  }
}
