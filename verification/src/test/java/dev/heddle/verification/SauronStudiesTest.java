package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Variants of the choices that [SAURON] leaves open: buffers, queues, packets of PCIe, and the row of 128 Gb/s. The
 * tables are those of the page; a run with {@code -Ddocs.update=true} renews them.
 */
class SauronStudiesTest {
  private static final Path SCENARIOS = Path.of("..", "scenarios", "sauron");
  private static final Path PAGE = Path.of("..", "docs", "validation", "sauron.md");
  private static final String NODE = "cluster.tiers.node.topology.";
  private static final List<String> BUFFERS =
      List.of(NODE + "link.buffer", NODE + "links.nic.buffer", "cluster.tiers.cluster.topology.link.buffer");
  private static final List<Integer> PCIE_LOADS = List.of(20, 40, 50, 60, 100);
  private static final Map<String, Results> DONE = new LinkedHashMap<>();
  private static Registry registry;

  @BeforeAll
  static void discover() {
    registry = Registry.discover(SauronStudiesTest.class.getClassLoader(), List.of());
  }

  @AfterAll
  static void close() {
    registry.close();
  }

  private static Results run(String file, Map<String, String> fields) {
    return DONE.computeIfAbsent(file + fields, key -> {
      Map<String, String> overrides = new LinkedHashMap<>(fields);
      overrides.put("run.warmup", "40 us");
      overrides.put("run.measure", "40 us");
      return new ScenarioReader(registry).read(SCENARIOS.resolve(file), overrides).points().get(0).scenario()
          .simulation().run();
    });
  }

  private static Results buffers(String size, int load) {
    Map<String, String> fields = new LinkedHashMap<>();
    if (!size.contains("and")) {
      BUFFERS.forEach(path -> fields.put(path, size));
    } else {
      fields.put(BUFFERS.get(0), "32 KiB");
      fields.put(BUFFERS.get(1), "64 KiB");
      fields.put(BUFFERS.get(2), "64 KiB");
    }
    return runUnswept("buffers.yaml", fields, load);
  }

  // The first point of a sweep, with the fields of its axes set.
  private static Results runUnswept(String file, Map<String, String> fields, int load) {
    Map<String, String> all = new LinkedHashMap<>(fields);
    all.put("sweep", "{}");
    all.put("report", "{}");
    all.put("workload.load", load + " %");
    return run(file, all);
  }

  private static Results narrow(int load) {
    return runUnswept("figures-5-6.yaml", Map.of(NODE + "link.rate", "128 Gb/s", "workload.pattern", "c1"), load);
  }

  private static Results classes(int second) {
    return run("classes.yaml", Map.of("sweep", "{}", "workload.workloads[1].traffic-class", Integer.toString(second)));
  }

  private static double metric(Results results, String id) {
    return results.metric(id).orElseThrow().value();
  }

  @Test
  void shouldBeHeldToQuarterWhenBuffersHoldTwoMessages() {
    double least = metric(buffers("8 KiB", 100), "intra.throughput");
    double chosen = metric(buffers("32 and 64 KiB", 100), "intra.throughput");
    assertThat(least / chosen).isBetween(0.2, 0.3);
    for (int load : List.of(20, 40, 60)) {
      assertThat(metric(buffers("8 KiB", load), "intra.throughput")).as("a ceiling at any load").isBetween(
          0.9 * least, 1.1 * least);
    }
  }

  @Test
  void shouldNameDeadlockWhenBuffersHoldTwoMessagesInSinglePackets() {
    Map<String, String> fields = new LinkedHashMap<>();
    BUFFERS.forEach(path -> fields.put(path, "8 KiB"));
    fields.put("run.granularity", "packet");
    assertThatThrownBy(() -> runUnswept("buffers.yaml", fields, 100))
        .hasMessageContaining("credit deadlock").hasMessageContaining("node0.nic0 collects packets into larger ones");
  }

  @Test
  void shouldSaturateFarBelowBoundOfNicWhenLinksAreNarrow() {
    double nic = 50.0 * 4096 / (4096 + 2 * 64) / (8 * 16 * 0.2);
    assertThat(nic).as("the NIC's bound").isBetween(1.88, 1.90);
    assertThat(carried(narrow(85))).isGreaterThan(0.985);
    assertThat(carried(narrow(95))).isLessThan(0.97);
  }

