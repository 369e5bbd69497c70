package dev.heddle.workload.trace.goal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.fabric.Fabric;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Workload;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.testkit.contract.WorkloadContract;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GoalWorkloadTest extends WorkloadContract<GoalWorkloadProvider.Settings> {
  private static final String RING = "src/test/resources/goal/ar_ring_8_1MiB.goal";
  private static final String BINARY = "src/test/resources/goal/ar_ring_8_1MiB.bin";
  private static final String TREE = "src/test/resources/goal/binary_tree_32.goal";

  @TempDir
  private Path folder;

  @Override
  protected Provider<GoalWorkloadProvider.Settings, Workload> provider() {
    return new GoalWorkloadProvider();
  }

  @Override
  protected List<GoalWorkloadProvider.Settings> settings() {
    return List.of(
        GoalWorkloadProvider.Settings.of(RING),
        GoalWorkloadProvider.Settings.of(RING).overhead(SimTime.parse("200 ns")));
  }

  @Override
  protected List<GoalWorkloadProvider.Settings> refusedSettings() {
    return List.of(
        GoalWorkloadProvider.Settings.of("src/test/resources/goal/missing.goal"),
        new GoalWorkloadProvider.Settings(Path.of(RING), SimTime.ZERO, DeviceKind.ACCELERATOR, 100));
  }

  private static long time(Workload workload, Fabric fabric, Fidelity fidelity) {
    return new Simulation("goal", fabric, workload, SimulationOptions.defaults(), 1)
        .with(RingAlgorithmProvider.single()).at(fidelity).run().run()
        .simulatedPs();
  }

  private static Workload goal(String file) {
    return new GoalWorkloadProvider().create(GoalWorkloadProvider.Settings.of(file));
  }

  private Workload written(String text) {
    try {
      return goal(Files.writeString(folder.resolve("a.goal"), text).toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldTakeAsLongAsOwnRingWhenFileIsRingAllReduce() {
    Workload own = new CollectiveWorkloadProvider().create(
        CollectiveWorkloadProvider.Settings.of(CollectiveOp.ALL_REDUCE, DataSize.ofKiB(1024)));
    assertThat(time(goal(RING), Fabrics.oneNode(8), Fidelity.PACKET))
        .isEqualTo(time(own, Fabrics.oneNode(8), Fidelity.PACKET));
  }

  @Test
  void shouldFollowLogGopsWhenRingHasOverheads() {
    SimTime overhead = SimTime.parse("200 ns");
    long plain = time(goal(RING), Fabrics.oneNode(8), Fidelity.PACKET);
    long loaded = time(
        new GoalWorkloadProvider().create(GoalWorkloadProvider.Settings.of(RING).overhead(overhead)),
        Fabrics.oneNode(8), Fidelity.PACKET);
    assertThat(loaded - plain).as("2 (n - 1) rounds, each with an overhead of the sender and one of the receiver")
        .isEqualTo(14 * 2 * overhead.ps());
  }

  @Test
  void shouldRunEveryRankWhenFileIsBinomialTree() {
    long time = time(goal(TREE), Fabrics.oneNode(32), Fidelity.PACKET);
    assertThat(time).as("five levels, each of a byte over two links and a switch")
        .isBetween(5 * 300_000L, 5 * 300_000L + 5_000L);
  }

  @ParameterizedTest
  @CsvSource({"plain,3000", "requires,5000", "irequires,3000", "cpu,2000"})
  void shouldTakeAsLongAsGrammarSaysWhenComputationsDepend(String kind, long ns) {
    String text = switch (kind) {
      case "plain" -> "a: calc 1000\nb: calc 2000\n";
      case "requires" ->
        "a: calc 1000 // first\nb: calc 2000\nc: calc 2000 cpu 1\n c requires b /* and\n a */\nb requires a\n";
      case "irequires" -> "a: calc 2000\nb: calc 3000 cpu 3\nb irequires a\n";
      default -> "calc 1000\ncalc 2000 cpu 1\n";
    };
    assertThat(time(written("num_ranks 1\nrank 0 {\n" + text + "}\n"), Fabrics.oneNode(2), Fidelity.FLOW))
        .isEqualTo(ns * 1000);
  }

  @Test
  void shouldTakeTheOnlyMessageWhenReceiptIsFromAnyone() {
    long time = time(
        written("num_ranks 3\nrank 0 {\nrecv 8b from -1 tag 2\nrecv 8b from 1 tag -1\n}\n"
            + "rank 1 {\nsend 8b to 0 tag 1\n}\nrank 2 {\nsend 8b to 0 tag 2\n}\n"),
        Fabrics.oneNode(4), Fidelity.PACKET);
    assertThat(time).isPositive();
  }

  @Test
  void shouldReadTheSameWhenFileIsCompressed() throws IOException {
    Path compressed = folder.resolve("ring.goal.gz");
    try (GZIPOutputStream out = new GZIPOutputStream(Files.newOutputStream(compressed))) {
      out.write(Files.readAllBytes(Path.of(RING)));
    }
    assertThat(time(goal(compressed.toString()), Fabrics.oneNode(8), Fidelity.FLOW))
        .isEqualTo(time(goal(RING), Fabrics.oneNode(8), Fidelity.FLOW));
  }

  private static String one(String statements) {
    return "num_ranks 2\nrank 0 {\n" + statements + "\n}\nrank 1 {\n}\n";
  }

  @Test
  void shouldSayFileAndLineWhenTextIsWrong() {
    refused("", ":1: is empty");
    refused("num_ranks 2\nrank 0 {\n", "ends within rank 0");
    refused("num_ranks 2\nrank 0 {\n}\n", "ends after 1 of 2 ranks");
    refused("num_ranks -3\n", ":1: the number of ranks is -3, but must be 1 to 1048576");
    refused("num_ranks 99999999999999999999\n", ":1: the number of ranks is '99999999999999999999'");
    refused("num_ranks 1\nrank 1 {\n}\n", ":2: the rank, as ranks come in order, is 1, but must be 0 to 0");
    refused("num_ranks 1\nrank 0 {\n}\nrank 1 {\n}\n", ":4: here must be the end of the file");
    refused(one("send 8b to 2"), ":3: the receiver is 2, but must be 0 to 1");
    refused(one("send 8b to 0"), ":3: rank 0 sends to itself");
    refused(one("send -8b to 1"), ":3: the size is -8");
    refused(one("send 99999999999999999999b to 1"), ":3: the size is '99999999999999999999'");
    refused(one("send 8 to 1"), ":3: here must be a size, such as 16b");
    refused(one("send 8b to 1 tag -1"), ":3: a message has a tag of its own");
    refused(one("calc 9300000000000000"), ":3: the time in nanoseconds is 9300000000000000");
    refused(one("calc 1 cpu 256"), ":3: cpu is 256");
    refused(one("calc 1 nic 2"), ":3: 'nic' stands where the line should end");
    for (String operation : List.of("get", "tput", "tget", "tappend", "calcgem5")) {
      refused(one(operation + " 8b to 1 tag 1"), ":3: '" + operation + "' is not read");
    }
    refused(one("append 8b to priority_list hh 1 allowed 1 tag 1"), ":3: here must be 'allowed', but is 'hh'");
    refused(one("append 8b to list allowed 1"), ":3: here must be 'priority_list', but is 'list'");
    refused(one("put 8b to 1 tag 5"), ":3: no append of rank 1 takes this put of rank 0 with the tag 5");
    refused(one("test 65536 for 1"), ":3: the counter is 65536, but must be 0 to 65535");
    refused(one("walk 1"), ":3: here must be send, recv or calc, but is 'walk'");
    refused(one("2x: calc 1"), ":3: '2x' is no label");
    refused(one("a: calc 1\na: calc 2"), ":4: the label a stands twice in rank 0");
    refused(one("a: calc 1\na requires b"), ":4: no operation of this rank has the label b");
    refused(one("a: calc 1\nb: calc 1\na requires b\nb irequires a"), ": the operation waits for itself");
    refused(one("/* calc 1"), "a comment that begins with /* has no end");
    refused(one("send 8b to 1 tag 5"), "rank 0 sends 1 messages with the tag 5 to rank 1, which receives 0 such");
    refused(one("recv 8b from 1 tag 5"), "rank 1 sends 0 messages with the tag 5 to rank 0, which receives 1 such");
    refused(one("recv 8b from -1"), "rank 0 has 1 receives from any rank or with any tag, but 0 messages are left");
    refused("num_ranks 1\nrank 0 {\n\0\n}\n", ":3: holds a byte of 0");
    refused("num_ranks 1\nrank 0 {\n" + "x".repeat(1 << 20) + "y", ":3: is longer than 1048576 bytes");
  }

  @ParameterizedTest
  @CsvSource({"PACKET", "FLOW"})
  void shouldTakeAsLongAsTextWhenFileIsBinary(Fidelity fidelity) {
    for (String overhead : List.of("0 s", "200 ns")) {
      GoalWorkloadProvider.Settings text = GoalWorkloadProvider.Settings.of(RING).overhead(SimTime.parse(overhead));
      GoalWorkloadProvider.Settings binary =
          GoalWorkloadProvider.Settings.of(BINARY).overhead(SimTime.parse(overhead));
      assertThat(time(new GoalWorkloadProvider().create(binary), Fabrics.oneNode(8), fidelity))
          .isEqualTo(time(new GoalWorkloadProvider().create(text), Fabrics.oneNode(8), fidelity));
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "8   | 9  | must begin at byte 158", "14  | 1  | rank 0 lies from byte", "142 | 99 | is cut off: 99 operations",
      "214 | 9  | has the type 9; types are 1 to 3", "215 | 77 | has the peer 77", "226 | 99 | has the size"})
  void shouldSayWhatIsWrongWhenBinaryIsDamaged(int at, int value, String message) throws IOException {
    byte[] bytes = Files.readAllBytes(Path.of(BINARY));
    bytes[at] = (byte) value;
    Path damaged = Files.write(folder.resolve("damaged.bin"), bytes);
    assertThatThrownBy(() -> goal(damaged.toString())).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining(message);
    Files.write(damaged, Arrays.copyOf(Files.readAllBytes(Path.of(BINARY)), 5000));
    assertThatThrownBy(() -> goal(damaged.toString())).hasMessageContaining("damaged.bin: ends at byte 5000");
  }

  @Test
  void shouldNameCircleWhenRanksWaitForEachOther() {
    String text = """
        num_ranks 3
        rank 0 {
        l1: recv 8b from 2 tag 1
        l2: send 8b to 1 tag 2
        l2 requires l1
        l3: send 4b to 1 tag 9
        }
        rank 1 {
        l0: recv 4b from 0 tag 9
        l1: recv 8b from 0 tag 2
        l2: calc 100
        l3: send 8b to 2 tag 3
        l2 requires l1
        l3 requires l2
        }
        rank 2 {
        l1: recv 8b from 1 tag 3
        l2: send 8b to 0 tag 1
        l2 requires l1
        }
        """;
    assertThatThrownBy(() -> written(text)).isInstanceOf(InvalidSettingException.class)
        .extracting(failure -> String.valueOf(failure.getMessage()).replace(folder + "/", ""))
        .isEqualTo("operations wait for each other in a circle: a.goal:3 (receive of rank 0)"
            + " waits for a.goal:18 (send of rank 2); for a.goal:17 (receive of rank 2);"
            + " for a.goal:12 (send of rank 1);"
            + " for a.goal:11 (computation of rank 1); for a.goal:10 (receive of rank 1);"
            + " for a.goal:4 (send of rank 0);"
            + " for a.goal:3 (receive of rank 0)");
    assertThat(written(text.replace("l2 requires l1\n}\n", "}\n")).plan(Fabrics.oneNode(3)).ranks()).hasSize(3);
  }

  @Test
  void shouldRefuseWhenCompressedFileIsCut() throws IOException {
    Path cut = folder.resolve("cut.gz");
    try (GZIPOutputStream out = new GZIPOutputStream(Files.newOutputStream(cut))) {
      out.write("num_ranks 1\nrank 0 {\n}\n".getBytes(StandardCharsets.UTF_8));
    }
    byte[] all = Files.readAllBytes(cut);
    Files.write(cut, Arrays.copyOf(all, all.length - 12));
    assertThatThrownBy(() -> goal(cut.toString())).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("cut.gz: cannot be read");
  }

  @Test
  void shouldSayHowManyWhenClusterIsTooSmall() {
    assertThatThrownBy(() -> goal(TREE).plan(Fabrics.oneNode(8)).ranks()).isInstanceOf(InvalidSettingException.class)
        .hasMessage("has 32 ranks, but the cluster has 8 terminals of the kind accelerator");
  }

  private void refused(String text, String message) {
    assertThatThrownBy(() -> written(text)).as("%.60s", text).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("a.goal").hasMessageContaining(message);
  }
}
