package dev.heddle.scenario;

import dev.heddle.registry.Registry.Plugin;

/** A plug-in that failed in its own code, against the rules of the SPI. */
public final class PluginException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param plugin at fault
   * @param cause thrown by the plug-in
   */
  public PluginException(Plugin plugin, Throwable cause) {
    super(
        plugin.kind().key() + " '" + plugin.id() + "' (" + plugin.provider().getClass().getName() + " in "
            + plugin.origin() + ") failed: " + cause,
        cause);
  }
}
