package dev.heddle.tier;

import dev.heddle.spi.Provider;

/**
 * Provides {@link Topology topologies}.
 *
 * @param <S> the settings record; its components may be links and switches
 */
public interface TopologyProvider<S extends Record> extends Provider<S, Topology> {}
