package dev.heddle.verification;

import com.google.common.base.Suppliers;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The modules of this build on disk: their sources, compiled classes and service files. */
final class Reactor {
  /** The modules that extend the core and depend on nothing else. */
  static final Pattern PLUG_IN = Pattern.compile("(link|topology|workload|collectives|hpl)-[a-z0-9]+");

  private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

  // Classes are imported once for all tests, as this takes many seconds.
  private static final Supplier<Reactor> FOUND = Suppliers.memoize(Reactor::find);

  private final Path root;
  private final Map<String, JavaClasses> classes = new TreeMap<>();
  private final Supplier<JavaClasses> all = Suppliers.memoize(this::imported);

  // The classes that JMH generates at compile time are excluded.
  private static final ImportOption OURS = location -> !location.contains("/jmh_generated/");

  private Reactor(Path root) {
    this.root = root;
  }

  private JavaClasses imported() {
    return new ClassFileImporter().withImportOption(OURS)
        .importPaths(modules().stream().map(this::output).filter(Files::isDirectory).toList());
  }

  /** Reads the build that holds the working directory. */
  static Reactor read() {
    return FOUND.get();
  }

  private static Reactor find() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("core/pom.xml"))) {
      folder = folder.getParent();
      if (folder == null) {
        throw new IllegalStateException("the tests do not run within the build");
      }
    }
    return new Reactor(folder);
  }

  Path root() {
    return root;
  }

  /** The modules with main code, as the parent lists them. */
  List<String> modules() {
    return declared().stream().filter(module -> !sources(module).isEmpty()).toList();
  }

  /** All modules that the parent lists, but for those of profiles. */
  List<String> declared() {
    String parent = text(root.resolve("pom.xml"));
    Matcher matcher = MODULE.matcher(parent.substring(0, parent.indexOf("<profiles>")));
    return matcher.results().map(match -> match.group(1)).toList();
  }

  List<String> plugIns() {
    return modules().stream().filter(module -> PLUG_IN.matcher(module).matches() || module.equals("standard")).toList();
  }

  JavaClasses all() {
    return all.get();
  }

  JavaClasses of(String module) {
    return classes.computeIfAbsent(module, this::selected);
  }

  private JavaClasses selected(String module) {
    if (!modules().contains(module)) {
      throw new IllegalArgumentException("no module " + module);
    }
    String folder = output(module).toUri().toString();
    return all().that(DescribedPredicate.describe("of " + module, type -> type.getSource()
        .filter(source -> source.getUri().toString().startsWith(folder)).isPresent()));
  }

  /** The names of packages that hold classes of a module. */
  TreeSet<String> packages(String module) {
    TreeSet<String> packages = new TreeSet<>();
    for (JavaClass type : of(module)) {
      packages.add(type.getPackageName());
    }
    return packages;
  }

  /** The Java files of a module's main code. */
  List<Path> sources(String module) {
    return files(root.resolve(module).resolve("src/main/java"), ".java");
  }

  /** The Java files of a module's main and test code. */
  List<Path> allSources(String module) {
    return files(root.resolve(module).resolve("src"), ".java");
  }

  /** The providers that a module registers, by service. */
  Map<String, TreeSet<String>> services(String module) {
    Map<String, TreeSet<String>> services = new TreeMap<>();
    for (Path file : files(root.resolve(module).resolve("src/main/resources/META-INF/services"), "")) {
      TreeSet<String> names = new TreeSet<>();
      text(file).lines().map(line -> line.replaceFirst("#.*", "").strip()).filter(line -> !line.isEmpty())
          .forEach(names::add);
      services.put(file.getFileName().toString(), names);
    }
    return services;
  }

  static String text(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // The site is built of the distribution, after these tests: its classes are imported where they are there.
  private Path output(String module) {
    Path output = root.resolve(module).resolve("target/classes");
    if (!Files.isDirectory(output) && !module.equals("site")) {
      throw new IllegalStateException(
          "module " + module + " is not compiled; name it as a dependency of verification");
    }
    return output;
  }

  private static List<Path> files(Path folder, String suffix) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).filter(file -> file.toString().endsWith(suffix)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
