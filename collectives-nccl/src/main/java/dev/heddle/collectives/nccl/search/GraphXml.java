package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.search.Attempt.Rules;
import dev.heddle.collectives.nccl.search.Attempt.Speeds;
import dev.heddle.collectives.nccl.search.Attempt.Types;
import dev.heddle.collectives.nccl.search.ChannelGraph.Routes;
import dev.heddle.collectives.nccl.system.SystemGraph;
import dev.heddle.collectives.nccl.system.SystemPaths;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.xml.XmlCursor;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** NCCL's graph file: NCCL_GRAPH_FILE names one that replaces the search, NCCL_GRAPH_DUMP_FILE one that is written. */
public final class GraphXml {
  /** The numbers of graphs in the file. */
  enum Id {
    RING,
    TREE,
    COLLNET_CHAIN,
    NVLS,
    COLLNET_DIRECT
  }

  private static final int MOST = 4096;

  private final XmlCursor xml;
  private final SystemGraph system;

  private GraphXml(String file, InputStream in, SystemGraph system) {
    this.system = system;
    xml = new XmlCursor(file, in, message -> new InvalidSettingException("environment", message));
  }

  /**
   * Reads a file.
   *
   * @param file its name, for messages
   * @param system the node of its devices
   * @return the graphs of the file
   * @throws InvalidSettingException when it is no graph file, or names a device that the node does not have
   */
  static Map<Id, ChannelGraph> read(String file, InputStream in, SystemGraph system) {
    return new GraphXml(file, in, system).read();
  }

  private Map<Id, ChannelGraph> read() {
    xml.root("graphs");
    xml.number("version", 1, 1);
    Map<Id, ChannelGraph> graphs = new TreeMap<>();
    while (xml.child()) {
      xml.expect(List.of("graph"));
      graphs.put(Id.values()[xml.number("id", 0, Id.values().length - 1)], graph());
    }
    xml.end();
    return graphs;
  }

  private ChannelGraph graph() {
    int number = xml.number("pattern", 1, Pattern.values().length);
    Pattern pattern = Arrays.stream(Pattern.values()).filter(each -> each.number() == number).findFirst().orElseThrow();
    int channels = xml.number("nchannels", 0, SystemPaths.MOST_CHANNELS);
    boolean collNet = pattern == Pattern.COLLNET_DIRECT;
    Attempt attempt = new Attempt(
        new Rules(pattern, collNet, xml.number("crossnic", 0, 2), xml.number("samechannels", 0, 1) == 1),
        new Types(type("typeintra"), type("typeinter")), new Speeds(speed("speedintra"), speed("speedinter")),
        channels, channels);
    double latency = xml.optional("latencyinter").isPresent() ? speed("latencyinter") / 1e3 : 0;
    List<int[]> orders = new ArrayList<>();
    List<int[]> nets = new ArrayList<>();
    while (xml.child()) {
      xml.expect(List.of("channel"));
      channel(pattern, orders, nets);
    }
    if (orders.size() != channels) {
      throw xml.fail("there are " + orders.size() + " <channel>, but nchannels is " + channels);
    }
    return new ChannelGraph(attempt, latency, 0, new Routes(
        orders.toArray(int[][]::new), nets.stream().mapToInt(pair -> pair[0]).toArray(),
        nets.stream().mapToInt(pair -> pair[1]).toArray()));
  }

  private void channel(Pattern pattern, List<int[]> orders, List<int[]> nets) {
    List<Integer> gpus = new ArrayList<>();
    List<Integer> ports = new ArrayList<>();
    while (xml.child()) {
      xml.expect(List.of("net", "gpu"));
      if (xml.name().equals("gpu")) {
        gpus.add(device(system.gpus(), gpu -> system.gpu(gpu).dev()));
      } else {
        ports.add(device(system.nets(), net -> system.net(net).dev()));
      }
      xml.leaf();
    }
    int expected = pattern == Pattern.NVLS ? 1 : system.gpus();
    if (gpus.size() < expected || gpus.stream().distinct().count() != gpus.size()) {
      throw xml.fail("a <channel> of this pattern names each of " + expected + " <gpu> once");
    }
    int enter = ports.isEmpty() ? -1 : ports.get(0);
    orders.add(gpus.stream().mapToInt(Integer::intValue).toArray());
    nets.add(new int[] {enter, ports.size() < 2 ? enter : ports.get(1)});
  }

