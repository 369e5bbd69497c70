package dev.heddle.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.results.SpaceTime;
import dev.heddle.results.SpaceTime.Message;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpaceTimeDrawingTest {
  private static final SpaceTime TWO = new SpaceTime(
      List.of("node0.<a>", "node1.b"), List.of(new Message(0, 1, 1024, 0, 4_000), new Message(1, 0, 8, 4_000, 8_000)));

  @Test
  void shouldDrawALinePerMessageFromLaneToLane() {
    String svg = SpaceTimeDrawing.of(TWO);
    assertThat(svg.split("<line class=\"series-", -1)).hasSize(3);
    // The second message starts where the first ends, in the other lane, and ends at the right edge.
    assertThat(svg).containsPattern("series-1\" x1=\"79\\.0\" y1=\"27\" x2=\"619\\.5\" y2=\"53\"");
    assertThat(svg).containsPattern("series-2\" x1=\"619\\.5\" y1=\"53\" x2=\"1160\\.0\" y2=\"27\"");
    assertThat(svg).contains("1 KiB, 0 s to 4 ns");
  }

  @Test
  void shouldEscapeNamesWhenTheyHoldMarkup() {
    assertThat(SpaceTimeDrawing.of(TWO)).contains("node0.&lt;a&gt;").doesNotContain("<a>");
  }
}
