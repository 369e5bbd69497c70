package dev.heddle.spi;

/**
 * A device that a topology connects.
 *
 * @param name unique within its tier, such as {@code accelerator3}
 * @param kind what it is
 * @param uplink whether the next outer tier connects it too
 */
public record Terminal(String name, DeviceKind kind, boolean uplink) {}
