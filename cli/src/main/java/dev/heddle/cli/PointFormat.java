package dev.heddle.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.hash.Hashing;
import dev.heddle.report.JsonReport;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The format of files of points: JSON lines, of which the first identifies scenario, inputs and build, and each other
 * settles one point by its results or by the reason why it cannot be carried out. Each line carries a checksum
 * (CRC-32C).
 */
final class PointFormat {
  /** The version of the format. */
  private static final int FORMAT = 2;
  private static final int MAX_LINE_BYTES = 512 << 20;
  private static final String CHECKSUM = "{\"crc32c\":\"";
  /** Bytes of a line before the text that the checksum covers. */
  private static final int PREFIX = CHECKSUM.length() + 8 + 2;

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final JsonFactory FACTORY = new JsonFactory();

  private final ObjectNode header;

  /**
   * The format for the points of a sweep.
   *
   * @param scenario whose points they are
   * @param build identity of the program and its plug-ins
   */
  PointFormat(ScenarioFile scenario, String build) {
    header = JsonNodeFactory.instance.objectNode()
        .put("format", FORMAT)
        .put("scenario", scenario.name())
        .put("version", Version.text())
        .put("build", build)
        .put("hash", scenario.hash())
        .put("points", scenario.points().size());
  }

  /**
   * The key of a settled point.
   *
   * @param key of the point
   * @param failure reason why the point cannot be carried out; empty where the line holds results
   */
  record Settled(String key, String failure) {}

  /** The first line of a file, with its line feed. */
  byte[] header() {
    return line(header.toString().substring(1));
  }

  /** The line of a finished point, with its line feed. */
  byte[] finished(ScenarioFile.Point point, Results results) {
    ObjectNode node = JsonNodeFactory.instance.objectNode().put("point", point.key());
    ObjectNode parameters = node.putObject("parameters");
    point.parameters().forEach(parameters::put);
    String start = node.toString();
    return line(start.substring(1, start.length() - 1) + ",\"results\":" + JsonReport.writeLine(results) + "}");
  }

  /** The line of a point that cannot be carried out, with its line feed. */
  byte[] failed(ScenarioFile.Point point, String reason) {
    return line(
        JsonNodeFactory.instance.objectNode().put("point", point.key()).put("failure", reason).toString().substring(1));
  }

  /**
   * Reads which point a line settles, without reading its results.
   *
   * @throws OutputException when the line is damaged
   */
  static Settled settled(byte[] line, Path file, int number) {
    requireIntact(line, file, number);
    try (JsonParser parser = FACTORY.createParser(line)) {
      parser.nextToken();
      parser.nextFieldName();
      parser.nextTextValue();
      String name = parser.nextFieldName();
      String key = parser.nextTextValue();
      if (!"point".equals(name) || key == null) {
        throw noPoint(file, number);
      }
      String reason = "failure".equals(parser.nextFieldName()) ? parser.nextTextValue() : "";
      return new Settled(key, reason == null ? "" : reason);
    } catch (IOException e) {
      throw noPoint(file, number);
    }
  }

  /**
   * Reads the results of a finished point.
   *
   * @throws OutputException when the line is damaged
   */
  static Results results(byte[] line, Path file, int number) {
    requireIntact(line, file, number);
    try {
      return JsonReport.read(MAPPER.readTree(line).required("results").toString());
    } catch (IOException | RuntimeException e) {
      throw noPoint(file, number);
    }
  }

  /** The next whole line without its line feed; null at the end of the file, or before an incomplete line. */
  static byte @Nullable [] readLine(InputStream in, Path file) throws IOException {
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

  /**
   * Checks that a file holds points of this sweep.
   *
   * @param line first line of the file
   * @throws OutputException when it holds others, or is damaged
   */
  void checkHeader(byte[] line, Path file) {
    JsonNode found;
    try {
      found = MAPPER.readTree(new String(line, StandardCharsets.UTF_8));
    } catch (JsonProcessingException e) {
      throw new OutputException(file + ":1: is no file of points; choose another --out");
    }
    if (found == null || found.path("format").asInt() != FORMAT) {
      throw refused(file, "another version's layout of points");
    }
    if (!intact(line)) {
      throw new OutputException(file + ":1: is damaged: its checksum does not fit; use --fresh to begin anew");
    }
    if (!header.path("scenario").equals(found.path("scenario"))) {
      throw refused(file, "the points of scenario " + found.path("scenario"));
    }
    if (!header.path("hash").equals(found.path("hash"))) {
      throw refused(file, "the points of a different content of this scenario, or of the files that it names");
    }
    if (!header.path("build").equals(found.path("build"))) {
      throw refused(
          file, "the points of another build of Heddle or of its plug-ins (" + found.path("version").asText() + ", "
              + found.path("build").asText() + "; this is " + header.path("version").asText() + ", "
              + header.path("build").asText() + ")");
    }
  }

  private static OutputException refused(Path file, String holds) {
    return new OutputException(file + ": holds " + holds + "; choose another --out, or begin anew with --fresh");
  }

  private static OutputException noPoint(Path file, int number) {
    return new OutputException(
        place(file, number) + ": is no finished point; use --fresh to begin anew, or remove the line");
  }

  private static void requireIntact(byte[] line, Path file, int number) {
    if (!intact(line)) {
      throw new OutputException(place(file, number)
          + ": is damaged: its checksum does not fit; use --fresh to begin anew, or remove the line");
    }
  }

  private static String place(Path file, int number) {
    return file + (number > 0 ? ":" + number : "");
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
}
