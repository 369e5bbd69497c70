package dev.heddle.registry;

/**
 * A preset as it was found: YAML text with {@code description}, {@code source} and {@code value}.
 *
 * @param id by which scenarios name it
 * @param origin the jar or folder that it came from
 * @param text the YAML
 */
public record PresetResource(String id, String origin, String text) {}
