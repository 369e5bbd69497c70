package dev.heddle.report;

import dev.heddle.results.Results.LinkUsage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Draws devices in rows by their distance from the terminals of the innermost tier, and links between them: each
 * direction coloured by its use, with a dark core as wide as its share of time without credits. A large fabric is drawn
 * in part: the instances of the innermost tier whose links are used most, with the outer devices that they reach.
 */
final class FabricDrawing {
  private static final int MOST_DEVICES = 240;
  private static final int WIDTH = 1160;
  private static final int MARGIN = 40;
  private static final int ROW = 110;
  private static final int SCALE = 60;
  private static final double APART = 2.2;
  private static final double THICK = 3.6;
  private static final int LABEL_GAP = 4;
  // Width of a character of a label, in its mean.
  private static final double GLYPH = 6.5;
  private static final Pattern NUMBER = Pattern.compile("\\d+(x\\d+)*$");

  private final Map<String, Set<String>> neighbours = new LinkedHashMap<>();
  private final Map<String, Double> x = new LinkedHashMap<>();
  private final Map<String, Integer> depth = new LinkedHashMap<>();
  private final StringBuilder svg = new StringBuilder();
  private final List<LinkUsage> drawn;
  private final boolean ran;
  private final int devices;

  /**
   * A drawing.
   *
   * @param svg element of a page
   * @param links in it
   * @param part whether other links exist, with which instances it shows; empty for a whole fabric
   */
  record Drawing(String svg, List<LinkUsage> links, String part) {
    Drawing {
      links = List.copyOf(links);
    }
  }

  private FabricDrawing(List<LinkUsage> links, boolean ran) {
    drawn = links;
    this.ran = ran;
    for (LinkUsage link : links) {
      neighbours.computeIfAbsent(from(link), name -> new LinkedHashSet<>()).add(to(link));
      neighbours.computeIfAbsent(to(link), name -> new LinkedHashSet<>()).add(from(link));
    }
    devices = neighbours.size();
  }

  /** The drawing after a run; empty without links between two devices. */
  static Optional<Drawing> of(List<LinkUsage> all) {
    return of(all, true);
  }

  /**
   * The drawing; empty without links between two devices.
   *
   * @param ran whether the links have been used, so that their colours mean something and a table of them follows
   */
  static Optional<Drawing> of(List<LinkUsage> all, boolean ran) {
    List<LinkUsage> links = all.stream().filter(link -> link.name().split(" -> ", -1).length == 2).toList();
    if (links.isEmpty()) {
      return Optional.empty();
    }
    FabricDrawing whole = new FabricDrawing(links, ran);
    if (whole.devices <= MOST_DEVICES) {
      return Optional.of(new Drawing(whole.draw(), links, ""));
    }
    List<String> instances = mostUsed(links);
    long total = inner(links).stream().map(link -> instance(from(link))).distinct().count();
    int count = instances.size();
    while (count > 1 && new FabricDrawing(part(links, instances.subList(0, count)), ran).devices > MOST_DEVICES) {
      count = (count + 1) / 2;
    }
    FabricDrawing part = new FabricDrawing(part(links, instances.subList(0, count)), ran);
    if (part.devices > 2 * MOST_DEVICES) {
      return Optional.empty();
    }
    return Optional.of(new Drawing(
        part.draw(), part.drawn,
        count + " of " + total + " instances of the innermost tier, those with the most used links"));
  }

  private static String from(LinkUsage link) {
    return link.name().split(" -> ", -1)[0];
  }

  private static String to(LinkUsage link) {
    return link.name().split(" -> ", -1)[1];
  }

  private static String instance(String device) {
    int dot = device.lastIndexOf('.');
    return dot < 0 ? "" : device.substring(0, dot);
  }

  private static String last(String device) {
    return device.substring(device.lastIndexOf('.') + 1);
  }

  private static List<LinkUsage> inner(List<LinkUsage> links) {
    String tier = links.get(0).tier();
    return links.stream().filter(link -> link.tier().equals(tier)).toList();
  }

