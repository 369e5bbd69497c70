package dev.heddle.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.hash.Hashing;
import dev.heddle.report.JsonReport;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioFile;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The finished points of a sweep on disk: a file of JSON lines, of which the first identifies scenario, inputs and
 * build. Each line carries a checksum (CRC-32C) and is forced to the disk before its point counts as finished; a last
 * line that was cut off is dropped. Memory holds a summary of each point; the full results are read from the file when
 * they are needed. Threads may share the store.
 *
 * <p>The file is read through the channel that holds its lock: closing any other descriptor of the file would release
 * the lock of the whole process (POSIX fcntl).
 */
final class PointStore implements AutoCloseable {
  static final String FILE = "points.jsonl";

  /** The version of the file's layout. */
  private static final int FORMAT = 2;
  private static final int MAX_LINE_BYTES = 512 << 20;
  private static final String CHECKSUM = "{\"crc32c\":\"";
  /** Bytes of a line before the text that the checksum covers. */
  private static final int PREFIX = CHECKSUM.length() + 8 + 2;

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Path file;
  private final FileChannel channel;
  private final Map<String, Entry> points = new LinkedHashMap<>();
  private final PointSummaries summaries = new PointSummaries();

  /**
   * A finished point.
   *
   * @param offset of its line in bytes
   * @param length of its line in bytes, without the line feed
   * @param summary its results without links, series and histograms
   */
  private record Entry(long offset, int length, Results summary) {}

