package dev.heddle.hpl.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.fabric.Fabric;
import dev.heddle.hpl.PanelBroadcast;
import dev.heddle.hpl.ProcessGrid;
import dev.heddle.hpl.RowSwap;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.units.SimTime;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the programs of HPL's processes by their operations, which are executed without a network, against counts,
 * bytes and times from HPL's definition.
 */
class RankProgramTest {
  private static final int NB = 8;
  private static final int PANELS = 12;
  private static final Set<HplTerm> NONE = Set.of();

  /** A process: its program, and a record of its operations. */
  private static final class Process {
    final Program program;
    final Operation[] pending;
    final boolean[] holds;
    final boolean[] ended;
    final long[] signals = new long[2];
    final List<List<String>> events = new ArrayList<>();
    final List<String> labels = new ArrayList<>();
    long computePs;
    long bytes;
    int messages;

    Process(Program program) {
      this.program = program;
      pending = new Operation[program.streams()];
      holds = new boolean[pending.length];
      ended = new boolean[pending.length];
      for (int stream = 0; stream < pending.length; stream++) {
        pending[stream] = new Operation();
        events.add(new ArrayList<>());
      }
    }
  }

  /** Executes all programs in turn; each must end, and each message must be received. */
  private static List<Process> execute(HplRun run, ProcessGrid grid, Set<HplTerm> free) {
    Fabric fabric = Fabrics.oneNode(grid.processes());
    WorkloadPlan plan = new HplWorkload(run, free).plan(fabric);
    WorkloadContext context = new WorkloadContext(fabric, plan.ranks(), 1, SimTime.parse("1 s"));
    List<Process> processes = new ArrayList<>();
    for (int rank = 0; rank < grid.processes(); rank++) {
      processes.add(new Process(plan.program(rank, context)));
    }
    Map<String, ArrayDeque<Long>> mail = new TreeMap<>();
    for (boolean moved = true; moved;) {
      moved = false;
      for (int rank = 0; rank < processes.size(); rank++) {
        for (int stream = 0; stream < processes.get(rank).pending.length; stream++) {
          moved |= advance(processes.get(rank), rank, stream, mail);
        }
      }
    }
    for (Process process : processes) {
      assertThat(process.ended).containsOnly(true);
      assertThat(process.program.next(0, new Operation())).isFalse();
    }
    assertThat(mail.values()).allMatch(ArrayDeque::isEmpty);
    return processes;
  }

  private static boolean advance(Process process, int rank, int stream, Map<String, ArrayDeque<Long>> mail) {
    boolean moved = false;
    while (!process.ended[stream]) {
      if (!process.holds[stream]) {
        process.ended[stream] = !process.program.next(stream, process.pending[stream]);
        process.holds[stream] = !process.ended[stream];
        moved = true;
      } else if (complete(process, rank, stream, mail)) {
        process.holds[stream] = false;
        moved = true;
      } else {
        return moved;
      }
    }
    return moved;
  }

  private static boolean complete(Process process, int rank, int stream, Map<String, ArrayDeque<Long>> mail) {
    Operation operation = process.pending[stream];
    switch (operation.kind()) {
      case COMPUTE -> process.computePs += operation.timePs();
      case SEND -> {
        process.bytes += operation.bytes();
        process.messages++;
        process.labels.add(operation.peer() + " " + operation.tag());
        mail.computeIfAbsent(rank + ">" + operation.peer() + " " + operation.tag(), any -> new ArrayDeque<>())
            .add(operation.bytes());
      }
      case RECEIVE -> {
        ArrayDeque<Long> box = mail.get(operation.peer() + ">" + rank + " " + operation.tag());
        return box != null && box.poll() != null;
      }
      case SIGNAL -> {
        process.signals[operation.tag()]++;
        process.events.get(stream).add("signal " + operation.tag());
      }
      case AWAIT -> {
        if (process.signals[operation.tag()] < operation.bytes()) {
          return false;
        }
        process.events.get(stream).add("await " + operation.tag() + " " + operation.bytes());
      }
      default -> throw new AssertionError(operation.kind());
    }
    return true;
  }

