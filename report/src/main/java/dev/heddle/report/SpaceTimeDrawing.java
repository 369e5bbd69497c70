package dev.heddle.report;

import dev.heddle.results.SpaceTime;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;

/**
 * Draws messages as lines from sender and start to receiver and end, time running to the right. A person can read from
 * it who waits for whom: a ring is a staircase, a tree a fan.
 */
final class SpaceTimeDrawing {
  private static final int WIDTH = 1160;
  private static final int LANE = 26;
  private static final int TOP = 14;
  private static final int BOTTOM = 40;
  private static final int LETTER = 7;
  private static final int TICKS = 6;
  private static final int COLOURS = 8;

  private final SpaceTime drawn;
  private final int left;
  private final int height;
  private final long startPs;
  private final long spanPs;
  private final StringBuilder svg = new StringBuilder();

  private SpaceTimeDrawing(SpaceTime drawn) {
    this.drawn = drawn;
    left = 16 + LETTER * drawn.lanes().stream().mapToInt(String::length).max().orElse(0);
    height = TOP + LANE * drawn.lanes().size() + BOTTOM;
    startPs = drawn.messages().stream().mapToLong(SpaceTime.Message::startPs).min().orElse(0);
    spanPs = Math.max(1, drawn.messages().stream().mapToLong(SpaceTime.Message::endPs).max().orElse(1) - startPs);
  }

  /** The drawing as an SVG element, its colours those of the page. */
  static String of(SpaceTime drawn) {
    return new SpaceTimeDrawing(drawn).draw();
  }

  private String draw() {
    svg.append("<svg class=\"drawing\" role=\"img\" aria-label=\"Messages in space and time\" viewBox=\"0 0 ")
        .append(WIDTH).append(' ').append(height).append("\" xmlns=\"http://www.w3.org/2000/svg\">\n");
    for (int lane = 0; lane < drawn.lanes().size(); lane++) {
      svg.append(Svg.line("lane", left, y(lane), WIDTH, y(lane)));
      svg.append(Svg.text("end", left - 8, y(lane) + 4, drawn.lanes().get(lane)));
    }
    for (int tick = 0; tick <= TICKS; tick++) {
      long at = startPs + Math.round((double) spanPs * tick / TICKS);
      svg.append(Svg.line("tick", x(at), TOP, x(at), height - BOTTOM));
      svg.append(Svg.text(tick == 0 ? "start" : tick == TICKS ? "end" : "middle", x(at), height - BOTTOM + 20,
          SimTime.ofPs(at).toString()));
    }
    drawn.messages().forEach(this::message);
    return svg.append("</svg>\n").toString();
  }

  private void message(SpaceTime.Message message) {
    svg.append("<line class=\"series-").append(1 + message.from() % COLOURS).append("\" x1=\"")
        .append(Svg.number(x(message.startPs()))).append("\" y1=\"").append(y(message.from())).append("\" x2=\"")
        .append(Svg.number(x(message.endPs()))).append("\" y2=\"").append(y(message.to())).append("\"><title>")
        .append(HtmlPage.escape(drawn.lanes().get(message.from()) + " to " + drawn.lanes().get(message.to()) + ", "
            + DataSize.ofBytes(message.bytes()) + ", " + SimTime.ofPs(message.startPs()) + " to "
            + SimTime.ofPs(message.endPs())))
        .append("</title></line>\n");
  }

  private double x(long timePs) {
    return left + (WIDTH - left) * ((double) (timePs - startPs) / spanPs);
  }

  private int y(int lane) {
    return TOP + LANE / 2 + lane * LANE;
  }
}