  private PointStore(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Opens the points of a sweep, and locks them.
   *
   * @param folder of the sweep
   * @param scenario whose points they are
   * @param build identity of the program and its plug-ins
   * @param fresh whether points of an earlier sweep are dropped
   * @throws OutputException when another sweep holds the points, they belong to another scenario, input or build, or
   *     they cannot be read or written
   */
  static PointStore open(Path folder, ScenarioFile scenario, String build, boolean fresh) {
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
        store.load(header(scenario, build));
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

  /** Summaries of a finished point's results; empty where the point has not finished. */
  synchronized Optional<Results> summary(String key) {
    return Optional.ofNullable(points.get(key)).map(Entry::summary);
  }

  /**
   * The full results of a finished point.
   *
   * @throws OutputException when they cannot be read
   */
  Results results(String key) {
    Entry entry;
    synchronized (this) {
      entry = points.get(key);
    }
    if (entry == null) {
      throw new IllegalArgumentException("the point " + key + " has not finished");
    }
    byte[] line = new byte[entry.length()];
    ByteBuffer buffer = ByteBuffer.wrap(line);
    try {
      while (buffer.hasRemaining()) {
        if (channel.read(buffer, entry.offset() + buffer.position()) < 0) {
          throw new OutputException(file + ": has become shorter while it was in use");
        }
      }
    } catch (IOException e) {
      throw new OutputException(file + ": cannot be read: " + e.getMessage());
    }
    return parse(line, 0).results();
  }

  /**
   * Stores a point; it is on the disk when this returns.
   *
   * @throws OutputException when it cannot be written
   */
  void append(ScenarioFile.Point point, Results results) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("point", point.key());
    ObjectNode parameters = node.putObject("parameters");
    point.parameters().forEach(parameters::put);
    String start = node.toString();
    byte[] line = line(start.substring(1, start.length() - 1) + ",\"results\":" + JsonReport.writeLine(results) + "}");
    synchronized (this) {
      long offset = append(line);
      points.put(point.key(), new Entry(offset, line.length - 1, summaries.of(results)));
    }
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

  private void load(ObjectNode header) throws IOException {
    long end = 0;
    int number = 0;
    channel.position(0);
    // The stream stays open: closing it would close the channel.
    InputStream in = new BufferedInputStream(Channels.newInputStream(channel), 1 << 16);
    for (byte[] line = readLine(in); line != null; line = readLine(in)) {
      number++;
      if (number == 1) {
        checkHeader(line, header);
      } else {
        Line read = parse(line, number);
        points.put(read.key(), new Entry(end, line.length, summaries.of(read.results())));
      }
      end += line.length + 1;
    }
    channel.truncate(end);
    channel.position(end);
    if (end == 0) {
      String text = header.toString();
      append(line(text.substring(1)));
    }
  }

  /** The next whole line without its line feed; null at the end of the file, or before an incomplete line. */
  private byte @Nullable [] readLine(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next >= 0; next = in.read()) {
      if (next == '\n') {
        return line.toByteArray();
      }
      if (line.size() == MAX_LINE_BYTES) {
        throw new OutputException(file + ": is no file of points: a line has more than " + MAX_LINE_BYTES + " bytes");
      }
      line.write(next);
    }
    return null;
  }

  /** A point as read from its line. */
  private record Line(String key, Results results) {}

  private Line parse(byte[] line, int number) {
    String place = file + (number > 0 ? ":" + number : "");
    if (!intact(line)) {
      throw new OutputException(
          place + ": is damaged: its checksum does not fit; use --fresh to begin anew, or remove the line");
    }
    try {
      JsonNode node = MAPPER.readTree(line);
      return new Line(node.required("point").asText(), JsonReport.read(node.required("results").toString()));
    } catch (IOException | RuntimeException e) {
      throw new OutputException(place + ": is no finished point; use --fresh to begin anew, or remove the line");
    }
  }

  private void checkHeader(byte[] line, ObjectNode expected) {
    JsonNode found;
    try {
      found = MAPPER.readTree(new String(line, StandardCharsets.UTF_8));
    } catch (JsonProcessingException e) {
      throw new OutputException(file + ":1: is no file of points; choose another --out");
    }
    if (found == null || found.path("format").asInt() != FORMAT) {
      throw refused("another version's layout of points");
    }
    if (!intact(line)) {
      throw new OutputException(file + ":1: is damaged: its checksum does not fit; use --fresh to begin anew");
    }
    if (!expected.path("scenario").equals(found.path("scenario"))) {
      throw refused("the points of scenario " + found.path("scenario"));
    }
    if (!expected.path("hash").equals(found.path("hash"))) {
      throw refused("the points of a different content of this scenario, or of the files that it names");
    }
    if (!expected.path("build").equals(found.path("build"))) {
      throw refused("the points of another build of Heddle or of its plug-ins (" + found.path("version").asText() + ", "
          + found.path("build").asText() + "; this is " + expected.path("version").asText() + ", "
          + expected.path("build").asText() + ")");
    }
  }

  private OutputException refused(String holds) {
    return new OutputException(file + ": holds " + holds + "; choose another --out, or begin anew with --fresh");
  }

  private static ObjectNode header(ScenarioFile scenario, String build) {
    return JsonNodeFactory.instance.objectNode()
        .put("format", FORMAT)
        .put("scenario", scenario.name())
        .put("version", Version.text())
        .put("build", build)
        .put("hash", scenario.hash())
        .put("points", scenario.points().size());
  }

  /** A line with its checksum and line feed; {@code rest} is a JSON object without its opening brace. */
  private static byte[] line(String rest) {
    String covered = "\"," + rest;
    String checksum = checksum(covered.getBytes(StandardCharsets.UTF_8), 2);
    return (CHECKSUM + checksum + covered + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static boolean intact(byte[] line) {
    return line.length > PREFIX
        && new String(line, 0, PREFIX, StandardCharsets.ISO_8859_1)
            .equals(CHECKSUM + checksum(line, PREFIX) + "\",");
  }

  private static String checksum(byte[] bytes, int from) {
    return Hashing.crc32c().hashBytes(bytes, from, bytes.length - from).toString();
  }

  /** Appends a line and returns its offset. */
  private long append(byte[] line) {
    try {
      long offset = channel.size();
      ByteBuffer bytes = ByteBuffer.wrap(line);
      while (bytes.hasRemaining()) {
        channel.write(bytes, offset + bytes.position());
      }
      channel.force(true);
      return offset;
    } catch (IOException e) {
      throw new OutputException(file + ": cannot be written: " + e.getMessage());
    }
  }

  /** Forces the folder's entry for a new file to the disk, where the system can. */
  private static void force(Path folder) {
    try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
      directory.force(true);
    } catch (IOException e) {
      // Some systems cannot open folders; there only the file itself is forced.
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
