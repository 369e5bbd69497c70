package dev.heddle.scenario;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.util.concurrent.UncheckedExecutionException;
import dev.heddle.collective.Group;
import dev.heddle.registry.Registry;
import dev.heddle.registry.Registry.Plugin;
import dev.heddle.registry.SettingsSchema;
import dev.heddle.scenario.Node.Mapping;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Retransmission;
import java.util.List;
import java.util.Optional;

/**
 * A collective algorithm some of whose settings follow from the cluster, as a scenario leaves them out: it is made anew
 * for each cluster.
 */
final class DerivedAlgorithm implements CollectiveAlgorithm {
  private final CollectiveAlgorithm algorithm;
  private final Registry registry;
  private final InputFolders folders;
  private final Plugin plugin;
  private final CollectiveAlgorithmProvider<?> provider;
  private final Mapping mapping;
  private final String path;
  // By identity of the cluster, of which a simulation has one.
  private final LoadingCache<Cluster, CollectiveAlgorithm> byCluster =
      CacheBuilder.newBuilder().weakKeys().build(CacheLoader.from(this::derive));

  /**
   * An algorithm whose settings may follow from the cluster.
   *
   * @param algorithm as made from the settings that a scenario has
   * @param registry of providers and presets
   * @param folders of the files that the settings may name
   * @param plugin whose provider made it
   * @param mapping of these settings
   * @param path of the mapping
   */
  DerivedAlgorithm(
      CollectiveAlgorithm algorithm, Registry registry, InputFolders folders, Plugin plugin, Mapping mapping,
      String path) {
    this.algorithm = algorithm;
    this.registry = registry;
    this.folders = folders;
    this.plugin = plugin;
    this.provider = (CollectiveAlgorithmProvider<?>) plugin.provider();
    this.mapping = mapping;
    this.path = path;
  }

  @Override
  public Communicator communicator(Cluster cluster, Group group) {
    try {
      return byCluster.getUnchecked(cluster).communicator(cluster, group);
    } catch (UncheckedExecutionException e) {
      throw e.getCause() instanceof ScenarioException problem ? problem : e;
    }
  }

  @Override
  public Retransmission retransmission() {
    return algorithm.retransmission();
  }

  private CollectiveAlgorithm derive(Cluster cluster) {
    Mapping settings = mapping;
    for (String key : SettingsSchema.of(provider.settings()).keys()) {
      Optional<String> value = mapping.entries().containsKey(key) ? Optional.empty() : derived(key, cluster);
      if (value.isPresent()) {
        settings = settings.with(key, Presets.resolve(YamlReader.parse(Binder.join(path, key), value.get()), registry));
      }
    }
    if (settings == mapping) {
      return algorithm;
    }
    Binder binder = new Binder(registry, folders);
    Object product = binder.create(plugin, settings, path);
    if (product == null) {
      throw new ScenarioException(binder.problems());
    }
    return (CollectiveAlgorithm) product;
  }

  private Optional<String> derived(String key, Cluster cluster) {
    try {
      return provider.derived(key, cluster);
    } catch (InvalidSettingException e) {
      throw new ScenarioException(List.of(Binder.invalid(e, mapping, path)));
    }
  }
}
