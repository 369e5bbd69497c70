package dev.heddle.service;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The folder of a task. The names of all files in it are fixed here; none comes from a request.
 *
 * @param path of the folder
 */
record TaskFolder(Path path) {
  /** Standard output of the process. */
  static final String OUTPUT = "output.txt";

  /** Standard error of the process. */
  static final String MESSAGES = "messages.txt";

  /** Figures of the running process. */
  static final String LIVE = "live.json";

  private static final String RESULTS = "results";
  private static final String CLUSTER = "cluster.yaml";
  private static final int MOST_MESSAGE_BYTES = 64 << 10;

  /** Writes the question's files. */
  void prepare(Question question) {
    try {
      Files.createDirectories(path);
      if (!question.kind().textFile().isEmpty()) {
        Files.writeString(path.resolve(question.kind().textFile()), question.text());
      }
      if (!question.cluster().isEmpty()) {
        Files.writeString(path.resolve(CLUSTER), question.cluster());
      }
      Files.deleteIfExists(path.resolve(LIVE));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The arguments of the command line that answers a question in this folder. */
  static List<String> arguments(Question question) {
    List<String> arguments = new ArrayList<>(List.of(question.kind().command()));
    if (!question.kind().textFile().isEmpty()) {
      arguments.add(question.kind().textFile());
    } else if (!question.test().isEmpty()) {
      arguments.add(question.test());
    }
    question.options().forEach((name, values) -> values.forEach(
        value -> arguments.add(value.equals("true") && isSwitch(name) ? name : name + "=" + value)));
    if (!question.cluster().isEmpty()) {
      arguments.add("--cluster=" + CLUSTER);
    }
    switch (question.kind()) {
      case SCENARIO, SWEEP -> arguments.add("--out=" + RESULTS);
      case NCCL_TESTS -> arguments.add("--json");
      case TRAIN -> {
        arguments.add("--json");
        if (!question.option("--fidelity").equals("estimate")) {
          arguments.add("--out=" + RESULTS);
        }
      }
      default -> {
        // These commands print a table, and write no files.
      }
    }
    return arguments;
  }

  private static boolean isSwitch(String name) {
    return List.of("--no-verify", "--ignore-memory", "--no-sequence-parallel", "--compare").contains(name);
  }

  /** Results as JSON, where the task has any. */
  Optional<Path> results(TaskKind kind) {
    return kind == TaskKind.TRAIN || kind == TaskKind.NCCL_TESTS ? file(OUTPUT) : file(RESULTS + "/results.json");
  }

  /** Results of the run of a training job beside its figures. */
  Optional<Path> run() {
    return file(RESULTS + "/results.json");
  }

  /** The report, where there is one. */
  Optional<Path> report() {
    return file(RESULTS + "/report.html");
  }

  /** The trace, where there is one. */
  Optional<Path> trace() {
    return file(RESULTS + "/trace.json");
  }

  /** Standard output. */
  Optional<Path> output() {
    return file(OUTPUT);
  }

  /** Figures of the running process. */
  Optional<Path> live() {
    return file(LIVE);
  }

  private Optional<Path> file(String name) {
    return Optional.of(path.resolve(name)).filter(Files::isRegularFile);
  }

  /** The begin of standard error. */
  String messages() {
    Path file = path.resolve(MESSAGES);
    if (!Files.isRegularFile(file)) {
      return "";
    }
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(MOST_MESSAGE_BYTES), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deletes the folder. */
  void delete() {
    try {
      if (Files.exists(path)) {
        MoreFiles.deleteRecursively(path, RecursiveDeleteOption.ALLOW_INSECURE);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
