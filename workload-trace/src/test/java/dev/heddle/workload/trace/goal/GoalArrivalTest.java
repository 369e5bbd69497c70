package dev.heddle.workload.trace.goal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.fabric.Fabric;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Workload;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.SimTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Messages that are matched by arrival, against LogGOPSim's rules [Hoefler, Schneider, Lumsdaine 2010]: a message takes
 * the first posted receive that fits, a receive the first message to have arrived that fits. The time of a small
 * message, w, is that of a run with a send and a receive alone.
 */
class GoalArrivalTest {
  private static final Fabric FABRIC = Fabrics.oneNode(8);

  @TempDir
  private Path folder;

  private Workload read(String text, String overhead) {
    try {
      return read(Files.writeString(folder.resolve("a.goal"), text), overhead);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Workload read(Path file, String overhead) {
    return new GoalWorkloadProvider()
        .create(GoalWorkloadProvider.Settings.of(file.toString()).overhead(SimTime.parse(overhead)));
  }

  private static long time(Workload workload, Fidelity fidelity, SimulationOptions options) {
    return new Simulation("goal", FABRIC, workload, options, 1).with(RingAlgorithmProvider.single()).at(fidelity)
        .run().run().simulatedPs();
  }

  private long nanoseconds(String overhead, String... ranks) {
    return time(read(text(ranks), overhead), Fidelity.PACKET, SimulationOptions.defaults()) / 1000;
  }

  private static String text(String... ranks) {
    StringBuilder text = new StringBuilder("num_ranks " + ranks.length + "\n");
    for (int rank = 0; rank < ranks.length; rank++) {
      text.append("rank ").append(rank).append(" {\n").append(ranks[rank]).append("\n}\n");
    }
    return text.toString();
  }

  private static String sendAt(long nanoseconds, int tag) {
    return "c: calc " + nanoseconds + "\ns: send 8b to 0 tag " + tag + "\ns requires c";
  }

  // w, to the nanosecond below.
  private long wire() {
    return nanoseconds("0 s", "recv 8b from 1 tag 1", "send 8b to 0 tag 1");
  }

  private static String receiveAnyThenOne(String before) {
    return before + "a: recv 8b from -1 tag -1\nb: recv 8b from 2 tag 2\nx: calc 10000 cpu 1\nx requires a\n"
        + "y: calc 20000 cpu 2\ny requires b";
  }

  @Test
  void shouldGiveFirstArrivalToFirstPostedReceiveWhenReceivesWait() {
    // a takes rank 1's message at 1000 + w, b rank 2's at 5000 + w; y ends 20000 later.
    assertThat(nanoseconds("0 s", receiveAnyThenOne(""), sendAt(1000, 1), sendAt(5000, 2)))
        .isEqualTo(5000 + wire() + 20_000);
    // Nor does it matter that a third rank's message is for a later receive with any tag.
    assertThat(
        nanoseconds(
            "0 s", receiveAnyThenOne("") + "\nz: recv 8b from 3 tag -1\nu: calc 90000\nu requires z",
            sendAt(1000, 1), sendAt(5000, 2), sendAt(7000, 3)))
        .isEqualTo(7000 + wire() + 90_000);
  }

  @Test
  void shouldGiveFirstArrivalToReceiveWhenMessagesWait() {
    // Both messages wait at 50000, when the receives are posted; a takes rank 1's, which came first.
    String late = "w: calc 50000\na requires w\nb requires w\n";
    assertThat(nanoseconds("0 s", receiveAnyThenOne(late).replaceFirst("(?s)(w: calc 50000\n)(.*?)(a: .*)", "$1$3\n$2"),
        sendAt(1000, 1), sendAt(5000, 2))).isEqualTo(50_000 + 20_000);
  }

  @ParameterizedTest
  @CsvSource({"''", "w: calc 50000"})
  void shouldNameReceiveWhenEarlierOneTookItsMessage(String before) {
    // Rank 2's message comes first, and a takes it; LogGOPSim prints that its queues are not empty, and no time.
    String receiver = receiveAnyThenOne(before + "\n") + (before.isEmpty() ? "" : "\na requires w\nb requires w");
    assertThatThrownBy(() -> nanoseconds("0 s", receiver, sendAt(5000, 1), sendAt(1000, 2)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("a.goal:5: the operation, a receive, gets no message");
  }

  private record Messages(List<Long> posts, List<int[]> receives, List<long[]> arrivals) {}

  // LogGOPSim's lists, followed by hand: the end of the last receive; empty where receives and messages are left.
  private static OptionalLong followed(Messages run) {
    List<int[]> posted = new ArrayList<>();
    List<long[]> unexpected = new ArrayList<>();
    long end = 0;
    int post = 0;
    int come = 0;
    while (post < run.posts.size() || come < run.arrivals.size()) {
      boolean posts = come == run.arrivals.size()
          || post < run.posts.size() && run.posts.get(post) < run.arrivals.get(come)[0];
      long now = posts ? run.posts.get(post) : run.arrivals.get(come)[0];
      end = Math.max(end, now);
      if (posts) {
        int[] receive = run.receives.get(post++);
        if (unexpected.stream().noneMatch(message -> fits(receive, message))) {
          posted.add(receive);
        } else {
          unexpected.remove(unexpected.stream().filter(message -> fits(receive, message)).findFirst().orElseThrow());
        }
      } else {
        long[] message = run.arrivals.get(come++);
        if (posted.stream().noneMatch(receive -> fits(receive, message))) {
          unexpected.add(message);
        } else {
          posted.remove(posted.stream().filter(receive -> fits(receive, message)).findFirst().orElseThrow());
        }
      }
    }
    return posted.isEmpty() ? OptionalLong.of(end) : OptionalLong.empty();
  }

  private static boolean fits(int[] receive, long[] message) {
    return (receive[0] == -1 || receive[0] == message[1]) && (receive[1] == -1 || receive[1] == message[2]);
  }

  static LongStream seeds() {
    return Seeds.several(60);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldFollowLogGopSimWhenProgramIsRandom(long seed) {
    Random random = new Random(seed);
    int count = 2 + random.nextInt(6);
    long wire = wire();
    Messages run = new Messages(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    StringBuilder receiver = new StringBuilder();
    String[] ranks = new String[4];
    StringBuilder[] senders = {new StringBuilder(), new StringBuilder(), new StringBuilder(), new StringBuilder()};
    long[] sent = new long[4];
    long at = 0;
    for (int i = 0; i < count; i++) {
      // Messages and receives are 10 us apart or more, so that links are free; a receive is 5 us off.
      at += 10_000 * (1 + random.nextInt(3));
      int from = 1 + random.nextInt(3);
      int tag = random.nextInt(2);
      senders[from].append("c" + i + ": calc " + (at - sent[from]) + "\ns" + i + ": send 8b to 0 tag " + tag + "\n")
          .append("s" + i + " requires c" + i + "\n");
      sent[from] = at;
      run.arrivals.add(new long[] {at + wire, from, tag});
      int[] receive = {random.nextBoolean() ? -1 : from, random.nextBoolean() ? -1 : tag};
      run.receives.add(receive);
      run.posts.add((run.posts.isEmpty() ? 5_000 : run.posts.get(i - 1)) + 10_000L * random.nextInt(4));
      receiver.append("c" + i + ": calc " + (run.posts.get(i) - (i == 0 ? 0 : run.posts.get(i - 1))) + "\n")
          .append(
              "r" + i + ": recv 8b from " + receive[0] + " tag " + receive[1] + "\nr" + i + " requires c" + i + "\n");
    }
    ranks[0] = receiver.toString();
    for (int rank = 1; rank < 4; rank++) {
      ranks[rank] = senders[rank].toString();
    }
    OptionalLong expected = followed(run);
    if (expected.isPresent()) {
      assertThat(nanoseconds("0 s", ranks)).as("seed %d", seed).isEqualTo(expected.getAsLong());
    } else {
      assertThatThrownBy(() -> nanoseconds("0 s", ranks)).as("seed %d", seed)
          .isInstanceOf(InvalidSettingException.class).hasMessageContaining("gets no message");
    }
  }

  @ParameterizedTest
  @CsvSource({"PACKET", "FLOW", "ANALYTIC"})
  void shouldTakeSameTimeWhenThreadsAndPartitionsDiffer(Fidelity fidelity) {
    // Seven ranks send at one time, 64 messages each; what follows a receive depends on its place in the order.
    StringBuilder receiver = new StringBuilder();
    String[] ranks = new String[8];
    for (int i = 0; i < 7 * 64; i++) {
      receiver.append("r" + i + ": recv 4096b from -1 tag -1\nc" + i + ": calc " + 7 * i % 113 + " cpu " + i % 5 + "\n")
          .append("c" + i + " requires r" + i + "\n");
    }
    ranks[0] = receiver.toString();
    for (int rank = 1; rank < 8; rank++) {
      ranks[rank] = ("send 4096b to 0 tag " + rank % 3 + "\n").repeat(64);
    }
    Workload workload = read(text(ranks), "100 ns");
    long one = time(workload, fidelity, SimulationOptions.defaults());
    for (int parts = 2; parts <= 4; parts++) {
      assertThat(time(workload, fidelity, SimulationOptions.defaults().parallel(parts, parts))).isEqualTo(one);
    }
  }
}
