package dev.heddle.bench.track;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SessionTest {
  private static final Build NEW = new Build(Path.of("new"), "", List.of());
  private static final Build OLD = new Build(Path.of("old"), "", List.of());
  private static final Case FIRST = new Case("a.First.run", Map.of());
  private static final Case SECOND = new Case("a.Second.run", Map.of("size", "8"));

  @Test
  void shouldMeasureInTheOrderAbbaWhenThereIsABaseline() {
    List<String> order = new ArrayList<>();
    Session session = new Session(4, (build, measured) -> {
      order.add(build.folder() + " " + measured.text());
      return new Measurement(Map.of(Measurement.PROCESSOR_NS, (double) order.size()), Map.of());
    }, line -> {});
    Session.Outcome outcome = session.measure(NEW, List.of(FIRST, SECOND), OLD, Set.of(FIRST));
    assertThat(order).containsExactly(
        "new First.run", "old First.run", "old First.run", "new First.run",
        "new First.run", "old First.run", "old First.run", "new First.run",
        "new Second.run[size=8]", "new Second.run[size=8]", "new Second.run[size=8]", "new Second.run[size=8]");
    assertThat(outcome.build().get(0).measures()).containsEntry(Measurement.PROCESSOR_NS, List.of(1.0, 4.0, 5.0, 8.0));
    assertThat(outcome.baseline()).hasSize(1);
    assertThat(outcome.baseline().get(0).measures())
        .containsEntry(Measurement.PROCESSOR_NS, List.of(2.0, 3.0, 6.0, 7.0));
  }

  @Test
  void shouldRefuseWhenExactCountsDiffer() {
    List<Measurement> differing = List.of(
        new Measurement(Map.of(), Map.of("events", "5")), new Measurement(Map.of(), Map.of("events", "6")));
    assertThatThrownBy(() -> Series.of(FIRST, differing)).isInstanceOf(TrackException.class)
        .hasMessage("First.run: two runs of the same build have different counts: {events=5} and {events=6}");
  }

  @Test
  void shouldListOneCasePerCombinationWhenBenchmarksHaveParameters() {
    assertThat(JmhRunner.parse(
        "Benchmarks: \na.Plain.run\na.Grid.run\n  param \"x\" = {1, 2}\n  param \"y\" = {u, v}\n"))
        .containsExactly(
            new Case("a.Plain.run", Map.of()),
            new Case("a.Grid.run", Map.of("x", "1", "y", "u")), new Case("a.Grid.run", Map.of("x", "1", "y", "v")),
            new Case("a.Grid.run", Map.of("x", "2", "y", "u")), new Case("a.Grid.run", Map.of("x", "2", "y", "v")));
    assertThat(JmhRunner.parse("Benchmarks: \n")).isEmpty();
  }
}
