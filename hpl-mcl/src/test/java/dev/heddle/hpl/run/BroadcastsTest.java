package dev.heddle.hpl.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.hpl.PanelBroadcast;
import dev.heddle.hpl.ProcessGrid;
import dev.heddle.hpl.RowSwap;
import dev.heddle.testkit.fixture.Fabrics;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the broadcasts against the definition of a broadcast, and against times computed by hand. */
class BroadcastsTest {
  private static final long BYTES = 5040;

  /** The operations of one process, as text: S or R, peer, step, bytes; A for the panel's arrival. */
  private static final class Recorder implements Broadcasts.Process {
    private final ArrayDeque<String[]> steps = new ArrayDeque<>();
    private boolean skips;

    private String position(int position) {
      return Integer.toString(skips && position > 0 ? position + 1 : position);
    }

    @Override
    public void send(int to, long bytes, int step) {
      steps.add(new String[] {"S", position(to), Integer.toString(step), Long.toString(bytes)});
    }

    @Override
    public void receive(int from, int step) {
      steps.add(new String[] {"R", position(from), Integer.toString(step)});
    }

    @Override
    public void arrived() {
      steps.add(new String[] {"A"});
    }

    @Override
    public void skipNext(boolean skip) {
      skips = skip;
    }
  }

  @ParameterizedTest
  @EnumSource(PanelBroadcast.class)
  void shouldBringThePanelToAllWithoutDeadlockWhenProcessesRun(PanelBroadcast kind) {
    for (int size = 2; size <= 33; size++) {
      List<Recorder> processes = new ArrayList<>();
      for (int self = 0; self < size; self++) {
        Recorder recorder = new Recorder();
        Broadcasts.add(kind, self, size, BYTES, recorder);
        processes.add(recorder);
      }
      Map<String, Long> sent = new LinkedHashMap<>();
      long[] received = new long[size];
      int[] arrivals = new int[size];
      for (boolean moved = true; moved;) {
        moved = false;
        for (int self = 0; self < size; self++) {
          moved |= run(self, processes.get(self).steps, sent, received, arrivals);
        }
      }
      assertThat(processes).as("%s among %d", kind, size).allSatisfy(each -> assertThat(each.steps).isEmpty());
      assertThat(sent).as("%s among %d: sent, never received", kind, size).isEmpty();
      for (int self = 0; self < size; self++) {
        assertThat(arrivals[self]).as("%s among %d: arrivals at %d", kind, size, self).isEqualTo(1);
        if (self > 0) {
          assertThat(received[self]).as("%s among %d: bytes at %d", kind, size, self).isGreaterThanOrEqualTo(BYTES - 1);
        }
      }
    }
  }

  // Runs a process until it blocks; returns whether it made progress.
  private static boolean run(
      int self, ArrayDeque<String[]> steps, Map<String, Long> sent, long[] received, int[] arrivals) {
    boolean moved = false;
    while (!steps.isEmpty()) {
      String[] step = steps.peek();
      if (step[0].equals("A")) {
        arrivals[self]++;
      } else if (step[0].equals("S")) {
        assertThat(sent.put(self + ">" + step[1] + "/" + step[2], Long.parseLong(step[3]))).isNull();
      } else {
        Long bytes = sent.remove(step[1] + ">" + self + "/" + step[2]);
        if (bytes == null) {
          return moved;
        }
        received[self] += bytes;
      }
      steps.remove();
      moved = true;
    }
    return moved;
  }

  // One panel of 1,000 columns along a row of 8, in multiples of the time of a panel on one link.
  @ParameterizedTest
  @CsvSource({
      "RING, 7", "RING_MODIFIED, 7", "TWO_RING, 5", "TWO_RING_MODIFIED, 5", "LONG, 1.75", "LONG_MODIFIED, 2.714"})
  void shouldTakeTheTimeOfItsLongestPathWhenLinksAreIdle(PanelBroadcast kind, double panelTimes) {
    HplRun run = Runs.of(1000, 1000, new ProcessGrid(1, 8), 0, kind, RowSwap.SPREAD_ROLL);
    double seconds = Runs.seconds(Fabrics.oneNode(8), run, HplTerm.CALCULATION);
    HplRun pair = Runs.of(1000, 1000, new ProcessGrid(1, 2), 0, PanelBroadcast.RING, RowSwap.SPREAD_ROLL);
    double panel = Runs.seconds(Fabrics.oneNode(2), pair, HplTerm.CALCULATION);
    assertThat(seconds / panel).isCloseTo(panelTimes, within(0.01));
    // 8 B of 1,000 x 1,001 words at 16 GB/s.
    assertThat(panel).isBetween(8.008e6 / 16e9, 1.05 * 8.008e6 / 16e9);
  }

  @Test
  void shouldDivideALineByHalvesWhenMembersAreNoPowerOfTwo() {
    List<String> sends = new ArrayList<>();
    for (int self = 0; self < 5; self++) {
      int own = self;
      Spread.spread(self, 5, 100, new Spread.Member() {
        @Override
        public void send(int to, long bytes, int step) {
          sends.add(own + ">" + to + " " + bytes);
        }

        @Override
        public void receive(int from, int step) {
          assertThat(from).isLessThan(own);
        }
      });
    }
    assertThat(sends).containsExactlyInAnyOrder("0>3 40", "0>2 20", "0>1 20", "3>4 20");
  }
}
