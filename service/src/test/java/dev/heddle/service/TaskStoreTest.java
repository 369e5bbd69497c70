package dev.heddle.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TaskStoreTest {
  @TempDir
  private Path data;

  private static Task task(String id, String user, int priority, long created) {
    Question question = new Question(TaskKind.HPL, "", "text", "", Map.of("--nodes", List.of("4")));
    return new Task(id, "name " + id, user, priority, TaskKind.HPL, question.json().toString(), 1, "build",
        new Task.Progress(TaskState.QUEUED, 0, created, 0, 0, "", Optional.empty()));
  }

  static List<String> databases() {
    return Databases.named().map(List::of).orElse(List.of("jdbc:h2:mem:",
        "jdbc:h2:mem:;MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH"));
  }

  @ParameterizedTest
  @MethodSource("databases")
  void shouldTakeHighestPriorityThenOldestWhenTasksAreClaimed(String url) {
    try (TaskStore store = TaskStore.open(url)) {
      store.add(task("c", "ann", 0, 3));
      store.add(task("a", "ann", 0, 1));
      store.add(task("b", "bob", 0, 2));
      store.add(task("d", "ann", 7, 4));
      assertThat(store.claim(1, 10).map(Task::id)).contains("d");
      assertThat(store.claim(1, 11).map(Task::id)).as("ann runs one already").contains("b");
      assertThat(store.claim(1, 12)).isEmpty();
      assertThat(store.claim(2, 13).map(Task::id)).contains("a");
      store.end("d", TaskState.DONE, "", 20);
      assertThat(store.claim(2, 21).map(Task::id)).contains("c");
      assertThat(store.counts("ann")).containsEntry(TaskState.RUNNING, 2).containsEntry(TaskState.DONE, 1);
      assertThat(store.newest(Optional.empty(), "", 2, 1)).extracting(Task::id).containsExactly("c", "b");
      assertThat(store.newest(Optional.of(TaskState.DONE), "ann", 9, 0)).extracting(Task::id).containsExactly("d");
      store.delete("d");
      assertThat(store.find("d")).isEmpty();
    }
  }

  @Test
  void shouldHoldWhatWasWrittenWhenDatabaseIsOpenedAgain() {
    String url = Databases.named().orElse("jdbc:h2:file:" + data.resolve("tasks") + ";WRITE_DELAY=0");
    Task task = task("a", "ann", 2, 1);
    try (TaskStore store = TaskStore.open(url)) {
      store.add(task);
      store.claim(1, 5);
      store.mark("a", new TaskRunner.Mark("local", "77@99"));
    }
    try (TaskStore store = TaskStore.open(url)) {
      Task read = store.find("a").orElseThrow();
      assertThat(read.question()).isEqualTo(task.question());
      assertThat(read.progress()).isEqualTo(new Task.Progress(
          TaskState.RUNNING, 1, 1, 5, 0, "", Optional.of(new TaskRunner.Mark("local", "77@99"))));
    }
    assertThatThrownBy(() -> TaskStore.open("jdbc:none:x")).isInstanceOf(TaskStore.StoreException.class)
        .hasMessageContaining("jdbc:none:x");
  }

  @Test
  void shouldGiveUpWhenTaskWasCutOffTooOften() {
    try (TaskStore store = TaskStore.open("jdbc:h2:mem:")) {
      store.add(task("often", "ann", 0, 1));
      for (int i = 0; i < 5; i++) {
        store.claim(1, i);
        store.queue("often", 0);
      }
      store.claim(1, 9);
      store.add(task("once", "bob", 0, 2));
      store.claim(1, 10);
      try (TaskQueue queue = new TaskQueue(
          store, new TaskQueue.Processes(new ScriptedRunner(), Launches.NONE), data, RunningService.limits(1000),
          Clock.systemUTC())) {
        queue.start(0);
      }
      assertThat(store.find("often").orElseThrow().state()).isEqualTo(TaskState.FAILED);
      assertThat(store.find("once").orElseThrow().state()).isEqualTo(TaskState.QUEUED);
    }
  }
}
