package dev.heddle.spi;

/**
 * Provides {@link Link}s.
 *
 * @param <S> the settings record
 */
public interface LinkProvider<S extends Record> extends Provider<S, Link> {}
