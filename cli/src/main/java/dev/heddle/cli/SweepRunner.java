package dev.heddle.cli;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import dev.heddle.report.FailedPoint;
import dev.heddle.results.SweepResults;
import dev.heddle.scenario.ScenarioFile;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Runs the points of a sweep side by side, each on one thread. A thread keeps its point before it begins the next, so
 * that a kill costs at most one unfinished point per thread. Points that run out of memory run again one at a time
 * after the others, as points that run at the same time share the memory.
 */
final class SweepRunner {
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
   * @param failed points that could not be carried out, in the order of the axes
   * @param failures one message per reason for which points could not be carried out
   */
  record Outcome(SweepResults results, List<FailedPoint> failed, List<String> failures) {}

  /** Runs the points that the store does not hold, and returns all. */
  Outcome run(ScenarioFile file, PointStore store, Progress progress) {
    List<ScenarioFile.Point> missing =
        file.points().stream().filter(point -> store.summary(point.key()).isEmpty()).toList();
    progress.start(file.points().size() - missing.size());
    Failures failures = missing.isEmpty() ? new Failures() : runMissing(missing, store, progress);
    return new Outcome(results(file, store), failures.points(file), failures.texts());
  }

  /** Summaries of the finished points, in the order of the axes. */
  static SweepResults results(ScenarioFile file, PointStore store) {
    List<SweepResults.Point> points = new ArrayList<>();
    for (ScenarioFile.Point point : file.points()) {
      store.summary(point.key())
          .ifPresent(results -> points.add(new SweepResults.Point(point.parameters(), results)));
    }
    return new SweepResults(file.name(), file.description(), file.axes(), file.plots(), file.rankings(), points);
  }

  private Failures runMissing(List<ScenarioFile.Point> missing, PointStore store, Progress progress) {
    List<Attempt> failed = new ArrayList<>();
    List<ScenarioFile.Point> again = new ArrayList<>();
    for (Attempt attempt : attempts(missing, threads, store, progress)) {
      if (attempt.outOfMemory() && threads > 1 && missing.size() > 1) {
        again.add(attempt.point());
      } else {
        failed.add(attempt);
      }
    }
    if (!again.isEmpty()) {
      progress.again(again.size());
      failed.addAll(attempts(again, 1, store, progress));
    }
    Failures failures = new Failures();
    failed.forEach(attempt -> failures.add(attempt.point(), attempt.failure()));
    return failures;
  }

  /** Tries points, and returns those that failed. */
  private List<Attempt> attempts(
      List<ScenarioFile.Point> points, int side, PointStore store, Progress progress) {
    ExecutorService pool = pool(Math.min(side, points.size()));
    try {
      CompletionService<Attempt> completion = new ExecutorCompletionService<>(pool);
      for (ScenarioFile.Point point : points) {
        completion.submit(() -> attempt(point, store));
      }
      List<Attempt> failed = new ArrayList<>();
      for (int i = 0; i < points.size(); i++) {
        Attempt attempt = result(completion.take());
        if (attempt.failed()) {
          failed.add(attempt);
        }
        progress.step();
      }
      return failed;
    } catch (InterruptedException e) {
      throw interrupted(e);
    } finally {
      pool.shutdownNow();
    }
  }

  /** Threads that run points; they end with the program. */
  static ExecutorService pool(int threads) {
    return Executors.newFixedThreadPool(
        threads, new ThreadFactoryBuilder().setNameFormat("sweep").setDaemon(true).build());
  }

  private Attempt attempt(ScenarioFile.Point point, PointStore store) {
    Attempt attempt = Attempt.of(point, runner);
    attempt.results().ifPresent(results -> store.append(point, results));
    return attempt.withoutResults();
  }

  /**
   * The result of a task that runs points.
   *
   * @throws OutputException when a point could not be kept
   */
  static <T> T result(Future<T> task) throws InterruptedException {
    try {
      return task.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof OutputException output) {
        throw output;
      }
      throw new IllegalStateException("a point of the sweep failed", e.getCause());
    }
  }

  /** The end of a sweep whose thread was interrupted. */
  static IllegalStateException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new IllegalStateException("interrupted while points were running", e);
  }
}