  private static List<String> mostUsed(List<LinkUsage> links) {
    Map<String, Double> use = new TreeMap<>();
    inner(links).forEach(link -> use.merge(instance(from(link)), link.utilization(), Math::max));
    return use.entrySet().stream()
        .sorted(Map.Entry.<String, Double>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
        .map(Map.Entry::getKey).toList();
  }

  // Links within the instances, and outer links between devices that these reach in one direction: up, away from them.
  private static List<LinkUsage> part(List<LinkUsage> links, List<String> instances) {
    Set<String> kept = new LinkedHashSet<>();
    Set<String> chosen = new LinkedHashSet<>(instances);
    String tier = links.get(0).tier();
    for (LinkUsage link : links) {
      if (link.tier().equals(tier) && chosen.contains(instance(from(link)))) {
        kept.add(from(link));
        kept.add(to(link));
      }
    }
    Set<String> innerDevices = new LinkedHashSet<>();
    inner(links).forEach(link -> {
      innerDevices.add(from(link));
      innerDevices.add(to(link));
    });
    boolean grown = true;
    while (grown) {
      Set<String> reached = new LinkedHashSet<>();
      for (LinkUsage link : links) {
        if (kept.contains(from(link)) && !kept.contains(to(link)) && !innerDevices.contains(to(link))) {
          reached.add(to(link));
        }
      }
      // Groups of a dragonfly reach all others: those are left out.
      grown = kept.size() + reached.size() <= MOST_DEVICES && kept.addAll(reached);
    }
    return links.stream().filter(link -> kept.contains(from(link)) && kept.contains(to(link))).toList();
  }

  private String draw() {
    List<List<String>> rows = rows();
    place(rows);
    int height = 2 * MARGIN + (rows.size() - 1) * ROW + (ran ? SCALE : 0);
    svg.append(
        "<svg class=\"drawing fabric\" role=\"img\" aria-label=\"The fabric"
            + (ran ? ", with the use of its links" : "") + "\" viewBox=\"0 0 ")
        .append(WIDTH).append(' ').append(height).append("\" width=\"").append(WIDTH)
        .append("\" xmlns=\"http://www.w3.org/2000/svg\">\n");
    drawn.forEach(link -> edge(link, rows.size()));
    for (List<String> row : rows) {
      UnaryOperator<String> label = labels(row);
      row.forEach(device -> device(device, rows.size(), row.size(), label.apply(device)));
    }
    if (ran) {
      HeatScale.draw(svg, WIDTH, height - SCALE + 16);
    }
    return svg.append("</svg>\n").toString();
  }

  // Breadth first from the kind of device of which the innermost tier has most.
  private List<List<String>> rows() {
    Map<String, Integer> kinds = new TreeMap<>();
    Set<String> innerDevices = new LinkedHashSet<>();
    inner(drawn).forEach(link -> {
      innerDevices.add(from(link));
      innerDevices.add(to(link));
    });
    innerDevices.forEach(device -> kinds.merge(kind(device), 1, Integer::sum));
    String terminals = kinds.containsKey("accelerator") ? "accelerator"
        : kinds.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
    ArrayDeque<String> queue = new ArrayDeque<>();
    innerDevices.stream().filter(device -> kind(device).equals(terminals)).forEach(device -> {
      depth.put(device, 0);
      queue.add(device);
    });
    while (!queue.isEmpty()) {
      String device = queue.remove();
      for (String next : neighbours.getOrDefault(device, Set.of())) {
        if (depth.putIfAbsent(next, depth(device) + 1) == null) {
          queue.add(next);
        }
      }
    }
    neighbours.keySet().forEach(device -> depth.putIfAbsent(device, 0));
    level();
    int most = depth.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    List<List<String>> rows = new ArrayList<>();
    for (int row = 0; row <= most; row++) {
      int of = row;
      rows.add(depth.entrySet().stream().filter(entry -> entry.getValue() == of).map(Map.Entry::getKey).toList());
    }
    return rows;
  }

  // Devices of one kind in one tier lie in one row, also those that no node in use reaches.
  private void level() {
    Map<String, Integer> least = new TreeMap<>();
    depth.forEach((device, row) -> least.merge(group(device), row, Math::min));
    depth.replaceAll((device, row) -> least.get(group(device)));
  }

  private static String group(String device) {
    return NUMBER.matcher(instance(device)).replaceFirst("") + "." + kind(device);
  }

  private static String kind(String device) {
    return NUMBER.matcher(last(device)).replaceFirst("");
  }

  // Terminals side by side in their order; above, each row in the order of the places below it.
  private void place(List<List<String>> rows) {
    for (List<String> row : rows) {
      Map<String, Double> wanted = new LinkedHashMap<>();
      for (int i = 0; i < row.size(); i++) {
        double mean =
            neighbours.getOrDefault(row.get(i), Set.of()).stream().filter(x::containsKey).mapToDouble(x::get).average()
                .orElse(i * 1e-3);
        wanted.put(row.get(i), mean);
      }
      List<String> sorted = row.stream().sorted(Comparator.comparingDouble(wanted::get)).toList();
      for (int i = 0; i < sorted.size(); i++) {
        x.put(sorted.get(i), MARGIN + (i + 0.5) * pitch(row.size()));
      }
    }
  }

  private double y(String device, int rows) {
    return MARGIN + (double) (rows - 1 - depth(device)) * ROW;
  }

  private int depth(String device) {
    return Objects.requireNonNull(depth.get(device));
  }

  private double x(String device) {
    return Objects.requireNonNull(x.get(device));
  }

  private static double pitch(int inRow) {
    return (double) (WIDTH - 2 * MARGIN) / inRow;
  }

  private static double size(int inRow) {
    return Math.max(4, Math.min(18, 0.6 * pitch(inRow)));
  }

  // The longest names that leave the neighbours in a row free, or none; those of terminals stand below them.
  private UnaryOperator<String> labels(List<String> row) {
    return Stream.<UnaryOperator<String>>of(device -> device, FabricDrawing::last, FabricDrawing::initial)
        .filter(label -> row.stream().allMatch(device -> GLYPH * label.apply(device).length() <= room(device, row)))
        .findFirst().orElse(device -> "");
  }

  private double room(String device, List<String> row) {
    return pitch(row.size()) - 2 * LABEL_GAP - (depth(device) == 0 ? 0 : size(row.size()));
  }

  private static String initial(String device) {
    return last(device).replaceFirst("^([a-z])[a-z-]*(\\d)", "$1$2");
  }

  private void device(String device, int rows, int inRow, String label) {
    double at = x(device);
    double size = size(inRow);
    boolean computes = depth(device) == 0;
    svg.append("<rect class=\"chip\" x=\"").append(Svg.number(at - size / 2)).append("\" y=\"")
        .append(Svg.number(y(device, rows) - size / 2)).append("\" width=\"").append(Svg.number(size))
        .append("\" height=\"").append(Svg.number(size)).append("\" rx=\"")
        .append(computes ? "2" : Svg.number(size / 2))
        .append("\"><title>").append(HtmlPage.escape(device)).append("</title></rect>\n");
    if (!label.isEmpty()) {
      svg.append(computes ? Svg.text("middle", at, y(device, rows) + size / 2 + 13, label)
          : Svg.text("start", at + size / 2 + LABEL_GAP, y(device, rows) + 4, label));
    }
  }

  // Both directions beside each other, as traffic keeps right; within a row as an arc.
  private void edge(LinkUsage link, int rows) {
    String from = from(link);
    String to = to(link);
    double x1 = x(from);
    double y1 = y(from, rows);
    double x2 = x(to);
    double y2 = y(to, rows);
    double length = Math.max(1, Math.hypot(x2 - x1, y2 - y1));
    double sideX = -(y2 - y1) / length * APART;
    double sideY = (x2 - x1) / length * APART;
    String path = "M" + Svg.number(x1 + sideX) + " " + Svg.number(y1 + sideY);
    if (depth(from) == depth(to)) {
      double bend = y1 - Math.min(ROW * 0.7, 14 + Math.abs(x2 - x1) / 4) + (x2 > x1 ? 2 * APART : 0);
      path += " Q" + Svg.number((x1 + x2) / 2) + " " + Svg.number(bend) + " " + Svg.number(x2) + " " + Svg.number(y2);
    } else {
      path += " L" + Svg.number(x2 + sideX) + " " + Svg.number(y2 + sideY);
    }
    if (!ran) {
      svg.append("<path d=\"").append(path).append("\" fill=\"none\" stroke=\"").append(HeatScale.colour(0))
          .append("\" stroke-width=\"").append(Svg.number(THICK)).append("\"><title>")
          .append(HtmlPage.escape(link.name() + ": " + NumberText.of(link.rateGBps()) + " GB/s"))
          .append("</title></path>\n");
      return;
    }
    String title = String.format(Locale.ROOT, "%s: used %.1f %%, stalled %.1f %%, %s of %s GB/s", link.name(),
        100 * link.utilization(), 100 * link.creditStall(), NumberText.of(link.payloadGBps()),
        NumberText.of(link.rateGBps()));
    svg.append("<a href=\"#").append(anchor(link)).append("\"><path d=\"").append(path)
        .append("\" fill=\"none\" stroke=\"").append(HeatScale.colour(link.utilization())).append("\" stroke-width=\"")
        .append(Svg.number(THICK)).append("\"><title>").append(HtmlPage.escape(title)).append("</title></path>");
    if (link.creditStall() > 0.005) {
      svg.append("<path class=\"stall\" d=\"").append(path).append("\" fill=\"none\" stroke-width=\"")
          .append(Svg.number(THICK * Math.min(1, link.creditStall()))).append("\"/>");
    }
    svg.append("</a>\n");
  }

  /** The anchor of a link's row. */
  static String anchor(LinkUsage link) {
    return "link-" + link.name().replace(" -> ", "--").replaceAll("[^A-Za-z0-9.-]", "_");
  }
}
