package dev.heddle.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import dev.heddle.report.JsonReport;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The finished points of a sweep, durably: a file of JSON lines, the first of which says whose points they are. Each
 * line is forced to the disk before its point counts as finished; a line that was cut off is dropped. Threads may share
 * it.
 */
final class PointStore implements AutoCloseable {
  static final String FILE = "points.jsonl";

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Path file;
  private final FileChannel channel;
  private final Map<String, Results> points = new LinkedHashMap<>();

  private PointStore(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Opens the points of a sweep, and locks them.
   *
   * @param folder of the sweep
   * @param scenario whose points they are
   * @param fresh drops what an earlier sweep left
   * @throws OutputException when another sweep holds them, another scenario or version left them, or they cannot be
   *     read or written
   */
  static PointStore open(Path folder, ScenarioFile scenario, boolean fresh) {
    Path file = folder.resolve(FILE);
    try {
      FileChannel channel = FileChannel.open(
          file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      PointStore store = new PointStore(file, channel);
      try {
        store.lock();
        if (fresh) {
          channel.truncate(0);
        }
        store.load(scenario);
        force(folder);
        return store;
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw new OutputException(file + ": cannot be used: " + e.getMessage());
    }
  }

  /** The results of the finished points, by key. */
  synchronized Map<String, Results> points() {
    return ImmutableMap.copyOf(points);
  }

  /**
   * Keeps a point; when this returns, it is on the disk.
   *
   * @throws OutputException when it cannot be written
   */
  synchronized void append(ScenarioFile.Point point, Results results) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("point", point.key());
    ObjectNode parameters = node.putObject("parameters");
    point.parameters().forEach(parameters::put);
    String start = node.toString();
    append(start.substring(0, start.length() - 1) + ",\"results\":" + JsonReport.writeLine(results) + "}");
    points.put(point.key(), results);
  }

  private void lock() throws IOException {
    try {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return;
      }
    } catch (OverlappingFileLockException e) {
      throw new OutputException(file + ": another sweep of this program is writing to it");
    }
    throw new OutputException(file + ": another sweep is writing to it; wait for it, or choose another --out");
  }

  private void load(ScenarioFile scenario) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    int end = bytes.length;
    while (end > 0 && bytes[end - 1] != '\n') {
      end--;
    }
    String[] lines = new String(bytes, 0, end, StandardCharsets.UTF_8).split("\n", -1);
    channel.truncate(end);
    channel.position(end);
    if (end == 0) {
      append(header(scenario).toString());
      return;
    }
    checkHeader(lines[0], scenario);
    for (int i = 1; i < lines.length - 1; i++) {
      load(lines[i], i + 1);
    }
  }

  private void load(String line, int number) {
    try {
      JsonNode node = MAPPER.readTree(line);
      points.put(node.required("point").asText(), JsonReport.read(node.required("results").toString()));
    } catch (JsonProcessingException | IllegalArgumentException e) {
      throw new OutputException(
          file + ":" + number + ": is damaged (" + String.valueOf(e.getMessage()).lines().findFirst().orElse("")
              + "); use --fresh to begin anew, or remove the line");
    }
  }

  private void checkHeader(String line, ScenarioFile scenario) {
    ObjectNode expected = header(scenario);
    JsonNode found;
    try {
      found = MAPPER.readTree(line);
    } catch (JsonProcessingException e) {
      throw new OutputException(file + ":1: is no file of points; choose another --out");
    }
    for (String key : new String[] {"scenario", "version", "hash"}) {
      if (!expected.path(key).equals(found.path(key))) {
        throw new OutputException(file + ": holds the points of "
            + (key.equals("hash") ? "a different content of this scenario" : key + " " + found.path(key))
            + "; choose another --out, or begin anew with --fresh");
      }
    }
  }

  private static ObjectNode header(ScenarioFile scenario) {
    return JsonNodeFactory.instance.objectNode()
        .put("scenario", scenario.name())
        .put("version", Version.text())
        .put("hash", scenario.hash())
        .put("points", scenario.points().size());
  }

  private void append(String line) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    } catch (IOException e) {
      throw new OutputException(file + ": cannot be written: " + e.getMessage());
    }
  }

  /** Forces the folder's entry for a new file to the disk, where the system can. */
  private static void force(Path folder) {
    try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
      directory.force(true);
    } catch (IOException e) {
      // Some systems open no folders; there the file's own force must do.
      return;
    }
  }

  @Override
  public synchronized void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new OutputException(file + ": cannot be closed: " + e.getMessage());
    }
  }
}
