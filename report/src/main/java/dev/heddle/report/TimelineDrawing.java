package dev.heddle.report;

import dev.heddle.results.Timeline;
import dev.heddle.results.Timeline.Lane;
import dev.heddle.results.Timeline.Span;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Drawing of ranks' operations over time: a row for the first stream of each, a box for each pass, or for each
 * operation where a workload has no passes. Blanks are waiting.
 */
final class TimelineDrawing {
  private static final int WIDTH = 1160;
  private static final int MOST_WIDTH = 24_000;
  private static final int READABLE = 20;
  private static final int ROW = 26;
  private static final int BOX = 20;
  private static final int LETTER = 7;
  private static final int LEGEND = 28;
  private static final int BOTTOM = 34;
  private static final int TICK_EVERY = 190;
  private static final int COLOURS = 8;

  private final Timeline timeline;
  private final List<Integer> rows;
  private final List<Box> boxes;
  private final List<String> kinds;
  private final int left;
  private final int height;
  private final long startPs;
  private final long spanPs;

  /** One box: the time of its operations, by activity. */
  private record Box(int row, String kind, String label, long startPs, long endPs, Map<String, Long> spentPs) {}

  private TimelineDrawing(Timeline timeline) {
    this.timeline = timeline;
    rows = new ArrayList<>();
    for (int lane = 0; lane < timeline.lanes().size(); lane++) {
      if (timeline.lanes().get(lane).stream() == 0) {
        rows.add(lane);
      }
    }
    boxes = boxes();
    Set<String> distinct = boxes.stream().map(Box::kind).collect(Collectors.toCollection(LinkedHashSet::new));
    kinds = List.copyOf(distinct);
    left = 16 + LETTER * rows.stream().mapToInt(lane -> title(lane).length()).max().orElse(0);
    height = LEGEND + ROW * rows.size() + BOTTOM;
    startPs = boxes.stream().mapToLong(Box::startPs).min().orElse(0);
    spanPs = Math.max(1, boxes.stream().mapToLong(Box::endPs).max().orElse(1) - startPs);
  }

  /**
   * The drawing, its colours those of the page: one that fits it, and where that is too dense a wider one to scroll.
   */
  static String of(Timeline timeline) {
    TimelineDrawing drawing = new TimelineDrawing(timeline);
    if (drawing.boxes.isEmpty()) {
      return "";
    }
    String whole = drawing.draw(WIDTH);
    double least = drawing.usualBoxPs() * (WIDTH - drawing.left) / drawing.spanPs;
    if (least >= READABLE) {
      return whole;
    }
    int width = (int) Math.min(MOST_WIDTH, drawing.left + (WIDTH - drawing.left) * READABLE / Math.max(1e-3, least));
    return whole + "<div class=\"scroll\">" + drawing.draw(width) + "</div>\n";
  }

  private List<Box> boxes() {
    boolean passes = timeline.passes();
    List<Box> found = new ArrayList<>();
    for (int i = 0; i < timeline.spans().size(); i++) {
      Span first = timeline.spans().get(i);
      int row = rows.indexOf(first.lane());
      if (row < 0 || passes && first.pass().isEmpty()) {
        continue;
      }
      Map<String, Long> spent = new LinkedHashMap<>();
      Span last = first;
      spent.merge(first.activity(), first.endPs() - first.startPs(), Long::sum);
      while (passes && i + 1 < timeline.spans().size() && timeline.spans().get(i + 1).samePass(first)) {
        i++;
        last = timeline.spans().get(i);
        spent.merge(last.activity(), last.endPs() - last.startPs(), Long::sum);
      }
      String kind = passes ? first.pass() : first.activity().isEmpty() ? first.what() : first.activity();
      found.add(new Box(row, kind, first.label(), first.startPs(), last.endPs(), spent));
    }
    return found;
  }

  private long usualBoxPs() {
    long[] lengths = boxes.stream().mapToLong(box -> box.endPs() - box.startPs()).sorted().toArray();
    return lengths[lengths.length / 4];
  }

  private String draw(int width) {
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg class=\"drawing timeline\" role=\"img\" aria-label=\"Activities of ranks over time\" viewBox=\"0 0 ")
        .append(width).append(' ').append(height).append('"');
    if (width > WIDTH) {
      svg.append(" style=\"width:").append(width).append("px\"");
    }
    svg.append(" xmlns=\"http://www.w3.org/2000/svg\">\n");
    legend(svg);
    for (int row = 0; row < rows.size(); row++) {
      svg.append(Svg.text("end", left - 8, y(row) + BOX - 5, title(rows.get(row))));
    }
    int ticks = Math.max(6, (width - left) / TICK_EVERY);
    for (int tick = 0; tick <= ticks; tick++) {
      long at = startPs + Math.round((double) spanPs * tick / ticks);
      double x = x(at, width);
      svg.append(Svg.line("tick", x, LEGEND, x, height - BOTTOM));
      svg.append(Svg.text(tick == 0 ? "start" : tick == ticks ? "end" : "middle", x, height - BOTTOM + 20,
          SimTime.ofPs(at).toString()));
    }
    boxes.forEach(box -> box(svg, box, width));
    return svg.append("</svg>\n").toString();
  }

  private void legend(StringBuilder svg) {
    int x = left;
    for (String kind : kinds) {
      svg.append("<rect class=\"").append(colour(kind)).append("\" x=\"").append(x).append("\" y=\"4\" width=\"12\" ")
          .append("height=\"12\"/>\n");
      svg.append(Svg.text("start", x + 18, 15, kind));
      x += 40 + LETTER * kind.length();
    }
  }

  private void box(StringBuilder svg, Box box, int width) {
    double x = x(box.startPs(), width);
    double wide = x(box.endPs(), width) - x;
    svg.append("<rect class=\"").append(colour(box.kind())).append("\" x=\"").append(Svg.number(x)).append("\" y=\"")
        .append(y(box.row())).append("\" width=\"").append(Svg.number(Math.max(0.1, wide - (wide > 3 ? 0.8 : 0))))
        .append("\" height=\"").append(BOX).append("\"><title>").append(HtmlPage.escape(tip(box)))
        .append("</title></rect>\n");
    if (wide > 6 + LETTER * box.label().length()) {
      svg.append("<text class=\"label\" text-anchor=\"middle\" x=\"").append(Svg.number(x + wide / 2)).append("\" y=\"")
          .append(y(box.row()) + BOX - 6).append("\">").append(HtmlPage.escape(box.label())).append("</text>\n");
    }
  }

  private String tip(Box box) {
    StringBuilder tip = new StringBuilder(title(rows.get(box.row()))).append(": ").append(box.kind());
    if (!box.label().isEmpty()) {
      tip.append(' ').append(box.label());
    }
    tip.append(", ").append(SimTime.ofPs(box.startPs())).append(" to ").append(SimTime.ofPs(box.endPs()));
    if (timeline.passes()) {
      box.spentPs().forEach((activity, ps) -> tip.append("; ").append(activity).append(' ').append(SimTime.ofPs(ps)));
    }
    return tip.toString();
  }

  private String title(int lane) {
    Lane of = timeline.lanes().get(lane);
    return "rank " + of.rank();
  }

  private String colour(String kind) {
    return "fill-" + (1 + kinds.indexOf(kind) % COLOURS);
  }

  private double x(long timePs, int width) {
    return left + (width - left) * ((double) (timePs - startPs) / spanPs);
  }

  private static int y(int row) {
    return LEGEND + row * ROW;
  }
}
