package dev.heddle.service;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.util.concurrent.UncheckedExecutionException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Lists of tasks as JSON. All clients that ask for one list share one answer until a task changes: many pages that
 * poll cost the database one reading.
 */
final class TaskLists {
  private static final int MOST_KEPT = 100;

  private final TaskStore store;
  private final LoadingCache<Version, byte[]> answers;

  TaskLists(TaskStore store) {
    this.store = store;
    answers = CacheBuilder.newBuilder().maximumSize(MOST_KEPT)
        .build(CacheLoader.from((Version version) -> list(version.choice())));
  }

  /**
   * A choice of tasks, newest first.
   *
   * @param state of them; empty for all
   * @param user who asked; empty for all
   * @param most number of tasks
   * @param skip tasks that are left out, of the newest
   */
  record Choice(Optional<TaskState> state, String user, int most, int skip) {}

  private record Version(long changes, Choice choice) {}

  /**
   * The tasks of a choice with the number of tasks by state, as JSON; its bytes are shared and must not be changed.
   *
   * @throws TaskStore.StoreException when the database fails
   */
  byte[] answer(Choice choice) {
    try {
      return answers.getUnchecked(new Version(store.changes(), choice));
    } catch (UncheckedExecutionException e) {
      if (e.getCause() instanceof TaskStore.StoreException failure) {
        throw failure;
      }
      throw e;
    }
  }

  private byte[] list(Choice choice) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    ArrayNode tasks = root.putArray("tasks");
    store.newest(choice.state(), choice.user(), choice.most(), choice.skip()).forEach(task -> tasks.add(json(task)));
    ObjectNode counts = root.putObject("counts");
    store.counts(choice.user()).forEach((state, count) -> counts.put(state.key(), count));
    return (root + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** A task without its question. */
  static ObjectNode json(Task task) {
    Task.Progress progress = task.progress();
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("id", task.id()).put("name", task.name()).put("kind", task.kind().key())
        .put("user", task.user()).put("priority", task.priority()).put("points", task.points())
        .put("state", task.state().key()).put("attempts", progress.attempts()).put("created", progress.createdMs())
        .put("started", progress.startedMs()).put("ended", progress.endedMs()).put("build", task.build())
        .put("message", progress.message());
    ArrayNode faults = node.putArray("faults");
    FaultText.faults(progress.message()).forEach(fault -> faults.add(HttpFrontDoor.json(fault)));
    return node;
  }
}
