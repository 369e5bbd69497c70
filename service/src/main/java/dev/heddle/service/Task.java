package dev.heddle.service;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Optional;

/**
 * A task: a question with its place in the queue and its state.
 *
 * @param id of the task: the first 16 hexadecimal digits of the hash over question, contents of named files and build
 * @param name for people
 * @param user who asked first
 * @param priority tasks of a higher one run first
 * @param kind of its question
 * @param asked the question as JSON
 * @param points of a sweep; 1 for other kinds
 * @param build identity of the program that answers it
 * @param progress of the task
 */
record Task(
    String id, String name, String user, int priority, TaskKind kind, String asked, int points, String build,
    Progress progress) {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /**
   * The progress of a task. Times are milliseconds since 1970.
   *
   * @param state of the task
   * @param attempts number of times that a worker began it
   * @param createdMs time of the request
   * @param startedMs begin of the last attempt; 0 before it
   * @param endedMs end of the last attempt; 0 before it
   * @param message reason for which it failed, as the command line prints it; empty otherwise
   * @param process of the last attempt
   */
  record Progress(
      TaskState state, int attempts, long createdMs, long startedMs, long endedMs, String message,
      Optional<TaskRunner.Mark> process) {}

  /** The question. */
  Question question() {
    try {
      return Question.read(MAPPER.readTree(asked));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the question of task " + id + " is no JSON", e);
    }
  }

  /** The state. */
  TaskState state() {
    return progress.state();
  }
}
