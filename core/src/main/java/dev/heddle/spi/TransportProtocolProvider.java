package dev.heddle.spi;

/**
 * Provides {@link TransportProtocol}s.
 *
 * @param <S> the settings record
 */
public interface TransportProtocolProvider<S extends Record> extends Provider<S, TransportProtocol> {}