  private static HplRun run(ProcessGrid grid, int depth, PanelBroadcast broadcast, RowSwap swap) {
    return Runs.of((long) NB * PANELS, NB, grid, depth, broadcast, swap);
  }

  private static Set<HplTerm> without(HplTerm... kept) {
    Set<HplTerm> free = new TreeSet<>(List.of(HplTerm.values()));
    free.removeAll(List.of(kept));
    return free;
  }

  /** Blocks from one on that belong to a part, counted one by one. */
  private static int owned(int from, int part, int parts) {
    int count = 0;
    for (int block = from; block < PANELS; block++) {
      count += block % parts == part ? 1 : 0;
    }
    return count;
  }

  private static long total(List<Process> processes, ToLongFunction<Process> of) {
    return processes.stream().mapToLong(of).sum();
  }

  @ParameterizedTest
  @EnumSource(PanelBroadcast.class)
  void shouldEndWithoutDeadlockWhenGridAndDepthVary(PanelBroadcast broadcast) {
    for (int rows = 1; rows <= 7; rows++) {
      for (int columns = 1; columns <= 5; columns++) {
        for (int depth = 0; depth <= 3; depth++) {
          ProcessGrid grid = new ProcessGrid(rows, columns);
          RowSwap swap = RowSwap.values()[(rows + columns + depth) % RowSwap.values().length];
          List<Process> processes = execute(run(grid, depth, broadcast, swap), grid, NONE);
          assertThat(processes.get(0).program.streams()).isEqualTo(columns > 1 ? 2 : 1);
        }
      }
    }
  }

  /**
   * At 1 flop a picosecond, without other costs: m NB (NB - 1) to factorise a panel of m rows by halves down to one
   * column, NB^2 for each column that is solved, 2 m NB for each that is updated.
   */
  @ParameterizedTest
  @CsvSource({"1, 1, 0", "2, 3, 0", "3, 2, 1", "4, 1, 2", "3, 4, 2", "1, 5, 1"})
  void shouldComputeTheFlopsOfItsOwnBlocksWhenGridAndDepthVary(int rows, int columns, int depth) {
    ProcessGrid grid = new ProcessGrid(rows, columns);
    List<Process> processes = execute(
        run(grid, depth, PanelBroadcast.RING, RowSwap.SPREAD_ROLL), grid, without(HplTerm.CALCULATION));
    for (int rank = 0; rank < processes.size(); rank++) {
      int row = rank / columns;
      int column = rank % columns;
      long expected = 0;
      for (int panel = 0; panel < PANELS; panel++) {
        if (panel % columns == column) {
          expected += (long) owned(panel, row, rows) * NB * NB * (NB - 1);
        }
        long below = owned(panel + 1, row, rows);
        expected += owned(panel + 1, column, columns) * (1 + 2 * below) * NB * NB * NB;
      }
      assertThat(processes.get(rank).computePs).as("process %d, %d", row, column).isEqualTo(expected);
    }
  }

