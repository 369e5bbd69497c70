package dev.heddle.service;

import dev.heddle.registry.PluginKind;

/** The kind of building block that {@link TaskRunner}s are. */
public final class TaskRunnerKind extends PluginKind {
  /** The kind; for {@link java.util.ServiceLoader}. */
  public TaskRunnerKind() {
    super(TaskRunnerProvider.class, TaskRunner.class);
  }
}
