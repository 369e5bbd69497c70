package dev.heddle.bench.track;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ParsingTest {
  private static final Offset<Double> TINY = within(1e-9);

  private static String jmh(String score, String unit, String counter, String bytes) {
    return "[{\"primaryMetric\": {\"score\": " + score + ", \"scoreUnit\": \"" + unit + "\"},"
        + " \"secondaryMetrics\": {"
        + "\"events\": {\"score\": " + counter + ", \"scoreUnit\": \"" + unit + "\"},"
        + "\"total\": {\"score\": 7, \"scoreUnit\": \"#\"},"
        + "\"processor.time.norm\": {\"score\": 123.5, \"scoreUnit\": \"ns/op\"},"
        + "\"" + bytes + "\": {\"score\": 48.0, \"scoreUnit\": \"B/op\"}}}]";
  }

  @Test
  void shouldTurnRatesAndTimesIntoTimesPerOperation() {
    // 4 operations a millisecond take 250,000 ns each; 2,000 events a millisecond are 500 per operation.
    Measurement rate = JmhResult.read(jmh("4", "ops/ms", "2000", "gc.alloc.rate.norm"), "x");
    assertThat(rate.measures().get(Measurement.WALL_NS)).isCloseTo(250_000, TINY);
    assertThat(rate.measures().get("eventsPerOperation")).isCloseTo(500, TINY);
    assertThat(rate.measures()).containsEntry(Measurement.PROCESSOR_NS, 123.5)
        .containsEntry(Measurement.ALLOCATED_BYTES, 48.0).doesNotContainKey("totalPerOperation");
    // 6 us an operation, of which each event takes 0.5: twelve events; and the dot of JMH before 1.36.
    Measurement time = JmhResult.read(jmh("6", "us/op", "0.5", "\u00b7gc.alloc.rate.norm"), "x");
    assertThat(time.measures().get(Measurement.WALL_NS)).isCloseTo(6000, TINY);
    assertThat(time.measures().get("eventsPerOperation")).isCloseTo(12, TINY);
    assertThat(time.measures()).containsEntry(Measurement.ALLOCATED_BYTES, 48.0);
  }

  @Test
  void shouldRefuseWhenResultOfJmhIsNone() {
    assertThatThrownBy(() -> JmhResult.read("[]", "a.Run")).isInstanceOf(TrackException.class)
        .hasMessage("a.Run: has 0 results of JMH instead of one");
    assertThatThrownBy(() -> JmhResult.read("{", "a.Run")).isInstanceOf(TrackException.class)
        .hasMessageStartingWith("a.Run: is no JSON of JMH: ");
    assertThatThrownBy(() -> JmhResult.read(jmh("3", "parsecs", "1", "b"), "a.Run")).isInstanceOf(TrackException.class)
        .hasMessage("a.Run: has a score of 3.0 parsecs, which is no time of an operation");
  }

  @Test
  void shouldAddUserAndSystemTimeOfChildren() {
    assertThat(ProcessRunner.processorNs("0m0.01s 0m0.02s\n1m2.50s 0m0.25s\n")).isCloseTo(62.75e9, within(1.0));
    assertThatThrownBy(() -> ProcessRunner.processorNs("0m0.01s 0m0.02s\n")).isInstanceOf(TrackException.class);
  }

  @Test
  void shouldReadExactCountsWhenOutputIsThatOfARun() {
    String run = "{\"run\": {\"events\": 47017, \"packetHops\": 28703, \"fingerprint\": \"c2d6\", \"wallNanos\": 5}}";
    assertThat(ProcessRunner.counts(run)).hasSize(3).containsEntry("events", "47017")
        .containsEntry("packetHops", "28703").containsEntry("fingerprint", "c2d6");
    assertThat(ProcessRunner.counts("Usage: heddle")).isEmpty();
  }

  @Test
  void shouldRefuseWhenCommandsAreNoLists(@TempDir Path folder) throws IOException {
    assertThat(ProcessRunner.commands(null)).containsEntry("help", List.of("--help")).hasSizeGreaterThan(4);
    Path file = folder.resolve("commands.yaml");
    Files.writeString(file, "first: run a.yaml\n");
    assertThatThrownBy(() -> ProcessRunner.commands(file)).isInstanceOf(TrackException.class)
        .hasMessage(file + ": first: is no list of arguments, such as [run, a.yaml]");
    Files.writeString(file, "{}");
    assertThatThrownBy(() -> ProcessRunner.commands(file)).isInstanceOf(TrackException.class)
        .hasMessage(file + ": has no command; a line is NAME: [ARGUMENT, ...]");
  }

  @Test
  void shouldNameAClassOfMachinesWithoutAHost() {
    assertThat(new Machine("Intel(R) Xeon(R) Platinum 8480+ @ 2.00GHz", 2, "17.0.15").folder())
        .isEqualTo("intel-xeon-platinum-8480-2-00ghz-2-cores-jdk-17");
    assertThat(Machine.current().cores()).isPositive();
  }
}
