package dev.heddle.topology.simai;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import dev.heddle.text.DecimalText;
import dev.heddle.text.Unreadable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * The network file of ASTRA-sim's analytical back end: four lists with an entry per dimension, the first of which runs
 * fastest.
 *
 * @param dimensions in the order of the file
 */
record NetworkFile(List<Dimension> dimensions) {
  private static final List<String> KEYS = List.of("topology", "npus_count", "bandwidth", "latency");
  private static final List<String> SHAPES = List.of("Ring", "FullyConnected", "Switch");
  private static final int MOST_DIMENSIONS = 8;
  // A table holds the route of each NPU to each, 4 B an entry: 256 MiB.
  private static final int MOST_NPUS = 8192;
  private static final long MOST_LINKS = 1 << 20;
  private static final double MOST_GIGABYTES = 1e6;
  private static final double MOST_NANOSECONDS = 1e12;

  /** The connection of the NPUs that differ in one coordinate alone. */
  enum Shape {
    /** A link to either neighbour, in a circle. */
    RING,
    /** A link between every two. */
    FULLY_CONNECTED,
    /** A link to one switch. */
    SWITCH
  }

  /**
   * A dimension.
   *
   * @param shape of the connection
   * @param npus along the dimension, at least 2
   * @param gigabytes per second of each link and direction
   * @param nanoseconds latency of each link
   */
  record Dimension(Shape shape, int npus, double gigabytes, double nanoseconds) {}

  /**
   * Reads a file.
   *
   * @throws InvalidSettingException when it cannot be read, or is no network file
   */
  static NetworkFile read(Path file) {
    Map<String, List<String>> lists = new LinkedHashMap<>();
    try (InputStream in = Files.newInputStream(file); JsonParser yaml = new YAMLFactory().createParser(in)) {
      if (yaml.nextToken() != JsonToken.START_OBJECT) {
        throw fail(file, yaml, "must be a mapping with the keys " + String.join(", ", KEYS));
      }
      while (yaml.nextToken() == JsonToken.FIELD_NAME) {
        String key = yaml.currentName();
        if (!KEYS.contains(key)) {
          throw fail(file, yaml, "unknown key '" + key + "'; allowed are " + String.join(", ", KEYS)
              + NearestMatch.hint(key, KEYS));
        }
        lists.put(key, list(file, yaml, key));
      }
    } catch (JsonProcessingException e) {
      throw new InvalidSettingException("file", file + ":"
          + (e.getLocation() == null ? 1 : e.getLocation().getLineNr()) + ": is no YAML: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new InvalidSettingException("file", Unreadable.message(file, e));
    }
    return of(file, lists);
  }

  private static List<String> list(Path file, JsonParser yaml, String key) throws IOException {
    List<String> values = new ArrayList<>();
    if (yaml.nextToken() != JsonToken.START_ARRAY) {
      throw fail(file, yaml, key + " must be a list with an entry per dimension");
    }
    while (yaml.nextToken() != JsonToken.END_ARRAY) {
      if (!yaml.currentToken().isScalarValue() || values.size() == MOST_DIMENSIONS) {
        throw fail(file, yaml, key + " must be a list of at most " + MOST_DIMENSIONS + " values");
      }
      values.add(yaml.getText());
    }
    return values;
  }

  private static NetworkFile of(Path file, Map<String, List<String>> lists) {
    int count = lists.getOrDefault(KEYS.get(0), List.of()).size();
    for (String key : KEYS) {
      int size = lists.getOrDefault(key, List.of()).size();
      if (size == 0 || size != count) {
        throw new InvalidSettingException("file", file + ": " + key + " has " + size + " entries, but topology has "
            + count + "; each list has an entry per dimension");
      }
    }
    List<Dimension> dimensions = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int shape = SHAPES.indexOf(entry(lists, "topology", i));
      if (shape < 0) {
        throw new InvalidSettingException("file", file + ": topology '" + entry(lists, "topology", i)
            + "' is not known; there are " + String.join(", ", SHAPES)
            + NearestMatch.hint(entry(lists, "topology", i), SHAPES));
      }
      dimensions.add(new Dimension(
          Shape.values()[shape], (int) number(file, lists, "npus_count", i, 2, MOST_NPUS),
          number(file, lists, "bandwidth", i, 1e-3, MOST_GIGABYTES),
          number(file, lists, "latency", i, 0, MOST_NANOSECONDS)));
    }
    requireSize(file, dimensions);
    return new NetworkFile(dimensions);
  }

  private static void requireSize(Path file, List<Dimension> dimensions) {
    double npus = 1;
    for (Dimension dimension : dimensions) {
      npus *= dimension.npus();
    }
    if (npus > MOST_NPUS) {
      throw new InvalidSettingException("file", String.format(Locale.ROOT,
          "%s: npus_count makes %.0f NPUs; at most %d are read, as routes are kept for every two", file, npus,
          MOST_NPUS));
    }
    double links = 0;
    for (Dimension dimension : dimensions) {
      links += npus * (dimension.shape() == Shape.FULLY_CONNECTED ? (dimension.npus() - 1) / 2. : 1);
    }
    if (links > MOST_LINKS) {
      throw new InvalidSettingException("file", String.format(Locale.ROOT,
          "%s: has %.0f links; at most %d are read", file, links, MOST_LINKS));
    }
  }

  private static String entry(Map<String, List<String>> lists, String key, int index) {
    return Objects.requireNonNull(lists.get(key)).get(index);
  }

  private static double number(
      Path file, Map<String, List<String>> lists, String key, int index, double least, double most) {
    String text = entry(lists, key, index);
    double value = DecimalText.unsigned(text);
    if (!(value >= least && value <= most) || key.equals("npus_count") && value != Math.rint(value)) {
      throw new InvalidSettingException("file", String.format(Locale.ROOT,
          "%s: %s of dimension %d is '%s'; it is a number from %s to %s", file, key, index, text,
          bound(least), bound(most)));
    }
    return value;
  }

  private static String bound(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }

  private static InvalidSettingException fail(Path file, JsonParser yaml, String message) {
    return new InvalidSettingException(
        "file", file + ":" + yaml.currentTokenLocation().getLineNr() + ": " + message);
  }

  /** The number of NPUs. */
  int npus() {
    return dimensions.stream().mapToInt(Dimension::npus).reduce(1, (a, b) -> a * b);
  }
}
