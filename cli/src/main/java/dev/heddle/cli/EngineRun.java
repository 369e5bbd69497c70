package dev.heddle.cli;

import dev.heddle.scenario.ScenarioFile;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A sweep whose points are run by an engine's workers. Workers are started again while points are left and some were
 * finished since the last start, so that a sweep ends even where all workers are killed now and then.
 */
final class EngineRun {
  private static final long LOOK_MILLIS = 250;
  /** Looks that workers are given to end by themselves once all points are settled. */
  private static final int GRACE = 40;

  private final SweepEngine engine;
  private final SweepJob job;
  private final ShardFiles files;

  EngineRun(SweepEngine engine, SweepJob job, PointFormat format) {
    this.engine = engine;
    this.job = job;
    this.files = new ShardFiles(job.folder(), format, job.folder().resolve(PointStore.FILE));
  }

  /** Runs the points that the store does not hold, takes them in, and returns all. */
  SweepRunner.Outcome run(ScenarioFile file, PointStore store, Progress progress) {
    files.refresh();
    List<ScenarioFile.Point> missing =
        file.points().stream().filter(point -> store.summary(point.key()).isEmpty()).toList();
    progress.start(file.points().size() - missing.size());
    List<ScenarioFile.Point> left = left(missing);
    for (int before = Integer.MAX_VALUE; !left.isEmpty() && left.size() < before; left = left(missing)) {
      before = left.size();
      round(missing, progress);
    }
    ShardFiles.written(job.folder()).forEach(store::take);
    Failures failures = files.failures(missing);
    List<String> texts = new ArrayList<>(failures.texts());
    if (!left.isEmpty()) {
      texts.add("all workers ended, and " + left.size() + " of " + file.points().size() + " points are left, though"
          + " the last workers finished none; their messages are in " + job.folder() + "; the same command resumes");
    }
    return new SweepRunner.Outcome(SweepRunner.results(file, store), failures.points(file), texts);
  }

  private List<ScenarioFile.Point> left(List<ScenarioFile.Point> missing) {
    return missing.stream().filter(point -> !files.settled(point.key())).toList();
  }

  private void round(List<ScenarioFile.Point> missing, Progress progress) {
    SweepEngine.Workers workers = engine.start(job);
    CountDownLatch interrupted = new CountDownLatch(1);
    Thread hook = new Thread(() -> {
      interrupted.countDown();
      workers.cancel();
    });
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      int grace = GRACE;
      boolean last = false;
      while (!last) {
        last = !workers.running() || grace == 0;
        files.refresh();
        int left = left(missing).size();
        progress.done(missing.size() - left);
        grace -= left == 0 ? 1 : 0;
        if (!last && interrupted.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
          // The virtual machine ends when its hooks have.
          new CountDownLatch(1).await();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while workers were running", e);
    } finally {
      if (interrupted.getCount() > 0) {
        workers.cancel();
        Runtime.getRuntime().removeShutdownHook(hook);
      }
    }
  }
}
