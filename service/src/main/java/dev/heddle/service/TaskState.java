package dev.heddle.service;

import java.util.Locale;

/** The state of a task. */
enum TaskState {
  /** Accepted, and waiting for a worker. */
  QUEUED,
  /** A worker runs its process. */
  RUNNING,
  /** Its results are kept. */
  DONE,
  /** Its process ended without results. */
  FAILED,
  /** A user stopped it. */
  CANCELLED;

  /** The name in the interface, in lower case. */
  String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
