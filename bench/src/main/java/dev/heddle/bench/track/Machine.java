package dev.heddle.bench.track;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * The class of a machine, within which figures may be compared. It has no name of a host.
 *
 * @param processor model of the processor
 * @param cores that the process may use
 * @param jdk version of the JDK that measures
 */
record Machine(String processor, int cores, String jdk) {
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
  private static final String MODEL = "model name";

  /** This machine; its processor is the instruction set where the system does not tell the model. */
  static Machine current() {
    return new Machine(model(), Runtime.getRuntime().availableProcessors(), System.getProperty("java.version"));
  }

  /** The name of its folder in a history: processor, cores and feature release of the JDK. */
  String folder() {
    String feature = jdk.replaceFirst("[^0-9].*", "");
    String text = processor + " " + cores + " cores jdk " + feature;
    return text.toLowerCase(Locale.ROOT).replaceAll("\\((?:r|tm)\\)", "").replaceAll("[^a-z0-9]+", "-")
        .replaceAll("^-|-$", "");
  }

  private static String model() {
    List<String> lines;
    try {
      lines = Files.isReadable(CPU_INFO) ? Files.readAllLines(CPU_INFO) : List.of();
    } catch (IOException e) {
      lines = List.of();
    }
    return lines.stream().filter(line -> line.startsWith(MODEL)).map(line -> line.replaceFirst("^[^:]*: *", ""))
        .findFirst().orElse(System.getProperty("os.arch"));
  }
}
