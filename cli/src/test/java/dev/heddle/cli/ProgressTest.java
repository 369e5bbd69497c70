package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private final StringWriter shown = new StringWriter();
  private long nowNanos;
  private final Ticker clock = new Ticker() {
    @Override
    public long read() {
      return nowNanos;
    }
  };

  private Progress progress(boolean terminal, boolean quiet) {
    Console console = new Console(new PrintWriter(new StringWriter()), new PrintWriter(shown), 40, false, terminal);
    return new Progress(console, clock, 300, quiet);
  }

  @Test
  void shouldEstimateFromOwnPointsWhenSomeWereKept() {
    Progress progress = progress(true, false);
    progress.start(100);
    nowNanos = 20_000_000_000L;
    for (int i = 0; i < 40; i++) {
      progress.step();
    }
    assertThat(progress.line()).isEqualTo("140/300 points, 2.0/s, 1:20 left");
    nowNanos *= 200;
    assertThat(progress.line()).isEqualTo("140/300 points, 100.0 s each, 4:26:40 left");
  }

  @Test
  void shouldShowNothingWhenQuietOrOnNoTerminal() {
    for (Progress progress : new Progress[] {progress(false, false), progress(true, true)}) {
      progress.start(0);
      progress.step();
      progress.close();
    }
    assertThat(shown.toString()).isEmpty();
  }

  @Test
  void shouldClearItsLineWhenClosed() {
    try (Progress progress = progress(true, false)) {
      progress.start(0);
    }
    assertThat(shown.toString()).isEqualTo("\r\u001b[K0/300 points\r\u001b[K");
  }
}
