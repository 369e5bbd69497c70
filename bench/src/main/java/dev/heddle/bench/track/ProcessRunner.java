package dev.heddle.bench.track;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Runs commands of builds as processes: elapsed and processor time, the most memory, and exact counts of a run's JSON.
 */
final class ProcessRunner {
  private static final String SHIPPED = "commands.yaml";
  private static final List<String> COUNTS = List.of("events", "packetHops", "simulatedPs", "fingerprint");

  // The second line of a shell's times: user and system time of its children [POSIX.1-2017, XCU 2.14, times].
  private static final Pattern TIMES = Pattern.compile("(\\d+)m([\\d.]+)s (\\d+)m([\\d.]+)s");
  static final String TIMED = "times=$1; shift; \"$@\"; code=$?; times >\"$times\"; exit $code";
  private static final double NS = 1e9;
  private static final int SECONDS_PER_MINUTE = 60;
  private static final long KIB = 1024;

  private final Map<String, List<String>> commands;
  private final Path folder;

  /**
   * A runner.
   *
   * @param commands arguments of the command line by name
   * @param folder in which all builds run them, so that they read the same files
   */
  ProcessRunner(Map<String, List<String>> commands, Path folder) {
    this.commands = new LinkedHashMap<>(commands);
    this.folder = folder;
  }

  /** Reads a list of commands, or the one that belongs to the tracker. */
  static Map<String, List<String>> commands(@Nullable Path file) {
    String source = file == null ? SHIPPED : file.toString();
    try {
      String text = file == null
          ? Resources.toString(Resources.getResource(ProcessRunner.class, SHIPPED), StandardCharsets.UTF_8)
          : Files.readString(file);
      Map<String, List<String>> commands = new LinkedHashMap<>();
      JsonNode root = new YAMLMapper().readTree(text);
      root.fields().forEachRemaining(entry -> {
        List<String> arguments = new ArrayList<>();
        entry.getValue().forEach(argument -> arguments.add(argument.asText()));
        if (!entry.getValue().isArray() || arguments.isEmpty()) {
          throw new TrackException(source + ": " + entry.getKey() + ": is no list of arguments, such as [run, a.yaml]");
        }
        commands.put(entry.getKey(), arguments);
      });
      if (commands.isEmpty()) {
        throw new TrackException(source + ": has no command; a line is NAME: [ARGUMENT, ...]");
      }
      return commands;
    } catch (JsonProcessingException e) {
      throw new TrackException(source + ": is no YAML: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new TrackException(source + ": cannot be read: " + e.getMessage());
    }
  }

  /** The cases whose name contains a match of the pattern. */
  List<Case> cases(Pattern pattern) {
    return commands.keySet().stream().map(name -> new Case(Case.PROCESS + name, Map.of()))
        .filter(each -> pattern.matcher(each.benchmark()).find()).toList();
  }

  /** Builds the command line of a checkout if it is out of date, so that no measurement does. */
  static void prepare(Build build) {
    Child child = Child.run(List.of(build.launcher().toString(), "--version"), build.folder(), environment());
    if (child.code() != 0) {
      throw new TrackException(build.launcher() + ": does not start: " + child.complaint());
    }
  }

  /** Measures a command once. */
  Measurement measure(Build build, Case measured) {
    List<String> arguments = commands.get(measured.benchmark().substring(Case.PROCESS.length()));
    if (arguments == null) {
      throw new IllegalArgumentException(measured.benchmark() + " is no command of this runner");
    }
    try {
      Path times = Files.createTempFile("track", ".times");
      try {
        List<String> command = new ArrayList<>(List.of("sh", "-c", TIMED, "sh", times.toString()));
        command.add(build.launcher().toString());
        command.addAll(arguments);
        AtomicLong peak = new AtomicLong();
        long begin = System.nanoTime();
        Child child = Child.run(command, folder, environment(),
            process -> process.descendants().forEach(each -> peak.accumulateAndGet(peakBytes(each), Math::max)));
        long wall = System.nanoTime() - begin;
        if (child.code() != 0) {
          throw new TrackException(measured.text() + ": heddle " + String.join(" ", arguments) + " ended with "
              + child.code() + " in " + build.folder() + ": " + child.complaint());
        }
        Map<String, Double> measures = new TreeMap<>();
        measures.put(Measurement.WALL_NS, (double) wall);
        measures.put(Measurement.PROCESSOR_NS, processorNs(Files.readString(times)));
        if (peak.get() > 0) {
          measures.put(Measurement.PEAK_BYTES, (double) peak.get());
        }
        return new Measurement(measures, counts(child.out()));
      } finally {
        Files.deleteIfExists(times);
      }
    } catch (IOException e) {
      throw new TrackException(measured.text() + ": cannot be timed: " + e.getMessage());
    }
  }

  /** The processor time of children, in ns, from the output of a shell's {@code times}. */
  static double processorNs(String times) {
    List<String> lines = times.lines().toList();
    Matcher matcher = TIMES.matcher(lines.size() < 2 ? "" : lines.get(1).strip());
    if (!matcher.matches()) {
      throw new TrackException("the shell's times are not understood: " + times.strip().replace("\n", "; "));
    }
    double seconds = 0;
    for (int group = 1; group < matcher.groupCount(); group += 2) {
      seconds += SECONDS_PER_MINUTE * Double.parseDouble(matcher.group(group))
          + Double.parseDouble(matcher.group(group + 1));
    }
    return seconds * NS;
  }

  /** The exact counts in the JSON of {@code heddle run}; none in any other output. */
  static Map<String, String> counts(String output) {
    Map<String, String> counts = new TreeMap<>();
    if (output.startsWith("{")) {
      try {
        JsonNode run = new ObjectMapper().readTree(output).path("run");
        COUNTS.stream().filter(run::has).forEach(name -> counts.put(name, run.path(name).asText()));
      } catch (JsonProcessingException e) {
        throw new TrackException("the output of heddle run is no JSON: " + e.getOriginalMessage());
      }
    }
    return counts;
  }

  // The high water mark of resident memory [proc(5), VmHWM in kB]; 0 where the system does not tell.
  private static long peakBytes(ProcessHandle process) {
    try {
      return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * KIB).findFirst().orElse(0);
    } catch (IOException e) {
      // The process has ended.
      return 0;
    }
  }

  private static Map<String, String> environment() {
    return ImmutableMap.of("HEDDLE_JAVA_HOME", System.getProperty("java.home"));
  }
}
