package dev.heddle.site;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The parts of the site that other programs write. */
final class GeneratedParts {
  /** Modules whose classes nobody calls. */
  private static final List<String> WITHOUT_API = List.of("bench", "docs", "site", "verification", "plugin-archetype");

  private static final int MOST_MESSAGES = 20;

  private GeneratedParts() {}

  /** Runs {@code scenarios/first.yaml} and keeps its report. */
  static void report(Path root, Path file) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("heddle-site");
    Process run = new ProcessBuilder(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
        System.getProperty("java.class.path"), "dev.heddle.cli.Main", "run",
        root.resolve("scenarios/first.yaml").toString(), "--quiet", "--out", folder.toString()).inheritIO().start();
    if (run.waitFor() != 0) {
      throw new SiteException("the sample report cannot be made; its messages are above");
    }
    Files.createDirectories(file.getParent());
    Files.move(folder.resolve("report.html"), file, StandardCopyOption.REPLACE_EXISTING);
    try (Stream<Path> left = Files.list(folder)) {
      for (Path each : left.toList()) {
        Files.delete(each);
      }
    }
    Files.delete(folder);
  }

  /** Writes the Javadoc of all modules that others may call. */
  static void api(Path root, Path folder, String version) throws IOException {
    List<String> arguments = new ArrayList<>(
        List.of("-quiet", "-notimestamp", "-encoding", "UTF-8", "-Xdoclint:all,-missing", "--release", "17",
            "-windowtitle", "Heddle " + version, "-doctitle", "Heddle " + version, "-classpath",
            System.getProperty("java.class.path"), "-d", folder.toString()));
    StringBuilder sources = new StringBuilder();
    try (Stream<Path> modules = Files.list(root)) {
      for (Path module : modules.sorted().toList()) {
        Path source = module.resolve("src/main/java");
        if (Files.isDirectory(source) && !WITHOUT_API.contains(module.getFileName().toString())
            && !module.getFileName().toString().contains("spark")) {
          sources.append(sources.isEmpty() ? "" : File.pathSeparator).append(source);
        }
      }
    }
    arguments.addAll(List.of("-sourcepath", sources.toString(), "-subpackages", "dev.heddle"));
    StringWriter messages = new StringWriter();
    int exit = ToolProvider.findFirst("javadoc").orElseThrow(() -> new SiteException("there is no javadoc tool here"))
        .run(new PrintWriter(messages), new PrintWriter(messages), arguments.toArray(new String[0]));
    if (exit != 0) {
      throw new SiteException("javadoc failed:\n"
          + messages.toString().lines().limit(MOST_MESSAGES).collect(Collectors.joining("\n")));
    }
  }
}
