package dev.heddle.cli;

import dev.heddle.registry.Registry;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The installed modules and plug-ins, discovered when a command first asks: the plug-in path is known only then. */
final class Installation {
  private final ClassLoader classPath;
  private final Optional<String> standardPath;
  private final List<Path> pluginPath = new ArrayList<>();
  private @Nullable Registry registry;

  /**
   * Prepares the discovery.
   *
   * @param classPath loader of the modules of Heddle
   * @param standardPath folders and jars of plug-ins as the launcher knows them, as a path list; those that do not
   *     exist are passed over
   */
  Installation(ClassLoader classPath, Optional<String> standardPath) {
    this.classPath = classPath;
    this.standardPath = standardPath;
  }

  /** Adds a folder or jar that the user named. */
  void addPluginPath(Path path) {
    if (!Files.exists(path)) {
      throw new UsageException("--plugin-path " + path + ": does not exist");
    }
    pluginPath.add(path);
  }

  /** The registry; the same at every call. */
  synchronized Registry registry() {
    Registry known = registry;
    if (known == null) {
      known = Registry.discover(classPath, paths());
      registry = known;
    }
    return known;
  }

  /** The identity of program and plug-ins: equal where results are computed by the same classes. */
  String build() {
    return BuildIdentity.of(paths());
  }

  /** The plug-ins that the user named, as arguments of another process in any folder. */
  List<String> arguments() {
    return pluginPath.stream()
        .flatMap(path -> Stream.of("--plugin-path", path.toAbsolutePath().normalize().toString())).toList();
  }

  /**
   * The command that starts this program with the same virtual machine, its options and classes; arguments of the
   * command line follow. Options that describe the terminal, or attach a debugger, are left out.
   */
  static List<String> program() {
    return program(
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(option -> !option.matches("-Dheddle\\.(columns|progress)=.*|-javaagent:.*|-agent.*")).toList());
  }

  /** The command that starts this program with options of the virtual machine; arguments of the command line follow. */
  static List<String> program(List<String> options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> !entry.isEmpty()).map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
    command.addAll(List.of("-cp", classPath, Main.class.getName()));
    return command;
  }

  /** The folders and jars of plug-ins. */
  List<Path> paths() {
    List<Path> paths = new ArrayList<>();
    standardPath.ifPresent(list -> {
      for (String path : list.split(File.pathSeparator, -1)) {
        if (!path.isEmpty() && Files.exists(Path.of(path))) {
          paths.add(Path.of(path));
        }
      }
    });
    paths.addAll(pluginPath);
    return paths;
  }
}
