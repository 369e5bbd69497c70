package dev.heddle.spi;

/**
 * Provides {@link Workload}s.
 *
 * @param <S> the settings record
 */
public interface WorkloadProvider<S extends Record> extends Provider<S, Workload> {}
