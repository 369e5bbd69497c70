package dev.heddle.spi;

/**
 * Provides {@link Switch}es.
 *
 * @param <S> the settings record
 */
public interface SwitchProvider<S extends Record> extends Provider<S, Switch> {}
