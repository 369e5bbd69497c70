package dev.heddle.bench.track;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryTest {
  private static final Machine MACHINE = new Machine("Example 1", 2, "17.0.1");
  private static final Case CASE = new Case("a.b.Hold.run", Map.of("pending", "10"));

  private static Series series(double ns) {
    return new Series(CASE.benchmark(), CASE.parameters(),
        Map.of(Measurement.PROCESSOR_NS, Collections.nCopies(6, ns)), Map.of("events", "12"));
  }

  private static Entry entry(String commit, String date, double ns, @Nullable String before, double beforeNs) {
    return new Entry(Entry.FORMAT, commit, date, MACHINE, "shared", List.of("-XX:+UseSerialGC"), List.of(series(ns)),
        before == null ? null : new Entry.Baseline(before, "2026-01-01T00:00:00Z", List.of(series(beforeNs))));
  }

  @Test
  void shouldReadTheEntriesThatItWroteInTheOrderOfCommits(@TempDir Path folder) {
    History history = new History(folder);
    Entry later = entry("bb", "2026-02-02T00:00:00Z", 80, "aa", 100);
    Entry earlier = entry("cc", "2026-02-01T00:00:00Z", 90, null, 0);
    assertThat(history.store(later)).isEqualTo(folder.resolve("example-1-2-cores-jdk-17").resolve("bb.json"));
    history.store(earlier);
    assertThat(history.classes()).containsExactly("example-1-2-cores-jdk-17");
    assertThat(history.entries("example-1-2-cores-jdk-17")).containsExactly(earlier, later);
  }

  @Test
  void shouldChainRatiosOfPairsAndNotTimesOfSessions() {
    // The second session ran on a machine at half speed: 0.8, then 0.5 of that, though its times are longer.
    RatioChain chain = new RatioChain(List.of(
        entry("b", "2", 80, "a", 100), entry("c", "3", 90, "b", 180), entry("x", "4", 7, null, 0)));
    assertThat(chain.commits()).containsExactly("a", "b", "c", "x");
    assertThat(chain.at(CASE, "a").orElseThrow().value()).isEqualTo(1);
    assertThat(chain.at(CASE, "b").orElseThrow().value()).isCloseTo(0.8, within(1e-12));
    RatioChain.Point last = chain.at(CASE, "c").orElseThrow();
    assertThat(last.value()).isCloseTo(0.4, within(1e-12));
    assertThat(last.root()).isEqualTo("a");
    assertThat(chain.at(CASE, "x")).isEmpty();
  }

  @Test
  void shouldPrintTheTableAndWriteThePage(@TempDir Path folder) throws IOException {
    History history = new History(folder);
    history.store(entry("bb", "2026-02-02T00:00:00Z", 80, "aa", 100));
    Path chart = folder.resolve("out/history.html");
    StringWriter out = new StringWriter();
    int code = run(out, "history", "--history", folder.toString(), "--machine", "example-1-2-cores-jdk-17", "--chart",
        chart.toString());
    assertThat(code).isEqualTo(Track.OK);
    assertThat(out.toString()).contains("Hold.run[pending=10]").contains("80 ns").contains("0.800..0.800")
        .contains("less").contains("0.800 since aa, 0.800..0.800").contains("bb: shared");
    assertThat(Files.readString(chart)).contains("relative processor time").contains("0.8");
  }

  @Test
  void shouldEndWithOneMessageWhenInputIsBad(@TempDir Path folder) throws IOException {
    Path none = folder.resolve("none");
    assertBad("has no measurements of machines of class m; it has none at all",
        "history", "--history", none.toString(), "--machine", "m");
    Path damaged = Files.createDirectories(folder.resolve("m")).resolve("a.json");
    List<String> read = List.of("history", "--history", folder.toString(), "--machine", "m");
    for (Map.Entry<String, String> each : ImmutableMap.of(
        "{\"format\": 1, \"commit\": ", "is no entry of a history at line 1",
        "{\"format\": 1, \"commit\": \"a\"}", "is no entry of a history",
        History.write(entry("a", "1", 1, null, 0)).replace("\"note\"", "\"colour\": 3, \"note\""),
        "Unrecognized field \"colour\"",
        "[]", "is no entry of a history").entrySet()) {
      Files.writeString(damaged, each.getKey());
      assertBad(each.getValue(), read.toArray(new String[0]));
    }
    Files.writeString(damaged, History.write(entry("a", "1", 1, null, 0)).replace("\"format\" : 1", "\"format\" : 9"));
    assertBad("format: must be 1", read.toArray(new String[0]));
    assertBad("is no checkout with a built module bench", "run", "--checkout", folder.toString());
    assertBad("give one of the two", "run", "--self", "--baseline", "x");
    assertBad("--rounds 0: must be from 1 to 1000", "run", "--rounds", "0");
    assertBad("Unknown option: '--colour'", "run", "--colour");
  }

  @Test
  void shouldMeasureAndStoreABenchmarkOfAJar(@TempDir Path folder) throws IOException {
    List<String> args = new ArrayList<>(List.of("run", "HplModelBenchmark.layered", "--rounds", "1", "--warmup", "0",
        "--iterations", "1", "--seconds", "1", "--store", "--commit", "first", "--note", "a test", "--history",
        folder.resolve("history").toString()));
    args.addAll(checkout(folder));
    StringWriter out = new StringWriter();
    assertThat(run(out, args.toArray(new String[0]))).isEqualTo(Track.OK);
    assertThat(out.toString()).contains("HplModelBenchmark.layered").contains("not compared").contains("stored: ");
    Entry entry = new History(folder.resolve("history")).entries(Machine.current().folder()).get(0);
    assertThat(entry.commit()).isEqualTo("first");
    assertThat(entry.series()).hasSize(1);
    // A closed form of some arithmetic operations.
    assertThat(entry.series().get(0).median(Measurement.PROCESSOR_NS)).isBetween(1.0, 1e6);
    assertThat(entry.series().get(0).measures()).containsKey(Measurement.ALLOCATED_BYTES);
    assertBad("exists; --replace measures the commit anew", args.toArray(new String[0]));
  }

  @Test
  void shouldRefuseBaselinesAndPatternsThatAreNone(@TempDir Path folder) throws IOException {
    assertRefused(folder, "no benchmark's name contains a match of HplModell", "HplModell");
    assertRefused(folder, "nowhere: is neither a folder nor a commit", "--baseline", "nowhere");
    assertRefused(folder, "is no regular expression", "process[");
    assertRefused(folder, "no-such.jar: there is no such jar or folder of benchmarks", "--benchmarks", "no-such.jar");
    assertRefused(folder, "as it names a file", "--store", "--commit", "../x");
  }

  private static void assertRefused(Path folder, String message, String... args) throws IOException {
    List<String> all = new ArrayList<>(List.of("run"));
    all.addAll(List.of(args));
    all.addAll(checkout(folder));
    assertBad(message, all.toArray(new String[0]));
  }

  // A built checkout without classes, and the class path of this test as benchmarks of one's own.
  private static List<String> checkout(Path folder) throws IOException {
    Files.createDirectories(folder.resolve("bench/target/classes"));
    Files.createDirectories(folder.resolve("bench/target/lib"));
    List<String> options = new ArrayList<>(List.of("--checkout", folder.toString()));
    Splitter.on(File.pathSeparatorChar).omitEmptyStrings().split(System.getProperty("java.class.path"))
        .forEach(entry -> options.addAll(List.of("--benchmarks", entry)));
    return options;
  }

  private static void assertBad(String message, String... args) {
    StringWriter err = new StringWriter();
    int code = Track.execute(args, new PrintWriter(new StringWriter()), new PrintWriter(err, true));
    assertThat(err.toString()).contains(message).startsWith("track: ");
    assertThat(err.toString().lines().filter(line -> !line.startsWith("Try '"))).hasSize(1);
    assertThat(code).isEqualTo(Track.BAD_INPUT);
  }

  private static int run(StringWriter out, String... args) {
    return Track.execute(args, new PrintWriter(out, true), new PrintWriter(new StringWriter()));
  }
}
