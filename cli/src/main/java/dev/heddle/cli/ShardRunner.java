package dev.heddle.cli;

import com.google.common.base.Ticker;
import com.google.common.hash.Hashing;
import dev.heddle.scenario.ScenarioFile;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One worker of a sweep that several workers share through a folder. It runs its shard's points first, then those of
 * other shards that nobody has settled, be their workers slow, killed or not yet started: backup tasks [Dean and
 * Ghemawat 2004, MapReduce, §3.6]. Workers do not talk: each writes its own file and reads those of the others, in an
 * order of its own, so that two seldom take the same point. Points that two workers have run are equal, as results are
 * deterministic. A worker ends when all points are settled, and leaves runs that others have finished before it.
 */
final class ShardRunner {
  private static final Duration LOOK = Duration.ofMillis(500);

  private final PointRunner runner;
  private final int threads;
  private final Ticker ticker;
  private final PointStore store;
  private final ShardFiles others;
  private final Deque<ScenarioFile.Point> queue = new ArrayDeque<>();
  private final Set<String> attempted = new LinkedHashSet<>();
  private final List<Attempt> again = new ArrayList<>();
  private int own;
  private long looked;
  private int runs;
  private int backups;

  /**
   * Prepares a worker.
   *
   * @param runner of points
   * @param threads points that run at once
   * @param ticker for the times at which files of others are read
   * @param store file of the worker
   * @param others files of the other workers
   */
  ShardRunner(PointRunner runner, int threads, Ticker ticker, PointStore store, ShardFiles others) {
    this.runner = runner;
    this.threads = threads;
    this.ticker = ticker;
    this.store = store;
    this.others = others;
  }

  /**
   * The work of one worker.
   *
   * @param runs points that it settled
   * @param backups those among them that belong to other shards
   * @param left points of the sweep that nobody has settled
   */
  record Outcome(int runs, int backups, int left) {}

  /** Runs points until all are settled, or no one is left that this worker has not tried. */
  Outcome run(ScenarioFile file, Shard shard) {
    others.refresh();
    looked = ticker.read();
    fill(file.points(), shard);
    ExecutorService pool = SweepRunner.pool(threads);
    try {
      CompletionService<Boolean> ends = new ExecutorCompletionService<>(pool);
      for (int i = 0; i < threads; i++) {
        ends.submit(() -> {
          work();
          return true;
        });
      }
      if (await(ends, file) && !again.isEmpty()) {
        again.forEach(attempt -> attempt(attempt.point(), false, false));
      }
    } finally {
      pool.shutdownNow();
    }
    others.refresh();
    synchronized (this) {
      return new Outcome(runs, backups, (int) file.points().stream().filter(point -> !settled(point)).count());
    }
  }

  private void fill(List<ScenarioFile.Point> points, Shard shard) {
    List<ScenarioFile.Point> rest = new ArrayList<>();
    for (int p = 0; p < points.size(); p++) {
      (shard.has(p) ? queue : rest).add(points.get(p));
    }
    own = queue.size();
    rest.stream().sorted(Comparator.comparing(point -> order(shard, point))).forEach(queue::add);
  }

  /** A pseudo-random order of points that differs from shard to shard. */
  private static String order(Shard shard, ScenarioFile.Point point) {
    return Hashing.sha256().hashString(shard + " " + point.key(), StandardCharsets.UTF_8).toString();
  }

  /** Waits for all threads, or until all points are settled; true for the former. */
  private boolean await(CompletionService<Boolean> ends, ScenarioFile file) {
    try {
      for (int ended = 0; ended < threads;) {
        Future<Boolean> end = ends.poll(LOOK.toMillis(), TimeUnit.MILLISECONDS);
        if (end != null) {
          SweepRunner.result(end);
          ended++;
        } else {
          others.refresh();
          if (file.points().stream().allMatch(this::settled)) {
            return false;
          }
        }
      }
      return true;
    } catch (InterruptedException e) {
      throw SweepRunner.interrupted(e);
    }
  }

  private void work() {
    for (Task task = next(); task != null; task = next()) {
      attempt(task.point(), task.backup(), threads > 1);
    }
  }

  /** A point to run, and whether it belongs to another shard. */
  private record Task(ScenarioFile.Point point, boolean backup) {}

  private synchronized @Nullable Task next() {
    while (!queue.isEmpty()) {
      boolean backup = own <= 0;
      if (backup || ticker.read() - looked > LOOK.toNanos()) {
        others.refresh();
        looked = ticker.read();
      }
      ScenarioFile.Point point = queue.remove();
      own--;
      if (!settled(point) && attempted.add(point.key())) {
        return new Task(point, backup);
      }
    }
    return null;
  }

  private void attempt(ScenarioFile.Point point, boolean backup, boolean beside) {
    Attempt attempt = Attempt.of(point, runner);
    if (attempt.outOfMemory()) {
      // Another worker may have the memory, or this one when nothing runs beside it.
      if (beside) {
        synchronized (this) {
          again.add(attempt);
        }
      }
      return;
    }
    if (attempt.failed()) {
      store.append(point, attempt.failure());
    } else {
      store.append(point, attempt.results().orElseThrow());
    }
    synchronized (this) {
      runs++;
      backups += backup ? 1 : 0;
    }
  }

  private boolean settled(ScenarioFile.Point point) {
    return store.settled(point.key()) || others.settled(point.key());
  }
}
