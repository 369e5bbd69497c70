package dev.heddle.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.results.Results.LinkUsage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FabricDrawingTest {
  private static LinkUsage link(String from, String to, String tier, double use, double stall) {
    return new LinkUsage(from + " -> " + to, tier, 50, use, 50 * use, 1, stall, 0);
  }

  // Nodes of two accelerators and a NIC on one switch, joined by one leaf.
  private static List<LinkUsage> nodes(int count) {
    List<LinkUsage> links = new ArrayList<>();
    for (int node = 0; node < count; node++) {
      for (String device : List.of("accelerator0", "accelerator1", "nic0")) {
        String name = "node" + node + "." + device;
        links.add(link(name, "node" + node + ".switch", "node", 0.001 * node, 0.25));
        links.add(link("node" + node + ".switch", name, "node", 0.001 * node, 0));
      }
    }
    for (int node = 0; node < count; node++) {
      links.add(link("node" + node + ".nic0", "cluster.leaf0", "cluster", 1, 0));
      links.add(link("cluster.leaf0", "node" + node + ".nic0", "cluster", 0, 0));
    }
    return links;
  }

  @Test
  void shouldDrawEveryDeviceAndDirectionWhenFabricIsSmall() {
    FabricDrawing.Drawing drawing = FabricDrawing.of(nodes(3)).orElseThrow();
    assertThat(drawing.part()).isEmpty();
    assertThat(drawing.links()).hasSize(24);
    assertThat(drawing.svg().split("class=\"chip\"", -1)).as("12 devices in nodes and a leaf").hasSize(14);
    assertThat(drawing.svg().split("<a href=\"#link-", -1)).hasSize(25);
    assertThat(drawing.svg().split("class=\"stall\"", -1)).as("links that wait for credits").hasSize(10);
    assertThat(drawing.svg()).contains("node0.nic0 -&gt; cluster.leaf0: used 100.0 %, stalled 0.0 %, 50 of 50 GB/s");
  }

  @Test
  void shouldPutDevicesInRowsByDistanceFromAccelerators() {
    String svg = FabricDrawing.of(nodes(2)).orElseThrow().svg();
    assertThat(y(svg, "node0.accelerator0")).isGreaterThan(y(svg, "node0.switch"));
    assertThat(y(svg, "node0.switch")).isGreaterThan(y(svg, "node0.nic0"));
    assertThat(y(svg, "node0.nic0")).isGreaterThan(y(svg, "cluster.leaf0"));
    assertThat(y(svg, "node0.accelerator0")).isEqualTo(y(svg, "node1.accelerator1"));
  }

  private static double y(String svg, String device) {
    String before = svg.substring(0, svg.indexOf("<title>" + device + "</title>"));
    String rectangle = before.substring(before.lastIndexOf("<rect"));
    double top = Double.parseDouble(rectangle.replaceAll("(?s).* y=\"([0-9.]+)\".*", "$1"));
    return top + Double.parseDouble(rectangle.replaceAll("(?s).* height=\"([0-9.]+)\".*", "$1")) / 2;
  }

  @ParameterizedTest
  @CsvSource({"1, >node0.accelerator0<, >accelerator0<", "6, >accelerator0<, >node0.accelerator0<",
      "20, >a0<, >accelerator0<"})
  void shouldLabelDevicesByTheLongestNamesThatFit(int nodes, String label, String other) {
    String svg = FabricDrawing.of(nodes(nodes)).orElseThrow().svg();
    assertThat(svg.replaceAll("(?s)<title>.*?</title>", "")).contains(label).doesNotContain(other);
  }

  @Test
  void shouldNotLabelRowsThatAreTooFullForNames() {
    String svg = FabricDrawing.of(nodes(40)).orElseThrow().svg();
    assertThat(svg).contains("<title>node0.accelerator0</title>").doesNotContain(">a0<").contains(">cluster.leaf0<");
  }

  @Test
  void shouldDrawMostUsedNodesWhenFabricIsLarge() {
    FabricDrawing.Drawing drawing = FabricDrawing.of(nodes(500)).orElseThrow();
    assertThat(drawing.part()).matches("\\d+ of 500 instances of the innermost tier, those with the most used links");
    assertThat(drawing.svg()).contains("node499.switch", "cluster.leaf0").doesNotContain("node0.switch");
    assertThat(drawing.svg().split("class=\"chip\"", -1).length).isLessThan(250);
  }

  @Test
  void shouldDrawNodesWithTheirOwnSwitchesWhenSwitchesReachAllOthers() {
    List<LinkUsage> links = new ArrayList<>();
    for (int node = 0; node < 300; node++) {
      links.add(link("node" + node + ".accelerator0", "node" + node + ".nic0", "node", 0.001 * node, 0));
      links.add(link("node" + node + ".nic0", "cluster.router" + node, "cluster", 1, 0));
      for (int other = 0; other < 300; other++) {
        links.add(link("cluster.router" + node, "cluster.router" + (other == node ? 300 : other), "cluster", 0, 0));
      }
    }
    FabricDrawing.Drawing drawing = FabricDrawing.of(links).orElseThrow();
    assertThat(drawing.svg()).contains("node299.nic0", "cluster.router299").doesNotContain("node0.nic0");
    assertThat(drawing.svg().split("class=\"chip\"", -1).length).isLessThan(250);
  }

  @Test
  void shouldDrawNothingWhenThereAreNoLinks() {
    assertThat(FabricDrawing.of(List.of())).isEmpty();
  }

  @Test
  void shouldLeadFromLinkToItsRow() {
    String page = HtmlReport.write(Samples.run());
    FabricDrawing.Drawing drawing = FabricDrawing.of(Samples.run().links()).orElseThrow();
    assertThat(drawing.links()).isNotEmpty()
        .allSatisfy(link -> assertThat(page).contains("<tr id=\"" + FabricDrawing.anchor(link) + "\">"));
  }

  @Test
  void shouldShowRatesAndNoScaleBeforeARun() {
    String svg = FabricDrawing.of(nodes(3), false).orElseThrow().svg();
    assertThat(svg.split("<path ", -1)).hasSize(24 + 1);
    assertThat(svg).contains(" GB/s</title>").doesNotContain("used ").doesNotContain("href=").doesNotContain(" %<");
    assertThat(FabricDrawing.of(nodes(3)).orElseThrow().svg()).contains(">0 %<").contains(">100 %<");
  }
}
