package dev.heddle.registry;

import dev.heddle.spi.Provider;

/**
 * A provider that was found.
 *
 * @param kind what it provides
 * @param id by which scenarios name it
 * @param provider the instance, stateless
 * @param origin the jar or folder that it came from
 */
public record Plugin(PluginKind kind, String id, Provider<?, ?> provider, String origin) {}
