package dev.heddle.registry;

import dev.heddle.spi.Provider;

/**
 * A discovered provider.
 *
 * @param kind of the provider
 * @param id by which scenarios name it
 * @param provider the instance, stateless
 * @param origin the jar or folder that it came from
 */
public record Plugin(PluginKind kind, String id, Provider<?, ?> provider, String origin) {}