  private int device(int count, IntUnaryOperator number) {
    String text = xml.attribute("dev");
    try {
      int dev = text.startsWith("0x") ? Integer.parseInt(text.substring(2), 16) : Integer.parseInt(text);
      return IntStream.range(0, count).filter(i -> number.applyAsInt(i) == dev).findFirst()
          .orElseThrow(() -> xml.fail("there is no <" + xml.name() + "> with dev " + text + " in the node"));
    } catch (NumberFormatException e) {
      throw xml.fail("dev is '" + text + "', which is no whole number");
    }
  }

  private PathType type(String attribute) {
    String text = xml.attribute(attribute);
    return Arrays.stream(PathType.values()).filter(each -> each.name().equals(text)).findFirst()
        .orElseThrow(() -> xml.fail(attribute + " is '" + text + "'; it must be one of "
            + String.join(", ", PathType.levels())));
  }

  // A value in thousandths: GB/s as MB/s, microseconds as nanoseconds.
  private int speed(String attribute) {
    String text = xml.attribute(attribute);
    try {
      double value = Double.parseDouble(text);
      if (value >= 0 && value < MOST) {
        return (int) Math.round(value * 1000);
      }
    } catch (NumberFormatException e) {
      throw xml.fail(attribute + " is '" + text + "', which is no number");
    }
    throw xml.fail(attribute + " is " + text + ", but must be 0 to " + MOST);
  }

  /** Writes the graphs of a node. */
  static String write(NodePlan plan) {
    StringBuilder text = new StringBuilder("<graphs version=\"1\">\n");
    SystemGraph system = plan.paths().graph();
    plan.graphs().forEach((id, graph) -> {
      if (graph.channels() > 0) {
        write(text, id, graph, system);
      }
    });
    return text.append("</graphs>\n").toString();
  }

  private static void write(StringBuilder text, Id id, ChannelGraph graph, SystemGraph system) {
    text.append(String.format(Locale.ROOT, "  <graph id=\"%d\" pattern=\"%d\" crossnic=\"%d\" nchannels=\"%d\""
        + " speedintra=\"%s\" speedinter=\"%s\" latencyinter=\"%s\" typeintra=\"%s\" typeinter=\"%s\""
        + " samechannels=\"%d\">\n", id.ordinal(), graph.pattern().number(), graph.crossNic(), graph.channels(),
        graph.intraSpeed(), graph.interSpeed(), graph.latencyUs(), graph.intraType(), graph.interType(),
        graph.sameChannels() ? 1 : 0));
    for (int channel = 0; channel < graph.channels(); channel++) {
      text.append("    <channel>\n");
      net(text, graph.entry(channel), system);
      int gpus = graph.pattern() == Pattern.NVLS ? 1 : graph.gpus(channel);
      for (int place = 0; place < gpus; place++) {
        int gpu = graph.gpu(channel, place);
        text.append("      <gpu dev=\"").append(system.gpu(gpu).dev()).append("\" rank=\"")
            .append(system.gpu(gpu).rank()).append("\"/>\n");
      }
      net(text, graph.exit(channel), system);
      text.append("    </channel>\n");
    }
    text.append("  </graph>\n");
  }

  private static void net(StringBuilder text, int net, SystemGraph system) {
    if (net >= 0) {
      text.append("      <net dev=\"").append(system.net(net).dev()).append("\"/>\n");
    }
  }
}
