package dev.heddle.registry;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.spi.NearestMatch;
import dev.heddle.spi.Provider;
import dev.heddle.spi.ValidationSuite;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The installed providers by kind and id, validation suites and presets. An instance, made once, iterated in the order
 * of ids whatever the class path.
 */
public final class Registry implements AutoCloseable {
  private static final int MOST_NAMED = 24;

  private final Map<PluginKind, Map<String, Plugin>> plugins;
  private final Map<String, ValidationSuite> suites;
  private final Map<String, PresetResource> presets;
  private final List<String> warnings;
  private final List<AutoCloseable> loaders;

  /**
   * A discovered provider.
   *
   * @param kind of the provider
   * @param id by which scenarios name it
   * @param provider the instance, stateless
   * @param origin the jar or folder that it came from
   */
  public record Plugin(PluginKind kind, String id, Provider<?, ?> provider, String origin) {}

  /**
   * A preset as it was found: YAML text with {@code description}, {@code source} and {@code value}.
   *
   * @param id by which scenarios name it
   * @param origin the jar or folder that it came from
   * @param text the YAML
   */
  public record PresetResource(String id, String origin, String text) {}

  Registry(Discovery discovery) {
    ImmutableMap.Builder<PluginKind, Map<String, Plugin>> byKind = ImmutableMap.builder();
    discovery.plugins().forEach((kind, byId) -> byKind.put(kind, ImmutableMap.copyOf(byId)));
    plugins = byKind.build();
    suites = ImmutableMap.copyOf(discovery.suites());
    presets = ImmutableMap.copyOf(discovery.presets());
    warnings = ImmutableList.copyOf(discovery.warnings());
    loaders = ImmutableList.copyOf(discovery.loaders());
  }

  /**
   * Discovers the services on the class path of a class loader, and in the jars of plug-in folders.
   *
   * @param classPath loader of the class path, parent of the plug-ins' loaders
   * @param pluginPath jars, or folders of jars; those that do not exist give a warning
   * @throws RegistryException when two providers, suites or presets share an id
   */
  public static Registry discover(ClassLoader classPath, List<Path> pluginPath) {
    return discover(classPath, pluginPath, List.of());
  }

  /**
   * Discovers services as above, and adds providers that no service file lists.
   *
   * @param providers each of a kind whose interface it implements
   * @throws RegistryException when two providers, suites or presets share an id, or a provider is of no kind
   */
  public static Registry discover(
      ClassLoader classPath, List<Path> pluginPath, Collection<? extends Provider<?, ?>> providers) {
    Discovery discovery = new Discovery();
    discovery.scan(classPath, "class path");
    for (Path path : pluginPath) {
      discovery.scanFolder(classPath, path);
    }
    providers.forEach(discovery::add);
    return new Registry(discovery);
  }

  /** The kinds of building block: those of core, then those of other modules and jars. */
  public Collection<PluginKind> kinds() {
    return plugins.keySet();
  }

  /** The kind that makes products of a type. */
  public Optional<PluginKind> kindOf(Class<?> product) {
    return plugins.keySet().stream().filter(kind -> kind.product() == product).findFirst();
  }

  /** The providers of a kind, by ascending id. */
  public Collection<Plugin> plugins(PluginKind kind) {
    return plugins.getOrDefault(kind, ImmutableMap.of()).values();
  }

  /** The ids of a kind, ascending. */
  public List<String> ids(PluginKind kind) {
    return plugins(kind).stream().map(Plugin::id).toList();
  }

  /** The provider of a kind and id, if there is one. */
  public Optional<Plugin> find(PluginKind kind, String id) {
    return Optional.ofNullable(plugins.getOrDefault(kind, ImmutableMap.of()).get(id));
  }

  /**
   * The provider of a kind and id.
   *
   * @throws RegistryException when no plug-in provides it; names those present and the nearest
   */
  public Plugin plugin(PluginKind kind, String id) {
    return find(kind, id).orElseThrow(() -> new RegistryException(unknownIdMessage(kind, id)));
  }

  /** The error message for an id that no plug-in provides: the ids present, and the nearest. */
  public String unknownIdMessage(PluginKind kind, String id) {
    return unknownIdMessage(kind.key(), id, ids(kind));
  }

  /** The validation suites, by ascending id. */
  public Collection<ValidationSuite> suites() {
    return suites.values();
  }

  /**
   * The validation suite of an id.
   *
   * @throws RegistryException when there is none; names those present and the nearest
   */
  public ValidationSuite suite(String id) {
    ValidationSuite suite = suites.get(id);
    if (suite == null) {
      throw new RegistryException(unknownIdMessage("validation suite", id, suites.keySet()));
    }
    return suite;
  }

  /** The presets, by ascending id. */
  public Collection<PresetResource> presets() {
    return presets.values();
  }

  /**
   * The preset of an id.
   *
   * @throws RegistryException when there is none; names those present and the nearest
   */
  public PresetResource preset(String id) {
    PresetResource preset = presets.get(id);
    if (preset == null) {
      throw new RegistryException(unknownIdMessage("preset", id, presets.keySet()));
    }
    return preset;
  }

  /** The reasons why resources that were found could not be used; one line each. */
  public List<String> warnings() {
    return warnings;
  }

  /** Closes the plug-ins' jars; providers must not be used afterwards. */
  @Override
  public void close() {
    List<Exception> failures = new ArrayList<>();
    for (AutoCloseable loader : loaders) {
      try {
        loader.close();
      } catch (Exception e) {
        failures.add(e);
      }
    }
    if (!failures.isEmpty()) {
      throw new IllegalStateException("a plug-in's jar cannot be closed", failures.get(0));
    }
  }

  private static String unknownIdMessage(String kind, String id, Collection<String> present) {
    String all = present.isEmpty() ? "; none is installed"
        : present.size() > MOST_NAMED ? "; heddle presets lists the " + present.size() + " that there are"
        : "; there are " + String.join(", ", present);
    return "no " + kind + " is called '" + id + "'" + all + NearestMatch.hint(id, present);
  }
}
