package dev.heddle.service;

import dev.heddle.spi.Provider;

/**
 * Provider of a runner of tasks, which {@code --runner} names.
 *
 * @param <S> settings, such as the partition of a batch system
 */
public interface TaskRunnerProvider<S extends Record> extends Provider<S, TaskRunner> {}
