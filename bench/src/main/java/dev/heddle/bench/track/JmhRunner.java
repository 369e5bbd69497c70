package dev.heddle.bench.track;

import com.google.common.io.Resources;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Lists and runs JMH benchmarks of builds, each measurement in a virtual machine of its own. */
final class JmhRunner implements AutoCloseable {
  private static final String MAIN = "org.openjdk.jmh.Main";
  private static final Pattern PARAMETER = Pattern.compile(" +param \"([^\"]+)\" = \\{(.*)}");

  private final List<String> options;
  private final List<String> parameters;
  private final List<String> machineOptions;
  private final Path profiler;

  /**
   * A runner.
   *
   * @param options of JMH for warm-up and measurement
   * @param parameters restrictions of parameters, as {@code NAME=VALUE,VALUE}
   * @param machineOptions options of the measured virtual machine
   */
  JmhRunner(List<String> options, List<String> parameters, List<String> machineOptions) {
    this.options = List.copyOf(options);
    this.parameters = List.copyOf(parameters);
    this.machineOptions = List.copyOf(machineOptions);
    this.profiler = profilerJar();
  }

  /** The cases of a build whose benchmark's name contains a match of the pattern. */
  List<Case> cases(Build build, String pattern) {
    List<String> command = command(build, List.of("-XX:TieredStopAtLevel=1"));
    command.add("-lp");
    parameters.forEach(each -> command.addAll(List.of("-p", each)));
    command.add(pattern);
    Child child = Child.run(command, build.folder(), Map.of());
    if (child.code() != 0) {
      throw new TrackException(build.folder() + ": its benchmarks cannot be listed: " + child.complaint());
    }
    return parse(child.out());
  }

  /** Reads JMH's list of benchmarks and parameters: one case per combination of values. */
  static List<Case> parse(String listing) {
    List<Case> cases = new ArrayList<>();
    List<Case> current = new ArrayList<>();
    for (String line : listing.lines().toList()) {
      Matcher parameter = PARAMETER.matcher(line);
      if (parameter.matches()) {
        List<Case> combined = new ArrayList<>();
        for (Case each : current) {
          for (String value : parameter.group(2).split(", ", -1)) {
            Map<String, String> values = new TreeMap<>(each.parameters());
            values.put(parameter.group(1), value);
            combined.add(new Case(each.benchmark(), values));
          }
        }
        current = combined;
      } else if (!line.isBlank() && !line.startsWith(" ") && !line.startsWith("Benchmarks:")) {
        cases.addAll(current);
        current = new ArrayList<>(List.of(new Case(line.strip(), Map.of())));
      }
    }
    cases.addAll(current);
    return cases;
  }

  /** Measures a case once. */
  Measurement measure(Build build, Case measured) {
    try {
      Path json = Files.createTempFile("track", ".json");
      try {
        List<String> command = command(build, List.of("-Djmh.ignoreLock=true"));
        command.add("^" + Pattern.quote(measured.benchmark()) + "$");
        measured.parameters().forEach((name, value) -> command.addAll(List.of("-p", name + "=" + value)));
        command.addAll(List.of("-f", "1", "-rf", "json", "-rff", json.toString(), "-foe", "true", "-prof", "gc",
            "-prof", ProcessorTime.class.getName()));
        command.addAll(options);
        if (!machineOptions.isEmpty()) {
          command.addAll(List.of("-jvmArgsAppend", String.join(" ", machineOptions)));
        }
        Child child = Child.run(command, build.folder(), Map.of());
        if (child.code() != 0) {
          throw new TrackException(measured.text() + ": failed in " + build.folder() + ": " + child.complaint());
        }
        return JmhResult.read(Files.readString(json), measured.text());
      } finally {
        Files.deleteIfExists(json);
      }
    } catch (IOException e) {
      throw new TrackException(measured.text() + ": no result can be read: " + e.getMessage());
    }
  }

  private List<String> command(Build build, List<String> virtualMachine) {
    List<String> command = new ArrayList<>(List.of(java()));
    command.addAll(virtualMachine);
    command.addAll(List.of("-cp", build.classPath(List.of(profiler)), MAIN));
    return command;
  }

  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  // A build from before the profiler has none on its class path, and must not see other classes of this one.
  private static Path profilerJar() {
    String name = ProcessorTime.class.getName().replace('.', '/') + ".class";
    try {
      Path jar = Files.createTempFile("track-profiler", ".jar");
      try (OutputStream out = Files.newOutputStream(jar); ZipOutputStream zip = new ZipOutputStream(out)) {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(Resources.toByteArray(Resources.getResource(name)));
        zip.closeEntry();
      }
      return jar;
    } catch (IOException e) {
      throw new TrackException("the profiler cannot be written: " + e.getMessage());
    }
  }

  @Override
  public void close() {
    try {
      Files.deleteIfExists(profiler);
    } catch (IOException e) {
      throw new TrackException(profiler + ": cannot be removed: " + e.getMessage());
    }
  }
}
