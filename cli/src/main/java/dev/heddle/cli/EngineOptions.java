package dev.heddle.cli;

import dev.heddle.registry.PluginKind;
import dev.heddle.registry.Registry;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of {@code sweep} that spread it over workers. */
final class EngineOptions {
  private static final PluginKind KIND = new SweepEngineKind();
  private static final int MOST_WORKERS = 100_000;

  @Option(names = "--shard", paramLabel = "I/N",
      description = "Run as worker I of N that share the folder of results: the points of this shard, then those that"
          + " other workers leave.")
  private @Nullable String shard;

  @Option(names = "--engine", paramLabel = "ENGINE",
      description = "The engine that starts workers, such as slurm, or a mapping with its settings, as in '{type:"
          + " slurm, partition: long}'; default: threads of this process.")
  private @Nullable String engine;

  @Option(names = "--workers", paramLabel = "N", description = "Workers that the engine starts.")
  private @Nullable Integer workers;

  @Option(names = "--manifest", description = "Print the engine's batch script or manifest, and run nothing.")
  private boolean manifest;

  /** Whether the manifest is printed and nothing run. */
  boolean manifest() {
    return manifest;
  }

  /** The shard of this worker; empty for a whole sweep. */
  Optional<Shard> shard() {
    return Optional.ofNullable(shard).map(Shard::parse);
  }

  /** The number of workers. */
  int workers() {
    if (workers == null) {
      throw new UsageException("--workers: is missing; --engine needs to know how many it starts");
    }
    if (workers < 1 || workers > MOST_WORKERS) {
      throw new UsageException("--workers " + workers + ": must be from 1 to " + MOST_WORKERS);
    }
    return workers;
  }

  /**
   * The engine; empty for threads of this process.
   *
   * @throws UsageException when options do not go together
   * @throws dev.heddle.spi.InvalidSettingException when there is no such engine
   * @throws dev.heddle.scenario.ScenarioException when its settings are wrong
   */
  Optional<SweepEngine> engine(Registry registry) {
    String named = engine;
    if (named == null) {
      if (workers != null || manifest) {
        throw new UsageException((workers != null ? "--workers" : "--manifest") + ": needs an --engine; there are "
            + String.join(", ", registry.ids(KIND)));
      }
      return Optional.empty();
    }
    if (shard != null) {
      throw new UsageException("--shard: is for one worker, and --engine starts workers; give one of the two");
    }
    return Optional.of((SweepEngine) BlockOption.of(registry, KIND, "--engine", named));
  }
}
