package dev.heddle.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.google.common.base.Ticker;
import java.util.Locale;
import java.util.Optional;

/** The progress line of a sweep on a terminal: finished points, rate and remaining time. */
final class Progress implements AutoCloseable {
  private static final double NANOS_PER_S = 1e9;

  private final Console console;
  private final Ticker ticker;
  private final int total;
  private final boolean shown;
  private final long startNanos;
  private final Optional<LiveFile> live = LiveFile.named(LiveFile.POINTS);
  private int kept;
  private int done;

  /**
   * Starts the clock.
   *
   * @param total points of the sweep
   * @param quiet whether nothing is shown, as where messages go to no terminal
   */
  Progress(Console console, Ticker ticker, int total, boolean quiet) {
    this.console = console;
    this.ticker = ticker;
    this.total = total;
    this.shown = console.progress() && !quiet;
    this.startNanos = ticker.read();
  }

  /** Sets the number of points that an earlier run finished; they do not count for the rate. */
  void start(int keptPoints) {
    kept = keptPoints;
    show();
  }

  /** Takes points that run again out of the count. */
  void again(int points) {
    done -= points;
    show();
  }

  /** Counts one more point. */
  void step() {
    done++;
    show();
  }

  /** Sets the number of points that were finished after the start. */
  void done(int points) {
    if (points != done) {
      done = points;
      show();
    }
  }

  /** The current text of the line. */
  String line() {
    double seconds = Math.max(1e-9, (ticker.read() - startNanos) / NANOS_PER_S);
    double rate = done / seconds;
    String text = (kept + done) + "/" + total + " points";
    if (done == 0) {
      return text;
    }
    long left = Math.round((total - kept - done) / rate);
    String speed = rate >= 1
        ? String.format(Locale.ROOT, "%.1f/s", rate)
        : String.format(Locale.ROOT, "%.1f s each", 1 / rate);
    String time = left >= 3600
        ? String.format(Locale.ROOT, "%d:%02d:%02d", left / 3600, left / 60 % 60, left % 60)
        : String.format(Locale.ROOT, "%d:%02d", left / 60, left % 60);
    return text + ", " + speed + ", " + time + " left";
  }

  private void show() {
    live.filter(file -> file.due() || kept + done == total).ifPresent(file -> file.write(JsonNodeFactory.instance
        .objectNode().put("kind", "points").put("kept", kept).put("done", done).put("total", total)));
    if (shown) {
      String line = line();
      console.err().print("\r\u001b[K" + line.substring(0, Math.min(line.length(), console.width() - 1)));
      console.err().flush();
    }
  }

  @Override
  public void close() {
    if (shown) {
      console.err().print("\r\u001b[K");
      console.err().flush();
    }
  }
}
