package dev.heddle.topology.simai;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.text.LineReader;
import dev.heddle.text.Unreadable;
import dev.heddle.topology.simai.TopologyFile.Cable;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads a topology: a line of counts, a line with the numbers of the switches, and a line for each link: two nodes,
 * rate, latency, packet error rate. ASTRA-sim's files for ns-3 have three counts, nodes, switches and links, and no
 * servers.
 */
final class TopologyReader {
  private static final int MOST_NODES = 1 << 20;
  private static final int MOST_LINKS = 1 << 24;

  // Distances between the network's switches are kept for every two of them.
  private static final int MOST_SWITCHES = 4096;

  private static final BigDecimal MOST_BITS_PER_SECOND = new BigDecimal("1e16");
  private static final BigDecimal MOST_PICOSECONDS = new BigDecimal("1e15");

  // As ns-3's DataRate and Time write them.
  private static final Map<String, BigDecimal> RATES = units(
      "bps", "1", "Kbps", "1e3", "kbps", "1e3", "Mbps", "1e6", "Gbps", "1e9", "Tbps", "1e12");
  private static final Map<String, BigDecimal> TIMES =
      units("ps", "1", "ns", "1e3", "us", "1e6", "ms", "1e9", "s", "1e12");

  private final LineReader lines;
  private int nodes;
  private int accelerators;
  private int perServer;
  private int nvSwitches;
  private int switches;
  private int links;

  private TopologyReader(String file, InputStream in) {
    lines = new LineReader(file, in, message -> new InvalidSettingException("file", message));
  }

