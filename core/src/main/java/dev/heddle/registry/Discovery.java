package dev.heddle.registry;

import dev.heddle.registry.Registry.Plugin;
import dev.heddle.registry.Registry.PresetResource;
import dev.heddle.spi.Provider;
import dev.heddle.spi.ValidationSuite;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;

/** Collects the services and presets of class loaders, continuing past those that cannot be loaded. */
final class Discovery {
  /** The largest preset, or list of presets, in bytes. */
  private static final int MOST_PRESET_BYTES = 1 << 20;

  private static final Pattern ID = Pattern.compile("[a-z][a-z0-9-]{0,62}");
  private static final String INDEX = "META-INF/heddle/presets.index";

  private final Map<PluginKind, Map<String, Plugin>> plugins = new LinkedHashMap<>();
  private final Map<String, ValidationSuite> suites = new TreeMap<>();
  private final Map<String, PresetResource> presets = new TreeMap<>();
  private final List<String> warnings = new ArrayList<>();
  private final List<AutoCloseable> loaders = new ArrayList<>();
  private final List<String> seenIndices = new ArrayList<>();

  Discovery() {
    PluginKind.CORE.forEach(kind -> plugins.put(kind, new TreeMap<>()));
  }

  /** The providers of each kind by ascending id; the kinds of core first, others in the order of discovery. */
  Map<PluginKind, Map<String, Plugin>> plugins() {
    return plugins;
  }

  Map<String, ValidationSuite> suites() {
    return suites;
  }

  Map<String, PresetResource> presets() {
    return presets;
  }

  List<String> warnings() {
    return warnings;
  }

  List<AutoCloseable> loaders() {
    return loaders;
  }

  /** Scans the jars of a folder, or one jar, through a separate class loader. */
  void scanFolder(ClassLoader parent, Path path) {
    List<Path> jars = readableJars(path);
    if (jars.isEmpty()) {
      return;
    }
    URLClassLoader loader = new URLClassLoader(jars.stream().map(Discovery::url).toArray(URL[]::new), parent);
    loaders.add(loader);
    scan(loader, String.join(", ", jars.stream().map(Path::toString).toList()));
  }

  /** Scans the resources of a class loader itself; those of its parent have been scanned before. */
  void scan(ClassLoader loader, String name) {
    load(PluginKind.class, loader, name, this::add);
    for (PluginKind kind : List.copyOf(plugins.keySet())) {
      load(kind.service(), loader, name, provider -> add(kind, provider));
    }
    load(ValidationSuite.class, loader, name, this::add);
    try {
      for (URL index : Collections.list(loader.getResources(INDEX))) {
        if (!seenIndices.contains(index.toString())) {
          seenIndices.add(index.toString());
          addPresets(index);
        }
      }
    } catch (IOException e) {
      warnings.add(name + ": the presets cannot be listed: " + e.getMessage());
    }
  }

  private List<Path> readableJars(Path path) {
    if (!Files.exists(path)) {
      warnings.add(path + ": does not exist");
      return List.of();
    }
    try (Stream<Path> files = Files.isDirectory(path) ? Files.list(path) : Stream.of(path)) {
      return files.filter(file -> file.equals(path) || file.toString().endsWith(".jar")).sorted()
          .filter(this::isReadable).toList();
    } catch (IOException | UncheckedIOException e) {
      warnings.add(path + ": cannot be listed: " + e.getMessage());
      return List.of();
    }
  }

  private boolean isReadable(Path candidate) {
    try (JarFile jar = new JarFile(candidate.toFile())) {
      jar.getManifest();
      return true;
    } catch (IOException e) {
      warnings.add(candidate + ": is no readable jar: " + e.getMessage());
      return false;
    }
  }

  private <S> void load(Class<S> service, ClassLoader loader, String name, Consumer<S> sink) {
    Iterator<ServiceLoader.Provider<S>> found;
    try {
      found = ServiceLoader.load(service, loader).stream().iterator();
    } catch (ServiceConfigurationError | LinkageError e) {
      warnings.add(name + ": " + explain(e));
      return;
    }
    // A service file without end would repeat the same error for ever; a thousand is more than any real one holds.
    for (int failures = 0; failures < 1000;) {
      try {
        if (!found.hasNext()) {
          return;
        }
        ServiceLoader.Provider<S> next = found.next();
        if (next.type().getClassLoader() == loader || loaders.isEmpty()) {
          sink.accept(next.get());
        }
      } catch (RegistryException e) {
        throw e;
      } catch (ServiceConfigurationError | LinkageError | RuntimeException e) {
        failures++;
        String warning = name + ": " + explain(e);
        if (!warnings.contains(warning)) {
          warnings.add(warning);
        }
      }
    }
  }

