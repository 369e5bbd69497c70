package dev.heddle.network;

import dev.heddle.registry.PluginKind;

/** The kind of building block that {@link NetworkModel}s are. */
public final class NetworkModelKind extends PluginKind {
  /** The kind; for {@link java.util.ServiceLoader}. */
  public NetworkModelKind() {
    super(NetworkModelProvider.class, NetworkModel.class);
  }
}
