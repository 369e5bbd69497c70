package dev.heddle.service;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Settings of a service.
 *
 * @param address to listen on, such as {@code 127.0.0.1}
 * @param port to listen on; 0 for any that is free
 * @param names of this host by which browsers may call it, besides {@code localhost} and the address
 * @param data folder of the database and of the tasks
 * @param database JDBC URL of the database; absent: one in the data folder
 * @param workers tasks that run at once
 * @param tokens users by token; none: everybody who reaches the service is the user {@code local}
 * @param inputs folder whose files scenarios may name, and whose scenarios are offered as samples
 * @param limits of requests and tasks
 */
public record ServiceSettings(
    String address, int port, List<String> names, Path data, Optional<String> database, int workers,
    Map<String, String> tokens, Optional<Path> inputs, Limits limits) {
  /** Copies the collections. */
  public ServiceSettings {
    names = ImmutableList.copyOf(names);
    tokens = ImmutableMap.copyOf(tokens);
  }

  /**
   * Limits of requests and tasks.
   *
   * @param requestBytes of the body of a request
   * @param openTasks tasks of one user that wait or run
   * @param runningTasks tasks of one user that run at once
   * @param taskSeconds wall-clock time of one attempt of a task
   * @param memoryMiB heap of a task's process
   * @param terminals of a scenario's cluster
   * @param points of a sweep
   * @param requestMillis time within which a request must have arrived whole
   */
  public record Limits(
      int requestBytes, int openTasks, int runningTasks, int taskSeconds, int memoryMiB, int terminals, int points,
      int requestMillis) {
    /** Limits for a team on one machine. */
    public static Limits standard(int workers) {
      return new Limits(2 << 20, 2000, workers, 3600, 2048, 131_072, 20_000, 15_000);
    }
  }
}
