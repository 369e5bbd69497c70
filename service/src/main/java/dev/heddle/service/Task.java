package dev.heddle.service;

import java.util.Optional;

/**
 * A task: a question with its place in the queue and its state.
 *
 * @param id of the task: the first 16 hexadecimal digits of the hash over question, contents of named files and build
 * @param name for people
 * @param user who asked first
 * @param priority tasks of a higher one run first
 * @param question to answer
 * @param points of a sweep; 1 for other kinds
 * @param build identity of the program that answers it
 * @param progress of the task
 */
record Task(
    String id, String name, String user, int priority, Question question, int points, String build,
    Progress progress) {
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

  /** The state. */
  TaskState state() {
    return progress.state();
  }
}