  private static Map<String, BigDecimal> units(String... pairs) {
    Map<String, BigDecimal> units = new TreeMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      units.put(pairs[i], new BigDecimal(pairs[i + 1]));
    }
    return units;
  }

  /**
   * Reads a file.
   *
   * @throws InvalidSettingException when it cannot be read, or is not consistent
   */
  static TopologyFile read(Path file) {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      return new TopologyReader(file.toString(), in).read();
    } catch (IOException e) {
      throw new InvalidSettingException("file", Unreadable.message(file, e));
    } catch (UncheckedIOException e) {
      throw new InvalidSettingException("file", Unreadable.message(file, e));
    }
  }

  private TopologyFile read() {
    if (!lines.next()) {
      throw lines.fail("is empty; a topology begins with a line of counts");
    }
    counts(words());
    if (!lines.next()) {
      throw lines.fail("here must be the numbers of the switches, but the file ends");
    }
    switchNumbers(words());
    List<Cable> cables = new ArrayList<>();
    while (lines.next()) {
      String[] words = words();
      if (words.length > 0) {
        if (cables.size() == links) {
          throw lines.fail("here must be the end of the file, as it has " + links + " links by its first line");
        }
        cables.add(cable(words));
      }
    }
    if (cables.size() < links) {
      throw lines.fail("the file ends after " + cables.size() + " of " + links + " links");
    }
    return new TopologyFile(accelerators, perServer, nvSwitches, switches, cables);
  }

  private void counts(String[] words) {
    if (words.length != 6 && words.length != 3) {
      throw lines
          .fail("here must be nodes, accelerators per server, NVSwitches, switches, links and the accelerator's name"
              + " (SimAI), or nodes, switches and links (ASTRA-sim's ns-3), but here are " + words.length + " words");
    }
    boolean simai = words.length == 6;
    nodes = (int) lines.number("the number of nodes", words[0], 1, MOST_NODES);
    perServer = simai ? (int) lines.number("the accelerators of a server", words[1], 1, nodes) : 1;
    nvSwitches = simai ? (int) lines.number("the number of NVSwitches", words[2], 0, nodes) : 0;
    switches = (int) lines.number("the number of switches", words[simai ? 3 : 1], 0, nodes);
    links = (int) lines.number("the number of links", words[simai ? 4 : 2], 0, MOST_LINKS);
    accelerators = nodes - nvSwitches - switches;
    if (accelerators < 1) {
      throw lines.fail(nodes + " nodes less " + nvSwitches + " NVSwitches and " + switches
          + " switches leave no accelerator");
    }
    if (switches > MOST_SWITCHES) {
      throw lines.fail("the network has " + switches + " switches; at most " + MOST_SWITCHES + " are possible");
    }
    if (accelerators % perServer != 0) {
      throw lines.fail(accelerators + " accelerators are no servers of " + perServer + " each");
    }
  }

  private void switchNumbers(String[] words) {
    int count = nvSwitches + switches;
    if (words.length != count) {
      throw lines.fail("here must be the numbers of " + count + " switches, but here are " + words.length);
    }
    BitSet seen = new BitSet();
    for (String word : words) {
      int number = (int) lines.number("a switch", word, 0, nodes - 1L);
      if (number < accelerators) {
        throw lines.fail("a switch has the number " + number + ", but numbers below " + accelerators
            + " are the accelerators'");
      }
      if (seen.get(number)) {
        throw lines.fail("the switch " + number + " stands twice");
      }
      seen.set(number);
    }
  }

  private Cable cable(String[] words) {
    if (words.length != 5) {
      throw lines
          .fail("a link has two nodes, a rate, a latency and an error rate, but here are " + words.length + " words");
    }
    int a = (int) lines.number("a node", words[0], 0, nodes - 1L);
    int b = (int) lines.number("a node", words[1], 0, nodes - 1L);
    int low = Math.min(a, b);
    int high = Math.max(a, b);
    if (low == high) {
      throw lines.fail("the node " + a + " is linked to itself");
    }
    if (high < accelerators) {
      throw lines.fail("two accelerators, " + a + " and " + b + ", are linked; accelerators do not forward here");
    }
    boolean inside = high < accelerators + nvSwitches;
    if (inside && low >= accelerators || !inside && low >= accelerators && low < accelerators + nvSwitches) {
      throw lines.fail("the NVSwitch " + low + " is linked to another switch, " + high);
    }
    if (!zero(words[4])) {
      throw lines
          .fail("the packet error rate is " + LineReader.shown(words[4]) + "; errors are not simulated, so it must"
              + " be 0");
    }
    BigDecimal bits = quantity("the rate", words[2], RATES, MOST_BITS_PER_SECOND);
    BigDecimal ps = quantity("the latency", words[3], TIMES, MOST_PICOSECONDS);
    if (bits.compareTo(BigDecimal.ONE) < 0) {
      throw lines.fail("the rate is " + LineReader.shown(words[2]) + "; a link has at least 1bps");
    }
    return new Cable(
        low, high, DataRate.ofBitsPerSecond(bits.longValue()), SimTime.ofPs(ps.longValue()), lines.line());
  }

  private boolean zero(String word) {
    try {
      return new BigDecimal(word).signum() == 0;
    } catch (NumberFormatException e) {
      throw lines.fail("the packet error rate is '" + LineReader.shown(word) + "', which is no number");
    }
  }

  private BigDecimal quantity(String what, String word, Map<String, BigDecimal> units, BigDecimal most) {
    int end = word.length();
    while (end > 0 && Character.isLetter(word.charAt(end - 1))) {
      end--;
    }
    BigDecimal unit = units.get(word.substring(end));
    BigDecimal value;
    try {
      value = new BigDecimal(word.substring(0, end));
    } catch (NumberFormatException e) {
      throw lines.fail(what + " is '" + LineReader.shown(word) + "', which is no number with a unit");
    }
    if (unit == null) {
      throw lines.fail(what + " is '" + LineReader.shown(word) + "'; its unit must be one of "
          + String.join(", ", units.keySet()));
    }
    // A number of few digits may have an exponent of many.
    if (value.signum() < 0 || value.precision() - (long) value.scale() > 30
        || value.multiply(unit).compareTo(most) > 0) {
      throw lines.fail(what + " is " + LineReader.shown(word) + ", which is negative or too large");
    }
    return value.multiply(unit);
  }

  private String[] words() {
    String text = lines.text().strip();
    return text.isEmpty() ? new String[0] : text.split("\\s+");
  }
}