  /** The latencies of NB - 1 of NB rows' exchanges a round; a row of 2 NB + 4 words crosses two links of 16 GB/s. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void shouldWaitOncePerRoundWhenPivotsAreExchanged(int rows) {
    ProcessGrid grid = new ProcessGrid(rows, 2);
    List<Process> processes =
        execute(run(grid, 1, PanelBroadcast.RING, RowSwap.SPREAD_ROLL), grid, without(HplTerm.PIVOT));
    long row = (2 * NB + 4) * 8L;
    long latency = (NB - 1) * 2 * (100_000 + row * 1_000 / 16);
    int even = Integer.highestOneBit(rows);
    long all = 0;
    for (int rank = 0; rank < processes.size(); rank++) {
      int of = rank / 2;
      int rounds = of >= even ? 1 : Integer.numberOfTrailingZeros(even) + (of + even < rows ? 1 : 0);
      assertThat(processes.get(rank).computePs).as("row %d", of).isEqualTo(PANELS / 2 * rounds * latency);
      // Each round that is waited for is one message that another has sent.
      all += (long) PANELS / 2 * rounds * NB * row;
    }
    assertThat(total(processes, process -> process.bytes)).isEqualTo(all);
  }

  /** In a ring all but the last process of a row pass on the blocks below the panel, its triangle and its pivots. */
  @ParameterizedTest
  @CsvSource({"1, 3, 0", "2, 2, 1", "3, 5, 2", "4, 4, 1"})
  void shouldPassPanelsOnWhenItIsNotLastOfTheRow(int rows, int columns, int depth) {
    ProcessGrid grid = new ProcessGrid(rows, columns);
    List<Process> processes =
        execute(run(grid, depth, PanelBroadcast.RING, RowSwap.SPREAD_ROLL), grid, without(HplTerm.BROADCAST));
    for (int rank = 0; rank < processes.size(); rank++) {
      long expected = 0;
      for (int panel = 0; panel < PANELS; panel++) {
        boolean last = (rank % columns + 1) % columns == panel % columns;
        long words = (owned(panel + 1, rank / columns, rows) + 1L) * NB * NB + NB;
        expected += last ? 0 : 8 * words;
      }
      assertThat(processes.get(rank).bytes).as("rank %d", rank).isEqualTo(expected);
      List<String> awaits =
          processes.get(rank).events.get(1).stream().filter(each -> each.startsWith("await")).toList();
      List<String> factorised = new ArrayList<>();
      for (int own = 1; own <= owned(0, rank % columns, columns); own++) {
        factorised.add("await 0 " + own);
      }
      assertThat(awaits).as("panels that the process sends, each when it is factorised").isEqualTo(factorised);
    }
  }

  /** Two processes of a column: the panel's sends the other half of the rows; both then exchange their halves. */
  @Test
  void shouldSpreadRowsFromThePanelsOwnerWhenTwoProcessesSwap() {
    ProcessGrid grid = new ProcessGrid(2, 1);
    List<Process> processes =
        execute(run(grid, 0, PanelBroadcast.RING, RowSwap.SPREAD_ROLL), grid, without(HplTerm.UPDATE));
    for (int row = 0; row < 2; row++) {
      long expected = 0;
      for (int panel = 0; panel < PANELS; panel++) {
        long half = 8L * NB * NB * (PANELS - 1 - panel) / 2;
        expected += panel % 2 == row ? 2 * half : half;
      }
      assertThat(processes.get(row).bytes).isEqualTo(expected);
    }
  }

  /** Bytes and messages of binary exchange and of spread and roll, for each update of each column of processes. */
  @ParameterizedTest
  @CsvSource({"1, 3", "2, 2", "3, 3", "4, 2", "5, 2", "6, 1", "7, 3", "8, 2"})
  void shouldExchangeAsManyRowsAsTheSwapHasRoundsWhenRowsAreFewOrMany(int rows, int columns) {
    ProcessGrid grid = new ProcessGrid(rows, columns);
    long rounds = messages(rows);
    long spread = rows == 1 ? 0 : 2L * rows - 1;
    for (RowSwap swap : RowSwap.values()) {
      List<Process> processes = execute(run(grid, 0, PanelBroadcast.RING, swap), grid, without(HplTerm.UPDATE));
      long messages = PANELS * rounds + (long) PANELS * rows * (columns - 1);
      long bytes = 0;
      for (int panel = 0; panel < PANELS; panel++) {
        for (int column = 0; column < columns; column++) {
          long blocks = owned(panel + 1, column, columns);
          // The threshold of a mixed swap is 64 columns.
          boolean binary = swap == RowSwap.BINARY_EXCHANGE || swap == RowSwap.MIXED && blocks * NB <= 64;
          messages += blocks == 0 ? 0 : binary ? rounds : spread;
          long all = 8 * NB * NB * blocks;
          bytes += binary ? rounds * all : all * (rows - 1) + spreadBytes(rows, all);
        }
      }
      assertThat(total(processes, process -> process.messages)).as("%s messages", swap).isEqualTo(messages);
      // A part that is not whole is rounded, by less than a byte a message.
      assertThat(total(processes, process -> process.bytes)).as("%s bytes", swap)
          .isBetween(bytes - messages, bytes + messages);
    }
  }

  // Each of a power of two exchanges with a partner per round, those beyond it send theirs in, and get all back.
  private static long messages(int rows) {
    int even = Integer.highestOneBit(rows);
    return (long) even * Integer.numberOfTrailingZeros(even) + 2L * (rows - even);
  }

