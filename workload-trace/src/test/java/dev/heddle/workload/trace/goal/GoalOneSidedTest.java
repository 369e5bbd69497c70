package dev.heddle.workload.trace.goal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.units.SimTime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Puts, appends and tests by the rules of LogGOPSim 2's module portals4: an append and a put occupy a cpu for o, an
 * entry is active from the begin of its append, a put raises the counter of the first entry that fits when it has
 * arrived, and a test spends o before it waits. With w, the time of a small message from rank to rank.
 */
class GoalOneSidedTest {
  @TempDir
  private Path folder;

  private long nanoseconds(String overhead, String receiver, String sender) throws IOException {
    return nanoseconds(overhead, Files.writeString(folder.resolve("a.goal"),
        "num_ranks 2\nrank 0 {\n" + receiver + "\n}\nrank 1 {\n" + sender + "\n}\n"));
  }

  private static long nanoseconds(String overhead, Path file) {
    return new Simulation("goal", Fabrics.oneNode(2), new GoalWorkloadProvider()
        .create(GoalWorkloadProvider.Settings.of(file.toString()).overhead(SimTime.parse(overhead))),
        SimulationOptions.defaults(), 1).at(Fidelity.PACKET).run().run().simulatedPs() / 1000;
  }

  private long wire() throws IOException {
    return nanoseconds("0 s", "recv 8b from 1", "send 8b to 0");
  }

  private static final String TWO_PUTS =
      "p: put 8b to 0 tag 5\nc: calc 4000\nq: put 8b to 0 tag 5\nc requires p\nq requires c";

  @Test
  void shouldPassTestWhenCounterHasValue() throws IOException {
    String receiver = "append 8b to priority_list allowed 1 ct 3 tag 5\nt: test 3 for 2\nc: calc 1000\nc requires t";
    // The second put leaves at 4000 and arrives at 4000 + w.
    assertThat(nanoseconds("0 s", receiver, TWO_PUTS)).isEqualTo(4000 + wire() + 1000);
    // Each put takes 200 before it leaves; append and test are over by 400, long before.
    assertThat(nanoseconds("200 ns", receiver, TWO_PUTS)).isEqualTo(200 + 4000 + 200 + wire() + 1000);
    // For one put the test passes at w, and the calc ends before the second arrives.
    assertThat(nanoseconds("0 s", receiver.replace("for 2", "for 1").replace("calc 1000", "calc 9000"), TWO_PUTS))
        .isEqualTo(wire() + 9000);
  }

  @Test
  void shouldServeFirstFittingEntryOnceWhenItIsForOneUse() throws IOException {
    // The first put raises counter 1, the second finds that entry used and raises counter 2.
    String receiver = "append 8b to priority_list allowed 1 ct 1 use_once tag 5\n"
        + "append 8b to priority_list allowed -1 ct 2 tag -1\nt: test 2 for 1\nc: calc 1000\nc requires t";
    assertThat(nanoseconds("0 s", receiver, TWO_PUTS)).isEqualTo(4000 + wire() + 1000);
    assertThat(nanoseconds("0 s", receiver.replace(" use_once", "").replace("test 2 for 1", "test 1 for 2"), TWO_PUTS))
        .isEqualTo(4000 + wire() + 1000);
  }

  @Test
  void shouldCountPutsOfOverflowListWhenEntryIsAppendedLater() throws IOException {
    String receiver = "append 8b to overflow_list allowed -1 tag -1\nw: calc 30000\n"
        + "a: append 8b to priority_list allowed 1 ct 1 tag 5\na requires w\nt: test 1 for 2\nt requires a\n"
        + "c: calc 700\nc requires t";
    assertThat(nanoseconds("0 s", receiver, TWO_PUTS)).as("both puts wait, the append at 30000 counts both")
        .isEqualTo(30_000 + 700);
  }

  @Test
  void shouldRaiseOwnCounterWhenPutHasLeft() throws IOException {
    assertThat(
        nanoseconds(
            "200 ns", "append 8b to priority_list allowed 1 tag 5",
            "p: put 8b to 0 ct 7 tag 5\nt: test 7 for 1\nt requires p\nc: calc 60000\nc requires t"))
        .as("a put and a test of 200 each").isEqualTo(400 + 60_000);
  }

