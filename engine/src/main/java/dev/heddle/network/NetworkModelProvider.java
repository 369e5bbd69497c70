package dev.heddle.network;

import dev.heddle.spi.Provider;

/**
 * Provides {@link NetworkModel}s.
 *
 * @param <S> the settings record
 */
public interface NetworkModelProvider<S extends Record> extends Provider<S, NetworkModel> {}
