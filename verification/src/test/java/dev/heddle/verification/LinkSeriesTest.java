package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.results.Results.Series;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the curves of links over time with the sums that a run reports of the same links. */
class LinkSeriesTest {
  private static final String INCAST = """
      name: incast
      run: {granularity: packet}
      transport: {type: roce, congestion: dcqcn}
      cluster:
        tiers:
          - name: net
            terminals: {accelerator: 8}
            topology:
              type: star
              link: {type: ethernet, rate: 100 Gb/s, latency: 1 us}
              centre:
                type: ethernet
                buffer: 1 MB
                ecn: {min: 20 KB, max: 80 KB, probability: 20 %}
                pfc: {headroom: 100 KB}
      workload: {type: traffic, pattern: incast, loop: closed, messages: 2, message-size: 500 KB}
      """;

  private static Results run(List<String> links, Map<String, String> overrides) {
    return run(INCAST, links, overrides);
  }

  private static Results run(String scenario, List<String> links, Map<String, String> overrides) {
    try (Registry registry = Registry.discover(LinkSeriesTest.class.getClassLoader(), List.of())) {
      Map<String, String> all = new LinkedHashMap<>(overrides);
      all.put("run.link-series", links.stream().map(link -> "'" + link + "'").toList().toString());
      return new ScenarioReader(registry).parse("test.yaml", scenario, all).points().get(0).scenario().simulation()
          .run();
    }
  }

  private static LinkUsage busiest(Results results, boolean stalled) {
    return results.links().stream()
        .max(Comparator.comparingDouble(stalled ? LinkUsage::creditStall : LinkUsage::utilization)).orElseThrow();
  }

  private static Series series(Results results, String kind) {
    return results.series().stream().filter(each -> each.id().startsWith("link." + kind + " ")).findFirst()
        .orElseThrow(() -> new AssertionError(kind + " of " + results.series().stream().map(Series::id).toList()));
  }

  /** The mean of a curve in percent over the simulated time. */
  private static double mean(Results results, Series series) {
    double width = 2 * series.x().get(0) * 1e6;
    return series.y().stream().mapToDouble(y -> y / 100 * width).sum() / results.run().simulatedPs();
  }

  @ParameterizedTest
  @ValueSource(strings = {"transport: {type: roce}\n", "transport: {type: uec, control: both}\n", ""})
  void shouldAddUpToTheUseOfTheLink(String transport) {
    String scenario = INCAST.replaceFirst("transport.*\n", transport);
    Results plain = run(scenario, List.of(), Map.of());
    LinkUsage link = busiest(plain, false);
    Results watched = run(scenario, List.of(link.name()), Map.of());
    assertThat(watched.metrics()).isEqualTo(plain.metrics());
    assertThat(mean(watched, series(watched, "use"))).isCloseTo(link.utilization(), withinPercentage(0.01));
    assertThat(series(watched, "use").y()).allSatisfy(use -> assertThat(use).isBetween(0.0, 100.000001));
    assertThat(plain.series()).isEmpty();
  }

  @Test
  void shouldSayThatItTakesPacketsWhenThereAreNone() {
    Results flows = run(List.of("net.accelerator0 -> net.switch"), Map.of("fidelity", "flow"));
    assertThat(flows.series()).isEmpty();
    assertThat(flows.warnings()).anySatisfy(line -> assertThat(line).contains("run.link-series", "fidelity: packet"));
  }

  @Test
  void shouldShowTheQueueBetweenItsMeanAndItsLargestAndItsMarks() {
    String link = busiest(run(List.of(), Map.of()), false).name();
    Results watched = run(List.of(link), Map.of());
    Series mean = series(watched, "queue");
    Series largest = series(watched, "queue-most");
    double most = largest.y().stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    // Marks begin at 20 KB; eight inputs have a shared buffer of 1 MB and 100 KB of headroom each.
    assertThat(most * 1024).isBetween(20e3, 1.8e6);
    for (int bin = 0; bin < mean.y().size(); bin++) {
      // A bin may begin with what is left of the one before, of which it counts the changes alone.
      double bound = Math.max(largest.y().get(bin), bin == 0 ? 0 : largest.y().get(bin - 1));
      assertThat(mean.y().get(bin)).isLessThanOrEqualTo(bound + 1e-9);
    }
    assertThat(series(watched, "marked").y()).allSatisfy(share -> assertThat(share).isBetween(0.0, 100.0))
        .anySatisfy(share -> assertThat(share).isPositive());
  }

  @Test
  void shouldPauseALinkForAtLeastTheTimeThatItsPacketsWait() {
    Map<String, String> overrides = Map.of("transport.congestion", "none");
    LinkUsage link = busiest(run(List.of(), overrides), true);
    Results watched = run(List.of(link.name()), overrides);
    assertThat(link.creditStall()).isGreaterThan(0.1);
    assertThat(mean(watched, series(watched, "paused"))).isGreaterThanOrEqualTo(link.creditStall() - 1e-6);
    assertThat(mean(watched, series(watched, "paused")) + mean(watched, series(watched, "use"))).isLessThan(1.05);
  }

  @Test
  void shouldBeTheSameOnAnyNumberOfPartitions() {
    String link = busiest(run(List.of(), Map.of()), false).name();
    assertThat(run(List.of(link), Map.of("run.partitions", "4")).series())
        .isEqualTo(run(List.of(link), Map.of()).series());
  }

  @Test
  void shouldRefuseALinkThatThereIsNot() {
    String link = busiest(run(List.of(), Map.of()), false).name();
    assertThatThrownBy(() -> run(List.of(link, link.replace("accelerator", "acelerator")), Map.of()))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining("no link is called").hasMessageContaining("did you mean '" + link + "'?");
    assertThat(mean(run(List.of(link, link), Map.of()), series(run(List.of(link, link), Map.of()), "use")))
        .isCloseTo(mean(run(List.of(link), Map.of()), series(run(List.of(link), Map.of()), "use")), within(1e-12));
  }
}
