package dev.heddle.report;

import dev.heddle.results.Results.LinkUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Draws the links between chips of a torus where the chips lie, each direction in a colour by how much it was used.
 * Chips are devices whose names end in their coordinates, such as {@code node.chip0x3}; a third coordinate makes planes
 * side by side.
 */
final class TorusDrawing {
  private static final Pattern CHIP = Pattern.compile(".*chip(\\d+)x(\\d+)(?:x(\\d+))?");
  private static final int PITCH = 120;
  private static final int CHIP_SIZE = 44;
  private static final int MARGIN = 74;
  private static final int APART = 7;
  private static final int SCALE = 60;
  private static final int STUB = 34;
  private static final int LEAST_WIDTH = 290;

  private final List<Edge> edges = new ArrayList<>();
  private final boolean ran;
  private final StringBuilder svg = new StringBuilder();
  private int rows;
  private int columns;
  private int planes;

  /** A directed link between two chips: row, column and plane of each. */
  private record Edge(int[] from, int[] to, LinkUsage usage) {}

  private TorusDrawing(List<LinkUsage> links, boolean ran) {
    this.ran = ran;
    for (LinkUsage link : links) {
      String[] ends = link.name().split(" -> ", -1);
      Matcher from = CHIP.matcher(ends[0]);
      Matcher to = CHIP.matcher(ends[ends.length - 1]);
      if (ends.length == 2 && from.matches() && to.matches()) {
        add(place(from), place(to), link);
      }
    }
  }

  private static int[] place(Matcher chip) {
    return new int[] {
        Integer.parseInt(chip.group(1)), Integer.parseInt(chip.group(2)),
        chip.group(3) == null ? 0 : Integer.parseInt(chip.group(3))};
  }

  private void add(int[] from, int[] to, LinkUsage usage) {
    rows = Math.max(rows, 1 + Math.max(from[0], to[0]));
    columns = Math.max(columns, 1 + Math.max(from[1], to[1]));
    planes = Math.max(planes, 1 + Math.max(from[2], to[2]));
    edges.add(new Edge(from, to, usage));
  }

  /** The drawing after a run as an SVG element, its colours those of the page; empty where no link joins chips. */
  static Optional<String> of(List<LinkUsage> links) {
    return of(links, true);
  }

  /**
   * The drawing as an SVG element, its colours those of the page; empty where no link joins chips.
   *
   * @param ran whether the links have been used, so that their colours mean something
   */
  static Optional<String> of(List<LinkUsage> links, boolean ran) {
    TorusDrawing drawing = new TorusDrawing(links, ran);
    return drawing.edges.isEmpty() ? Optional.empty() : Optional.of(drawing.draw());
  }

  private String draw() {
    int width = Math.max(LEAST_WIDTH, planes * (2 * MARGIN + (columns - 1) * PITCH));
    int height = 2 * MARGIN + (rows - 1) * PITCH + (ran ? SCALE : 0);
    svg.append("<svg class=\"drawing torus\" role=\"img\" aria-label=\"")
        .append(ran ? "Use of the links between chips" : "The links between chips").append("\" viewBox=\"0 0 ")
        .append(width).append(' ').append(height).append("\" width=\"").append(width)
        .append("\" xmlns=\"http://www.w3.org/2000/svg\">\n");
    edges.forEach(this::edge);
    for (int plane = 0; plane < planes; plane++) {
      for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
          chip(row, column, plane);
        }
      }
    }
    if (ran) {
      HeatScale.draw(svg, width, height - SCALE + 10);
    }
    return svg.append("</svg>\n").toString();
  }

  private void chip(int row, int column, int plane) {
    int[] at = {row, column, plane};
    svg.append("<rect class=\"chip\" x=\"").append(x(at) - CHIP_SIZE / 2).append("\" y=\"")
        .append(y(at) - CHIP_SIZE / 2)
        .append("\" width=\"").append(CHIP_SIZE).append("\" height=\"").append(CHIP_SIZE)
        .append("\" rx=\"4\" fill=\"none\" stroke=\"currentColor\"/>\n");
    text(x(at), y(at) + 4, row + "," + column + (planes > 1 ? "," + plane : ""));
  }

  // Links that close a ring leave the grid at both ends; those between planes are marks within the chip's corner.
  private void edge(Edge edge) {
    int[] from = edge.from();
    int[] to = edge.to();
    if (from[2] != to[2]) {
      int mark = Math.floorMod(to[2] - from[2], planes) == 1 ? 1 : -1;
      line(edge, x(from) + mark * 12, y(from) + 12, x(from) + mark * 18, y(from) + 18);
      return;
    }
    int dx = Integer.compare(to[1], from[1]);
    int dy = Integer.compare(to[0], from[0]);
    boolean closes = Math.abs(to[1] - from[1]) > 1 || Math.abs(to[0] - from[0]) > 1;
    if (closes) {
      dx = -dx;
      dy = -dy;
    }
    // Each direction on its own side, as traffic keeps right.
    int sideX = -dy * APART;
    int sideY = dx * APART;
    int startX = x(from) + dx * CHIP_SIZE / 2 + sideX;
    int startY = y(from) + dy * CHIP_SIZE / 2 + sideY;
    int length = closes ? STUB : PITCH - CHIP_SIZE;
    line(edge, startX, startY, startX + dx * length, startY + dy * length);
  }

  private void line(Edge edge, int x1, int y1, int x2, int y2) {
    LinkUsage usage = edge.usage();
    svg.append("<line x1=\"").append(x1).append("\" y1=\"").append(y1).append("\" x2=\"").append(x2).append("\" y2=\"")
        .append(y2).append("\" stroke=\"").append(HeatScale.colour(usage.utilization()))
        .append("\" stroke-width=\"9\"><title>")
        .append(HtmlPage.escape(usage.name() + ": "
            + (ran ? percent(usage.utilization()) + ", " + NumberText.of(usage.payloadGBps())
                : NumberText.of(usage.rateGBps()))
            + " GB/s"))
        .append("</title></line>\n");
  }

  private void text(int x, int y, String words) {
    svg.append("<text text-anchor=\"middle\" x=\"").append(x).append("\" y=\"").append(y).append("\">")
        .append(HtmlPage.escape(words)).append("</text>\n");
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }

  private int x(int[] place) {
    return place[2] * (2 * MARGIN + (columns - 1) * PITCH) + MARGIN + place[1] * PITCH;
  }

  private int y(int[] place) {
    return MARGIN + place[0] * PITCH;
  }
}
