package dev.heddle.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Takes questions, and changes tasks at the wish of users. */
final class Submissions {
  private static final int MOST_PRIORITY = 10;
  private static final int MOST_NAME = 200;

  private final QuestionCheck check;
  private final TaskStore store;
  private final TaskQueue queue;
  private final String build;
  private final ServiceSettings.Limits limits;
  private final Clock clock;

  Submissions(
      QuestionCheck check, TaskStore store, TaskQueue queue, String build, ServiceSettings.Limits limits, Clock clock) {
    this.check = check;
    this.store = store;
    this.queue = queue;
    this.build = build;
    this.limits = limits;
    this.clock = clock;
  }

  /**
   * The task of a question.
   *
   * @param task of it
   * @param known whether it was there before; one that is done is answered at once
   */
  record Accepted(Task task, boolean known) {}

  /** A checked question with the id that its task has. */
  record Candidate(Question question, QuestionCheck.Checked checked, String id) {}

  /**
   * Checks a question without queueing it.
   *
   * @throws RequestException with everything that is wrong
   */
  Candidate candidate(JsonNode body) {
    Question question = Question.read(body);
    QuestionCheck.Checked checked = check.check(question);
    String all = build + "\n" + checked.contents() + "\n" + question.json();
    String id = Hashing.sha256().hashString(all, StandardCharsets.UTF_8).toString().substring(0, 16);
    return new Candidate(question, checked, id);
  }

  /**
   * Queues a question, unless the same one was asked before of the same build: then its task is the answer. A task that
   * failed or was cancelled is queued again.
   *
   * @throws RequestException when it is refused
   */
  Accepted submit(String user, JsonNode body) {
    int priority = priority(body, 0);
    Candidate candidate = candidate(body);
    synchronized (this) {
      Optional<Task> known = store.find(candidate.id());
      if (known.isPresent() && known.get().state() != TaskState.FAILED
          && known.get().state() != TaskState.CANCELLED) {
        return new Accepted(known.get(), true);
      }
      requirePlace(user);
      if (known.isPresent()) {
        store.queue(candidate.id(), priority);
      } else {
        String name = body.path("name").asText("").strip();
        store.add(new Task(
            candidate.id(), shortened(name.isEmpty() ? candidate.checked().name() : name), user, priority,
            candidate.question().kind(), candidate.question().json().toString(), candidate.checked().points(), build,
            new Task.Progress(TaskState.QUEUED, 0, clock.millis(), 0, 0, "", Optional.empty())));
      }
    }
    queue.wake();
    return new Accepted(find(candidate.id()), false);
  }

  private static String shortened(String name) {
    return name.length() <= MOST_NAME ? name : name.substring(0, MOST_NAME);
  }

  private void requirePlace(String user) {
    Map<TaskState, Integer> counts = store.counts(user);
    int open = counts.getOrDefault(TaskState.QUEUED, 0) + counts.getOrDefault(TaskState.RUNNING, 0);
    if (open >= limits.openTasks()) {
      throw new RequestException(RequestException.TOO_MANY, open + " tasks of " + user
          + " wait or run, as many as are allowed; wait for some, or cancel them");
    }
  }

  private static int priority(JsonNode body, int standard) {
    JsonNode node = body.path("priority");
    if (node.isMissingNode() || node.isNull()) {
      return standard;
    }
    if (!node.isInt() || Math.abs(node.asInt()) > MOST_PRIORITY) {
      throw new RequestException(RequestException.UNPROCESSABLE,
          List.of(new Fault("priority", 0, "must be a whole number from -10 to 10")));
    }
    return node.asInt();
  }

  /**
   * The task of an id.
   *
   * @throws RequestException when there is none
   */
  Task find(String id) {
    return store.find(id).orElseThrow(() -> new RequestException(
        RequestException.NOT_FOUND, "there is no task '" + shortened(id) + "'"));
  }

  /** Cancels a task that waits or runs; others stay as they are. */
  Task cancel(String user, String id) {
    synchronized (this) {
      Task task = own(user, id);
      if (task.state() == TaskState.QUEUED) {
        store.end(id, TaskState.CANCELLED, "", clock.millis());
      } else if (task.state() == TaskState.RUNNING) {
        queue.cancel(id);
      }
    }
    return find(id);
  }

  /** Queues a task again that failed or was cancelled; a sweep goes on with its finished points. */
  Task retry(String user, String id, JsonNode body) {
    synchronized (this) {
      Task task = own(user, id);
      if (task.state() == TaskState.FAILED || task.state() == TaskState.CANCELLED) {
        requirePlace(task.user());
        store.queue(id, priority(body, task.priority()));
      } else if (task.state() == TaskState.QUEUED) {
        store.queue(id, priority(body, task.priority()));
      }
    }
    queue.wake();
    return find(id);
  }

  /**
   * Deletes a task with its files.
   *
   * @throws RequestException when it runs
   */
  void delete(String user, String id) {
    synchronized (this) {
      Task task = own(user, id);
      if (task.state() == TaskState.RUNNING) {
        throw new RequestException(RequestException.CONFLICT, "the task runs; cancel it first");
      }
      store.delete(id);
      queue.folder(id).delete();
    }
  }

  private Task own(String user, String id) {
    Task task = find(id);
    if (!task.user().equals(user)) {
      throw new RequestException(RequestException.FORBIDDEN, "the task is " + task.user() + "'s");
    }
    return task;
  }
}
