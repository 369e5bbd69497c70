package dev.heddle.cli;

import dev.heddle.spi.Provider;

/**
 * Provider of an engine for sweeps, which {@code --engine} names.
 *
 * @param <S> settings, such as the partition of a batch system
 */
public interface SweepEngineProvider<S extends Record> extends Provider<S, SweepEngine> {}