  @Test
  void shouldRefuseWhenPortalsWouldDropPut() {
    assertThatThrownBy(
        () -> nanoseconds(
            "0 s", "w: calc 50000\na: append 8b to priority_list allowed 1 tag 5\na requires w", TWO_PUTS))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("a put of rank 1 reaches the rank of")
        .hasMessageContaining("while no append takes it");
    assertThatThrownBy(
        () -> nanoseconds("0 s", "append 8b to priority_list allowed 1 use_once tag 5", TWO_PUTS))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("each was used once");
  }

  /** A writer of the binary form, after the description of LogGOPSim 2's operations of 104 bytes. */
  private static final class Binary {
    private final ByteBuffer data = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
    private final int[] extents = new int[4];

    Binary() {
      data.putLong(4223).putInt(2).put((byte) 1).put((byte) 1).position(14 + 32);
    }

    void begin(int rank, int operations, int roots) {
      extents[2 * rank] = data.position() - 8;
      data.putInt(operations).putInt(roots);
      for (int root = 0; root < roots; root++) {
        data.putInt(root);
      }
    }

    // The dependents of an operation are given by their number and the first place in the appendix.
    Binary operation(int type, int peer, long size, int tag, int dependents, int first) {
      data.putInt(0).put((byte) type).putInt(peer).putLong(size).putInt(tag).put((byte) 0).put((byte) 0)
          .putInt(dependents).putInt(first).putInt(0).putInt(0);
      return this;
    }

    void oneSided(int options, int tested, long value, int raised) {
      data.put((byte) options).putInt(tested).putLong(value).putInt(raised);
      for (int unused = 0; unused < 4 + 8; unused++) {
        data.putInt(-1);
      }
    }

    void end(int rank, int... appendix) {
      for (int dependent : appendix) {
        data.putInt(dependent);
      }
      extents[2 * rank + 1] = data.position() - 8;
    }

    byte[] bytes() {
      int end = data.position();
      for (int i = 0; i < 4; i++) {
        data.putLong(14 + 8 * i, extents[i]);
      }
      byte[] bytes = new byte[end];
      data.get(0, bytes);
      return bytes;
    }
  }

  private static Binary binary(int handler) {
    Binary file = new Binary();
    file.begin(0, 3, 2);
    file.operation(6, 1, 8, 5, 0, 0).oneSided(4, 0, 0, 3);
    file.operation(7, 0, 0, 0, 1, 0).oneSided(0, 3, 2, -1);
    file.operation(3, 0, 1000, 0, 0, 1).oneSided(0, 0, 0, -1);
    file.end(0, 2);
    file.begin(1, 3, 1);
    file.operation(4, 0, 8, 5, 1, 0).oneSided(0, 0, 0, -1);
    file.operation(3, 0, 4000, 0, 1, 1).oneSided(0, 0, 0, -1);
    file.operation(handler, 0, 8, 5, 0, 2).oneSided(0, 0, 0, -1);
    file.end(1, 1, 2);
    return file;
  }

  @Test
  void shouldTakeAsLongAsTextWhenFileIsBinary() throws IOException {
    Path file = Files.write(folder.resolve("a.bin"), binary(4).bytes());
    assertThat(nanoseconds("200 ns", file)).isEqualTo(200 + 4000 + 200 + wire() + 1000);
    Path other = Files.write(folder.resolve("b.bin"), binary(8).bytes());
    assertThatThrownBy(() -> nanoseconds("0 s", other)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("rank 1, operation 2 has the type 8, which is not read");
  }

  @Test
  void shouldTakeAnyMessageWhenBinaryReceiveIsFromAny() throws IOException {
    ByteBuffer data = ByteBuffer.allocate(14 + 32 + 2 * (12 + 39)).order(ByteOrder.LITTLE_ENDIAN);
    data.putLong(4223).putInt(2).put((byte) 1).put((byte) 1).putLong(38).putLong(89).putLong(89).putLong(140);
    for (int rank = 0; rank < 2; rank++) {
      int any = rank == 0 ? -1 : 0;
      data.putInt(1).putInt(1).putInt(0);
      data.putInt(0).put((byte) (rank == 0 ? 2 : 1)).putInt(any).putLong(8).putInt(any).put((byte) 0).put((byte) 0)
          .putLong(0).putLong(0);
    }
    assertThat(nanoseconds("200 ns", Files.write(folder.resolve("c.bin"), data.array()))).isEqualTo(wire() + 400);
  }
}