  private static String explain(Throwable error) {
    boolean told = error instanceof IllegalArgumentException || error instanceof ServiceConfigurationError;
    String text = told ? String.valueOf(error.getMessage()) : error.toString();
    return error.getCause() == null ? text : text + " (" + error.getCause() + ")";
  }

  private void add(PluginKind kind, Provider<?, ?> provider) {
    String id = checkedId(provider.id(), provider);
    SettingsSchema.of(provider.settings());
    Plugin plugin = new Plugin(kind, id, provider, origin(provider.getClass()));
    Plugin other = ofKind(kind).putIfAbsent(id, plugin);
    if (other != null) {
      throw new RegistryException(
          "two providers of the " + kind.key() + " '" + id + "': " + describe(other.provider()) + " and "
              + describe(provider) + "; remove one of them");
    }
  }

  /** Adds a provider to the kind whose interface it implements. */
  void add(Provider<?, ?> provider) {
    PluginKind kind = plugins.keySet().stream().filter(each -> each.service().isInstance(provider)).findFirst()
        .orElseThrow(() -> new RegistryException(
            describe(provider) + " implements the provider interface of no kind of building block"));
    add(kind, provider);
  }

  private Map<String, Plugin> ofKind(PluginKind kind) {
    return plugins.computeIfAbsent(kind, key -> new TreeMap<>());
  }

  private void add(PluginKind kind) {
    plugins.keySet().stream().filter(other -> other.key().equals(kind.key()) && !other.equals(kind)).findFirst()
        .ifPresent(other -> {
          throw new RegistryException("two kinds of building block are called '" + kind.key() + "': "
              + other.service().getName() + " and " + kind.service().getName() + "; remove one of them");
        });
    ofKind(kind);
  }

  private void add(ValidationSuite suite) {
    ValidationSuite other = suites.putIfAbsent(checkedId(suite.id(), suite), suite);
    if (other != null) {
      throw new RegistryException(
          "two validation suites '" + suite.id() + "': " + describe(other) + " and " + describe(suite)
              + "; remove one of them");
    }
  }

  private static String checkedId(String id, Object provider) {
    if (!ID.matcher(id).matches()) {
      throw new IllegalArgumentException(
          describe(provider) + " has the id '" + id + "'; an id is a lower-case letter and then up to 62 of a-z, 0-9"
              + " and -");
    }
    return id;
  }

  // A jar, whose table of entries each opening reads, is opened once; a loader would look for each preset in all jars.
  private void addPresets(URL index) throws IOException {
    String base = index.toString().substring(0, index.toString().length() - INDEX.length());
    URLConnection connection = index.openConnection();
    connection.setUseCaches(false);
    try (JarFile jar = connection instanceof JarURLConnection inJar ? inJar.getJarFile() : null) {
      String origin = base.replaceFirst("^jar:file:(.*)!/$", "$1").replaceFirst("^file:", "");
      read(jar, base, INDEX).lines().map(String::strip).filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .forEach(line -> addPreset(jar, base, origin, line));
    }
  }

  private void addPreset(@Nullable JarFile jar, String base, String origin, String line) {
    if (!ID.matcher(line).matches()) {
      warnings.add(origin + ": the index of presets lists '" + line + "', which is no id");
      return;
    }
    try {
      String text = read(jar, base, "META-INF/heddle/presets/" + line + ".yaml");
      PresetResource other = presets.putIfAbsent(line, new PresetResource(line, origin, text));
      if (other != null) {
        throw new RegistryException(
            "two presets '" + line + "': in " + other.origin() + " and in " + origin + "; remove one of them");
      }
    } catch (IOException e) {
      warnings.add(origin + ": the preset '" + line + "' cannot be read: " + e.getMessage());
    }
  }

  private static String read(@Nullable JarFile jar, String base, String name) throws IOException {
    InputStream found = jar == null ? new URL(base + name).openStream() : jar.getInputStream(new ZipEntry(name));
    try (InputStream in = Optional.ofNullable(found).orElseThrow(() -> new IOException("there is no such file"))) {
      byte[] bytes = in.readNBytes(MOST_PRESET_BYTES + 1);
      if (bytes.length > MOST_PRESET_BYTES) {
        throw new IOException("it has more than " + MOST_PRESET_BYTES + " bytes");
      }
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  private static String describe(Object provider) {
    return provider.getClass().getName() + " in " + origin(provider.getClass());
  }

  private static String origin(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    if (source == null || source.getLocation() == null) {
      return "the class path";
    }
    return URLDecoder.decode(source.getLocation().getPath().replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private static URL url(Path jar) {
    try {
      return jar.toAbsolutePath().toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException("no URL for " + jar, e);
    }
  }
}
