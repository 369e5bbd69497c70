package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The tables of Figures 7 and 8 of [SAURON] on the page, 128 nodes with 20 us of warm-up and 20 us measured. A build
 * runs one load of each curve; {@code -Dheddle.figures=full} runs all 75 points, and {@code -Ddocs.update=true} renews
 * the tables from them.
 */
class SauronFiguresTest {
  private static final Path SCENARIO = Path.of("..", "scenarios", "sauron", "figures-7-8.yaml");
  private static final Path PAGE = Path.of("..", "docs", "validation", "sauron.md");
  private static final boolean UPDATE = Boolean.getBoolean("docs.update");
  private static final boolean FULL = UPDATE || "full".equals(System.getProperty("heddle.figures"));
  private static final List<Integer> RATES = List.of(128, 256, 512);
  private static final List<Integer> LOADS = List.of(20, 40, 60, 80, 100);
  private static final int PATTERNS = 5;
  private static final Map<String, Results> DONE = new LinkedHashMap<>();
  private static Registry registry;

  /** A figure: a table with a throughput and a time in each cell. */
  private enum Figure {
    SEVEN("figure-7", PATTERNS, "intra.throughput", "intra.latency"),
    /** Without C5, which sends nothing between nodes. */
    EIGHT("figure-8", PATTERNS - 1, "inter.throughput", "inter.fct");

    private final String table;
    private final int patterns;
    private final String throughput;
    private final String time;

    Figure(String table, int patterns, String throughput, String time) {
      this.table = table;
      this.patterns = patterns;
      this.throughput = throughput;
      this.time = time;
    }

    private String cell(int rate, int pattern, int load) {
      Results results = run(rate, pattern, load);
      return String.format(Locale.ROOT, "%.0f, %.2f", metric(results, throughput), metric(results, time));
    }

    private String begin() {
      return "<!-- table: " + table + " -->\n";
    }
  }

  @BeforeAll
  static void discover() {
    registry = Registry.discover(SauronFiguresTest.class.getClassLoader(), List.of());
  }

  @AfterAll
  static void close() {
    registry.close();
  }

  private static Results run(int rate, int pattern, int load) {
    return DONE.computeIfAbsent(rate + "/" + pattern + "/" + load, key -> new ScenarioReader(registry).read(SCENARIO,
        Map.of("run.warmup", "20 us", "run.measure", "20 us", "cluster.tiers.node.topology.link.rate", rate + " Gb/s",
            "workload.pattern", "c" + pattern, "workload.load", load + " %"))
        .points().get(0).scenario().simulation().run());
  }

  private static double metric(Results results, String id) {
    return results.metric(id).orElseThrow().value();
  }

  // Of each curve one load, so that each rate has each load.
  private static boolean runs(int pattern, int load) {
    return FULL || LOADS.indexOf(load) == pattern - 1;
  }

  @Test
  void shouldHaveTheFiguresOfTheSimulationOnThePage() throws IOException {
    String page = Files.readString(PAGE);
    for (Figure figure : Figure.values()) {
      int from = page.indexOf(figure.begin()) + figure.begin().length();
      int to = page.indexOf("<!-- end -->", from);
      assertThat(page).contains(figure.begin());
      if (UPDATE) {
        page = page.substring(0, from) + table(figure) + page.substring(to);
        Files.writeString(PAGE, page);
        continue;
      }
      Map<String, List<String>> rows = rows(page.substring(from, to));
      assertThat(rows).hasSize(RATES.size() * figure.patterns);
      for (int rate : RATES) {
        for (int pattern = 1; pattern <= figure.patterns; pattern++) {
          for (int load : LOADS) {
            if (runs(pattern, load)) {
              assertThat(Objects.requireNonNull(rows.get(rate + " Gb/s C" + pattern)).get(LOADS.indexOf(load)))
                  .as("%s, %d Gb/s, C%d, %d %%: renew by -Dtest=SauronFiguresTest -Ddocs.update=true", figure.table,
                      rate, pattern, load)
                  .isEqualTo(figure.cell(rate, pattern, load));
            }
          }
        }
      }
    }
  }

  /** The page's sentence on C1 at 512 Gb/s behind saturation, by its own table. */
  @Test
  void shouldSayWhatItsTableShowsBehindSaturation() throws IOException {
    String page = Files.readString(PAGE);
    List<String> intra = Objects.requireNonNull(
        rows(page.substring(page.indexOf(Figure.SEVEN.begin()))).get("512 Gb/s C1"));
    double ahead = throughput(intra.get(2));
    double behind = throughput(intra.get(3));
    int eight = page.indexOf(Figure.EIGHT.begin());
    double most = rows(page.substring(eight, page.indexOf("<!-- end -->", eight))).values().stream()
        .flatMap(List::stream).mapToDouble(SauronFiguresTest::throughput).max().orElseThrow();
    // 128 NICs of 50 GB/s, which carry 4 KiB in two packets with a header of 64 B each.
    double bound = 128 * 50. * 4096 / (4096 + 2 * 64);
    assertThat(most).isBetween(0.95 * bound, bound);
    assertThat(page.replace('\n', ' ')).contains(
        String.format(Locale.ROOT, "reaches %,.0f GB/s of the %,.0f that 128 NICs carry", most, bound),
        String.format(Locale.ROOT, "falls from %,.0f to %,.0f GB/s between 60 and 80 %% load at 512 Gb/s, by %.0f %%",
            ahead, behind, 100 * (1 - behind / ahead)));
  }

  private static double throughput(String cell) {
    return Double.parseDouble(cell.split(",")[0]);
  }

  // The cells by rate and pattern; a row that is there twice counts once.
  private static Map<String, List<String>> rows(String table) {
    Map<String, List<String>> rows = new LinkedHashMap<>();
    table.lines().filter(line -> line.matches("\\| \\d+ Gb/s \\| C\\d .*")).map(line -> line.split("\\s*[|]\\s*"))
        .forEach(cells -> rows.putIfAbsent(cells[1] + " " + cells[2], List.of(cells).subList(3, cells.length)));
    return rows;
  }

  private static String table(Figure figure) {
    StringBuilder table = new StringBuilder("| rate | pattern |");
    LOADS.forEach(load -> table.append(' ').append(load).append(" % |"));
    table.append("\n|---|---|").append("---:|".repeat(LOADS.size())).append('\n');
    for (int rate : RATES) {
      for (int pattern = 1; pattern <= figure.patterns; pattern++) {
        table.append("| ").append(rate).append(" Gb/s | C").append(pattern).append(" |");
        for (int load : LOADS) {
          table.append(' ').append(figure.cell(rate, pattern, load)).append(" |");
        }
        table.append('\n');
      }
    }
    return table.toString();
  }
}
