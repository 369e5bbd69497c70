package dev.heddle.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.results.Results.LinkUsage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TorusDrawingTest {
  private static LinkUsage link(String name, double utilization) {
    return new LinkUsage(name, "node", 128, utilization, 128 * utilization, 1, 0, 0);
  }

  private static List<LinkUsage> torus(int rows, int columns) {
    List<LinkUsage> links = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        String chip = "node.chip" + row + "x" + column;
        links.add(link(chip + " -> node.chip" + row + "x" + (column + 1) % columns, 0.5));
        links.add(link(chip + " -> node.chip" + (row + 1) % rows + "x" + column, 1));
      }
    }
    return links;
  }

  @Test
  void shouldDrawNothingWithoutChips() {
    assertThat(TorusDrawing.of(List.of(link("node.accelerator0 -> node.switch", 1)))).isEmpty();
  }

  @Test
  void shouldDrawEveryChipOnceAndEveryLinkBetweenChips() {
    List<LinkUsage> links = torus(4, 4);
    links.add(link("node.hbm0 -> node.chip0x0", 1));
    String svg = TorusDrawing.of(links).orElseThrow();
    assertThat(svg.split("class=\"chip\"", -1)).hasSize(16 + 1);
    assertThat(svg.split("<line ", -1)).hasSize(32 + 1);
    assertThat(svg).contains(">3,2</text>").contains("node.chip3x3 -&gt; node.chip0x3: 100.0 %")
        .contains("node.chip0x0 -&gt; node.chip0x1: 50.0 %, 64 GB/s").doesNotContain("hbm0").doesNotContain("style=");
  }

  @Test
  void shouldPaintMoreUseDarker() {
    String svg = TorusDrawing.of(List.of(
        link("chip0x0 -> chip0x1", 0), link("chip0x1 -> chip0x0", 1))).orElseThrow();
    assertThat(svg).contains("hsl(205 75% 82%)").contains("hsl(0 75% 35%)");
  }

  @Test
  void shouldDrawPlanesSideBySideInThreeDimensions() {
    String svg = TorusDrawing.of(List.of(
        link("chip0x0x0 -> chip0x0x1", 1), link("chip0x0x0 -> chip0x1x0", 1))).orElseThrow();
    assertThat(svg.split("class=\"chip\"", -1)).hasSize(4 + 1);
    assertThat(svg).contains(">0,1,1</text>");
  }

  @Test
  void shouldShowRatesAndNoScaleBeforeARun() {
    String svg = TorusDrawing.of(torus(4, 4), false).orElseThrow();
    assertThat(svg.split("<line ", -1)).hasSize(32 + 1);
    assertThat(svg).contains("<title>node.chip0x0 -&gt; node.chip0x1: 128 GB/s</title>").doesNotContain(" %<");
    assertThat(TorusDrawing.of(torus(4, 4)).orElseThrow()).contains(">0 %<").contains(">100 %<");
  }
}
