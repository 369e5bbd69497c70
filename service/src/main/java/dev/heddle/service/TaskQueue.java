package dev.heddle.service;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The workers: threads that take tasks from the store, run each in a process, and keep the outcome. A task that an
 * earlier service had begun is queued again; its folder holds the finished points of a sweep.
 */
final class TaskQueue implements AutoCloseable {
  private static final Duration LOOK = Duration.ofMillis(200);
  private static final int MOST_ATTEMPTS_CUT_OFF = 5;

  private final TaskStore store;
  private final Processes processes;
  private final Path folders;
  private final ServiceSettings.Limits limits;
  private final Clock clock;
  private final List<Thread> workers = new ArrayList<>();
  private final Map<String, String> stopped = new ConcurrentHashMap<>();
  private final Object changed = new Object();
  private volatile boolean closed;

  /**
   * A queue.
   *
   * @param store of the tasks
   * @param processes that run them
   * @param folders of the tasks
   * @param limits of tasks
   * @param clock of their times
   */
  TaskQueue(TaskStore store, Processes processes, Path folders, ServiceSettings.Limits limits, Clock clock) {
    this.store = store;
    this.processes = processes;
    this.folders = folders;
    this.limits = limits;
    this.clock = clock;
  }

  /** The processes of tasks: their runner, and the start of each. */
  record Processes(TaskRunner runner, TaskRunner.Launch launch) {}

  /** Queues what an earlier service had begun, and starts the workers. */
  void start(int count) {
    for (Task task : store.all(TaskState.RUNNING)) {
      task.progress().process().ifPresent(processes.runner()::end);
      if (task.progress().attempts() > MOST_ATTEMPTS_CUT_OFF) {
        store.end(task.id(), TaskState.FAILED,
            "was cut off " + task.progress().attempts() + " times with the service; retry it by hand", clock.millis());
      } else {
        store.queue(task.id(), task.priority());
      }
    }
    for (int i = 0; i < count; i++) {
      Thread worker = new Thread(this::work, "worker-" + (i + 1));
      worker.setDaemon(true);
      workers.add(worker);
      worker.start();
    }
  }

  /** The folder of a task. */
  TaskFolder folder(String id) {
    return new TaskFolder(folders.resolve(id));
  }

  /** Tells the workers that the queue may have a task for them. */
  void wake() {
    synchronized (changed) {
      changed.notifyAll();
    }
  }

  /** Ends the process of a task that runs, so that the task counts as cancelled. */
  void cancel(String id) {
    stopped.put(id, "");
    wake();
  }

  private void work() {
    while (!closed) {
      try {
        Optional<Task> next = next();
        if (next.isPresent()) {
          answer(next.get());
        } else {
          synchronized (changed) {
            if (!closed) {
              changed.wait(1000);
            }
          }
        }
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** The next task; none also while the database fails, so that the worker tries again. */
  private Optional<Task> next() {
    try {
      return store.claim(limits.runningTasks(), clock.millis());
    } catch (TaskStore.StoreException e) {
      return Optional.empty();
    }
  }

  private void answer(Task task) throws InterruptedException {
    stopped.remove(task.id());
    TaskFolder folder = folder(task.id());
    try {
      Question question = task.question();
      folder.prepare(question);
      TaskRunner.Running running = processes.runner().start(new TaskRunner.Command(processes.launch(),
          TaskFolder.arguments(question), folder.path(), task.kind() == TaskKind.SWEEP));
      try {
        running.mark().ifPresent(mark -> store.mark(task.id(), mark));
        OptionalInt exit = await(task.id(), running);
        end(task, folder, exit);
      } finally {
        running.kill();
      }
    } catch (IOException | RuntimeException e) {
      if (closed) {
        return;
      }
      store.end(task.id(), TaskState.FAILED, "cannot be run: " + e.getMessage(), clock.millis());
    }
  }

  /** The exit code; empty when the task was cancelled or took too long. */
  private OptionalInt await(String id, TaskRunner.Running running) throws InterruptedException {
    long until = Long.MAX_VALUE;
    boolean begun = false;
    while (true) {
      OptionalInt exit = running.await(LOOK);
      if (!begun && running.begun()) {
        begun = true;
        until = System.nanoTime() + Duration.ofSeconds(limits.taskSeconds()).toNanos();
      }
      if (exit.isPresent()) {
        return exit;
      }
      if (stopped.containsKey(id)) {
        return OptionalInt.empty();
      }
      if (begun && System.nanoTime() - until >= 0) {
        stopped.put(id, "took longer than the limit of " + limits.taskSeconds() + " s; finished points of a sweep are"
            + " kept, and a retry goes on with them");
        return OptionalInt.empty();
      }
    }
  }

  private void end(Task task, TaskFolder folder, OptionalInt exit) {
    if (exit.isEmpty()) {
      String reason = stopped.getOrDefault(task.id(), "");
      store.end(task.id(), reason.isEmpty() ? TaskState.CANCELLED : TaskState.FAILED, reason, clock.millis());
    } else if (exit.getAsInt() == 0) {
      store.end(task.id(), TaskState.DONE, "", clock.millis());
    } else {
      store.end(task.id(), TaskState.FAILED, FaultText.reason(folder.messages(), exit.getAsInt()), clock.millis());
    }
    wake();
  }

  /** Ends the workers and their processes; their tasks stay begun, and a later service goes on with them. */
  @Override
  public void close() {
    closed = true;
    wake();
    workers.forEach(Thread::interrupt);
    for (Thread worker : workers) {
      try {
        worker.join(10_000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
