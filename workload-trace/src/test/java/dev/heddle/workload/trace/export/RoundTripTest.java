package dev.heddle.workload.trace.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.protobuf.DynamicMessage;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.fabric.Fabric;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import dev.heddle.workload.trace.chakra.ChakraSchema;
import dev.heddle.workload.trace.chakra.ChakraWorkloadProvider;
import dev.heddle.workload.trace.goal.GoalWorkloadProvider;
import dev.heddle.workload.trace.graph.TraceException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RoundTripTest {
  private static final Fabric NODES = Fabrics.nodesOnStars(2, 4);
  private static final int LIMIT = 100_000;

  @TempDir
  private Path folder;

  static LongStream seeds() {
    return Seeds.several(12);
  }

  private static ExportedJob job(Workload workload) {
    return new ExportedJob(
        workload, NODES, RingAlgorithmProvider.single(),
        new WorkloadContext(NODES, workload.plan(NODES).ranks(), 1, SimTime.ofPs(Long.MAX_VALUE)), LIMIT);
  }

  private static long time(Workload workload, Fidelity fidelity) {
    return new Simulation("round", NODES, workload, SimulationOptions.defaults(), 1)
        .with(RingAlgorithmProvider.single()).at(fidelity).run().run()
        .simulatedPs();
  }

  private Workload throughChakra(Workload workload) throws IOException {
    ChakraExport.write(job(workload), folder);
    return new ChakraWorkloadProvider().create(ChakraWorkloadProvider.Settings.of(folder + "/trace.{rank}.et")
        .groups(folder.resolve("groups.json")));
  }

  private Workload throughGoal(Workload workload) throws IOException {
    Path file = folder.resolve("trace.goal");
    GoalExport.write(job(workload), file);
    return new GoalWorkloadProvider().create(GoalWorkloadProvider.Settings.of(file.toString()));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldTakeEquallyLongWhenReadFromOwnChakraTraces(long seed) throws IOException {
    Workload workload = new RandomWorkload(seed, 37);
    Workload back = throughChakra(workload);
    for (Fidelity fidelity : List.of(Fidelity.FLOW, Fidelity.PACKET)) {
      assertThat(time(back, fidelity)).as("seed %s at %s", seed, fidelity).isEqualTo(time(workload, fidelity));
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldTakeEquallyLongWhenReadFromOwnGoalText(long seed) throws IOException {
    Workload workload = new RandomWorkload(seed, 1000);
    assertThat(time(throughGoal(workload), Fidelity.PACKET)).as("seed %s", seed)
        .isEqualTo(time(workload, Fidelity.PACKET));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldDifferByRoundingAloneWhenGoalTimesAreNoWholeNanoseconds(long seed) throws IOException {
    Workload workload = new RandomWorkload(seed, 37);
    long time = time(workload, Fidelity.PACKET);
    assertThat(time(throughGoal(workload), Fidelity.PACKET)).as("seed %s", seed)
        .isCloseTo(time, within(time / 500));
  }

  // Google's library reads the written file, and finds the program's operations in it.
  @Test
  void shouldHoldWhatProgramSaysWhenSecondReaderReadsTraces() throws IOException {
    Workload workload = new RandomWorkload(3, 37);
    ChakraExport.write(job(workload), folder);
    for (int rank = 0; rank < 8; rank++) {
      RankOperations expected = job(workload).operations(rank);
      List<DynamicMessage> nodes = ChakraSchema.nodes(
          folder.resolve("trace." + rank + ".et"));
      assertThat(nodes).hasSameSizeAs(expected.nodes());
      for (int i = 0; i < nodes.size(); i++) {
        OperationNode own = expected.nodes().get(i);
        String size = own.kind() == Operation.Kind.COMPUTE ? "heddle_duration_ps" : "comm_size";
        long amount = own.kind() == Operation.Kind.RECEIVE ? 0 : own.amount();
        int parts = own.kind() == Operation.Kind.COLLECTIVE && own.op() == CollectiveOp.ALL_GATHER
            ? job(workload).groups().get(own.number()).size() : 1;
        assertThat(ChakraSchema.number(nodes.get(i), size)).as("rank %s node %s", rank, i)
            .isEqualTo((amount + parts - 1) / parts);
        assertThat(ChakraSchema.dependencies(nodes.get(i)))
            .containsExactly(Arrays.stream(expected.after().get(i)).asLongStream().boxed().toArray(Long[]::new));
      }
    }
  }

  @Test
  void shouldWriteSameBytesWhenWrittenAgain() throws IOException {
    Workload workload = new CollectiveWorkloadProvider().create(
        CollectiveWorkloadProvider.Settings.of(CollectiveOp.ALL_REDUCE, DataSize.ofKiB(8)).repeats(3));
    ChakraExport.write(job(workload), folder);
    byte[] first = Files.readAllBytes(folder.resolve("trace.5.et"));
    ChakraExport.write(job(workload), folder);
    assertThat(Files.readAllBytes(folder.resolve("trace.5.et"))).isEqualTo(first);
    try (InputStream in = Files.newInputStream(folder.resolve("groups.json"))) {
      assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
          .isEqualTo("{\"1\": [0, 1, 2, 3, 4, 5, 6, 7]}\n");
    }
  }

  @Test
  void shouldSayWhyWhenProgramIsNothingThatTraceCanHold() throws IOException {
    refused("rank 0 sends messages that nobody receives", op -> op.generate(5, 1, 100, 0));
    refused("rank 0 sends messages that nobody receives", op -> op.send(1, 100, Operation.ONE_SIDED, 0));
    refused("rank 0 sends messages that leave later than sent", op -> {
      op.send(1, 100, 3, 0);
      op.sendAfter(500, 0);
    });
    refused("rank 0 waits for ever: signal 3 is raised 0 times, but must be 1", op -> op.await(3, 1));
    Workload trace = throughChakra(new RandomWorkload(1, 37));
    assertThatThrownBy(() -> job(trace).operations(0)).isInstanceOf(TraceException.class)
        .hasMessageContaining("is a trace itself");
  }

  @Test
  void shouldLeaveTheFolderAsItWasWhenProgramCannotBeWritten() throws IOException {
    Workload trace = throughChakra(new RandomWorkload(1, 37));
    Path out = Files.createDirectory(folder.resolve("out"));
    Path old = Files.writeString(out.resolve("trace.goal"), "old");
    assertThatThrownBy(() -> GoalExport.write(job(trace), old)).isInstanceOf(TraceException.class);
    assertThatThrownBy(() -> ChakraExport.write(job(trace), out)).isInstanceOf(TraceException.class);
    assertThat(old).hasContent("old");
    try (Stream<Path> files = Files.list(out)) {
      assertThat(files).containsExactly(old);
    }
  }

  private static void refused(String message, Consumer<Operation> operation) {
    boolean[] done = new boolean[1];
    Program program = new Program() {
      @Override
      public int streams() {
        return 1;
      }

      @Override
      public boolean next(int stream, Operation into) {
        boolean first = !done[0];
        done[0] = true;
        if (first) {
          operation.accept(into);
        }
        return first;
      }
    };
    assertThatThrownBy(() -> ProgramReader.read(program, 0, LIMIT)).isInstanceOf(TraceException.class)
        .hasMessageContaining(message);
  }
}
