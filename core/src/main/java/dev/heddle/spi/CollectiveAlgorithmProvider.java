package dev.heddle.spi;

/**
 * Provides {@link CollectiveAlgorithm}s.
 *
 * @param <S> the settings record
 */
public interface CollectiveAlgorithmProvider<S extends Record> extends Provider<S, CollectiveAlgorithm> {}