  private static double carried(Results results) {
    return (metric(results, "intra.throughput") + metric(results, "inter.throughput"))
        / (metric(results, "intra.offered") + metric(results, "inter.offered"));
  }

  @Test
  void shouldCarryAllIntraNodeTrafficWhenClassesHaveQueuesOfTheirOwn() {
    assertThat(metric(classes(1), "intra.throughput") / metric(classes(1), "intra.offered")).isGreaterThan(0.98);
    assertThat(metric(classes(0), "intra.throughput") / metric(classes(0), "intra.offered")).isLessThan(0.85);
    assertThat(metric(classes(0), "intra.latency")).isGreaterThan(20 * metric(classes(1), "intra.latency"));
    assertThat(metric(classes(1), "inter.throughput")).isBetween(1400.0, 1552.0);
  }

  @Test
  void shouldHaveTablesOnThePage() throws IOException {
    String page = Files.readString(PAGE);
    for (Map.Entry<String, String> study : studies().entrySet()) {
      String begin = "<!-- table: " + study.getKey() + " -->\n";
      int from = page.indexOf(begin) + begin.length();
      int to = page.indexOf("<!-- end -->", from);
      assertThat(page).contains(begin);
      if (Boolean.getBoolean("docs.update")) {
        page = page.substring(0, from) + study.getValue() + page.substring(to);
        Files.writeString(PAGE, page);
      }
      assertThat(page).as("run 'mvn -pl verification -am verify -Ddocs.update=true' to renew " + PAGE)
          .contains(begin + study.getValue() + "<!-- end -->");
    }
  }

  private static Map<String, String> studies() {
    Map<String, String> studies = new LinkedHashMap<>();
    List<String> rows = new ArrayList<>();
    for (String size : List.of("8 KiB", "16 KiB", "32 and 64 KiB", "64 KiB")) {
      List<String> cells = new ArrayList<>(List.of(size));
      for (int load : List.of(20, 40, 60, 100)) {
        Results results = buffers(size, load);
        cells.add(number(metric(results, "intra.throughput")) + " + " + number(metric(results, "inter.throughput")));
      }
      rows.add(row(cells));
    }
    studies.put("buffers", table("buffers | load 20 % | 40 % | 60 % | 100 %", rows));
    studies.put("narrow", table("load | offered | carried | share", List.of(80, 85, 90, 95, 100).stream()
        .map(load -> row(List.of(load + " %", number(metric(narrow(load), "intra.offered")
            + metric(narrow(load), "inter.offered")), number(
                metric(narrow(load), "intra.throughput")
                    + metric(narrow(load), "inter.throughput")),
            percent(carried(narrow(load))))))
        .toList()));
    studies.put("classes", table("queues | intra-node offered | carried | latency | inter-node carried", List.of(0, 1)
        .stream().map(second -> row(List.of(second == 0 ? "one per accelerator" : "one per class",
            number(metric(classes(second), "intra.offered")), number(metric(classes(second), "intra.throughput")),
            String.format(Locale.ROOT, "%.2f us", metric(classes(second), "intra.latency")),
            number(metric(classes(second), "inter.throughput")))))
        .toList()));
    studies.put("pcie", table("load | offered | intra-node | inter-node", PCIE_LOADS.stream()
        .map(SauronStudiesTest::pcie).toList()));
    return studies;
  }

  private static String pcie(int load) {
    Results results = runUnswept("pcie.yaml", Map.of(), load);
    return row(List.of(
        load + " %", number(metric(results, "intra.offered") + metric(results, "inter.offered")),
        number(metric(results, "intra.throughput")), number(metric(results, "inter.throughput"))));
  }

  private static String table(String heads, List<String> rows) {
    int columns = heads.split("[|]").length;
    return "| " + heads + " |\n|---|" + "---:|".repeat(columns - 1) + "\n" + String.join("", rows);
  }

  private static String row(List<String> cells) {
    return "| " + String.join(" | ", cells) + " |\n";
  }

  private static String number(double gigabytesPerSecond) {
    return String.format(Locale.ROOT, "%.0f", gigabytesPerSecond);
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }
}
