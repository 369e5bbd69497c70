package dev.heddle.cli;

import dev.heddle.results.Results;
import dev.heddle.results.SweepResults;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.sim.SimulationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Runs the points of a sweep side by side, each on one thread, and keeps each as it finishes. */
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

  private record Finished(int index, Results results) {}

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
        new SweepResults(file.name(), file.description(), file.axes(), file.plots(), points), failures);
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
      CompletionService<Finished> completion = new ExecutorCompletionService<>(pool);
      for (int index : missing) {
        completion.submit(() -> new Finished(index, runner.run(file.points().get(index).scenario())));
      }
      return collect(file, missing.size(), completion, store, progress);
    } finally {
      pool.shutdownNow();
    }
  }

  private static List<String> collect(
      ScenarioFile file, int count, CompletionService<Finished> completion, PointStore store, Progress progress) {
    Map<String, Integer> failures = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      try {
        Finished finished = completion.take().get();
        store.append(file.points().get(finished.index()), finished.results());
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof SimulationException)) {
          throw new IllegalStateException("a point of the sweep failed", e.getCause());
        }
        failures.merge(String.valueOf(e.getCause().getMessage()), 1, Integer::sum);
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
