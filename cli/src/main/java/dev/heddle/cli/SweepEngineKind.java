package dev.heddle.cli;

import dev.heddle.registry.PluginKind;

/** The kind of building block that {@link SweepEngine}s are. */
public final class SweepEngineKind extends PluginKind {
  /** The kind; for {@link java.util.ServiceLoader}. */
  public SweepEngineKind() {
    super(SweepEngineProvider.class, SweepEngine.class);
  }
}