  // Halving moves the lower part of every line of members, down to one.
  private static long spreadBytes(int rows, long bytes) {
    return halves(rows) * bytes / rows;
  }

  private static long halves(int members) {
    if (members < 2) {
      return 0;
    }
    int lower = members / 2;
    return lower + halves(lower) + halves(members - lower);
  }

  /**
   * A panel is factorised once all earlier panels have updated it, and before the panels behind it are updated with the
   * panel that precedes it by the depth of look-ahead.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void shouldFactoriseAheadByTheDepthWhenItLooksAhead(int depth) {
    int columns = 3;
    ProcessGrid grid = new ProcessGrid(2, columns);
    List<Process> processes =
        execute(run(grid, depth, PanelBroadcast.RING, RowSwap.SPREAD_ROLL), grid, NONE);
    for (int rank = 0; rank < processes.size(); rank++) {
      List<String> events = processes.get(rank).events.get(0);
      int at = -1;
      for (int panel = rank % columns; panel < PANELS; panel += columns) {
        at = next(events, at + 1);
        if (panel > 0) {
          assertThat(events.get(at - 1)).as("before panel %d", panel).isEqualTo("await 1 " + panel);
        }
        if (panel >= depth && panel + columns < PANELS) {
          assertThat(events.get(at + 1)).as("after panel %d", panel).isEqualTo("await 1 " + (panel - depth + 1));
        }
      }
      assertThat(events.subList(at + 1, events.size())).doesNotContain("signal 0");
    }
  }

  /** Messages may overtake each other, so that none shares its tag with another between the same processes. */
  @Test
  void shouldTagEveryMessageOnItsOwnWhenAllAreOfOnePeer() {
    ProcessGrid grid = new ProcessGrid(6, 4);
    for (RowSwap swap : RowSwap.values()) {
      for (Process process : execute(run(grid, 0, PanelBroadcast.LONG_MODIFIED, swap), grid, NONE)) {
        assertThat(process.labels).doesNotHaveDuplicates().isNotEmpty();
      }
    }
  }

  private static int next(List<String> events, int from) {
    int found = events.subList(from, events.size()).indexOf("signal 0");
    assertThat(found).isNotNegative();
    return from + found;
  }

  @Test
  void shouldReturnOperationsInTheirOrderWhenTheQueueGrowsAndIsReused() {
    OperationQueue queue = new OperationQueue();
    Operation operation = new Operation();
    for (int count : new int[] {1, 64, 65, 200, 3}) {
      for (int i = 0; i < count; i++) {
        int peer = i;
        List<Runnable> kinds = List.of(
            () -> queue.compute(peer + 1L), () -> queue.send(peer, 7L * peer, peer + 2),
            () -> queue.receive(peer, peer + 3), () -> queue.signal(peer), () -> queue.await(peer, peer + 4L));
        kinds.get(i % 5).run();
        queue.compute(0);
      }
      for (int i = 0; i < count; i++) {
        assertThat(queue.isEmpty()).isFalse();
        queue.take(operation);
        LongSupplier[] first = {operation::timePs, operation::peer, operation::peer, operation::tag, operation::tag};
        LongSupplier[] second = {operation::timePs, operation::bytes, operation::tag, operation::tag, operation::bytes};
        Operation.Kind[] kinds = {
            Operation.Kind.COMPUTE, Operation.Kind.SEND, Operation.Kind.RECEIVE, Operation.Kind.SIGNAL,
            Operation.Kind.AWAIT};
        long[] wanted = {i + 1, i, i, i, i};
        long[] other = {i + 1, 7L * i, i + 3, i, i + 4};
        assertThat(operation.kind()).isEqualTo(kinds[i % 5]);
        assertThat(first[i % 5].getAsLong()).isEqualTo(wanted[i % 5]);
        assertThat(second[i % 5].getAsLong()).isEqualTo(other[i % 5]);
        assertThat(i % 5 != 1 || operation.tag() == i + 2).isTrue();
      }
      assertThat(queue.isEmpty()).isTrue();
    }
  }
}
