package dev.heddle.workload.trace.chakra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Workload;
import dev.heddle.standard.collective.DirectAlgorithmProvider;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.testkit.contract.WorkloadContract;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.units.DataSize;
import dev.heddle.workload.trace.chakra.PytorchWorkloadProvider.Computation;
import dev.heddle.workload.trace.chakra.PytorchWorkloadProvider.Settings;
import dev.heddle.workload.trace.goal.GoalWorkloadProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** PyTorch's execution traces in the forms of PyTorch 2.2 (numbers of back ends) and later (names of groups). */
class PytorchTraceTest extends WorkloadContract<Settings> {
  private static final String EVERYONE =
      "{\\\"pg_name\\\": \\\"0\\\", \\\"backend_id\\\": 777, \\\"ranks\\\": [], \\\"group_size\\\": 2}";

  @TempDir
  private Path folder;

  @Override
  protected Provider<Settings, Workload> provider() {
    return new PytorchWorkloadProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(written(2, kernel(1, 10, "kernel_a", 5), allReduceNode(2, 1024)));
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(Settings.of("src/test/resources/missing.{rank}.json"), Settings.of("one.json"));
  }

  private static String node(long id, long parent, String name, String inputs, String outputs, String more) {
    return "{\"id\": " + id + ", \"name\": \"" + name + "\", \"ctrl_deps\": " + parent + ", \"inputs\": {\"values\": ["
        + inputs + "], \"shapes\": [], \"types\": []}, \"outputs\": {\"values\": [" + outputs
        + "], \"shapes\": [], \"types\": []}, \"attrs\": [{\"name\": \"tid\", \"type\": \"uint64\", \"value\": 1}]"
        + more + "}";
  }

  private static String kernel(long id, long launchedBy, String name, double micros) {
    return node(1000 + id, launchedBy, name, "", "", ", \"cat\": \"kernel\", \"stream\": 7, \"ts\": " + id
        + ", \"exclusive_dur\": " + micros);
  }

  private static String tensor(long floats) {
    return "[14, 15, 0, " + floats + ", 4, \"cuda:0\"]";
  }

  // The form of PyTorch 2.2: tensors, call, number of the back end, rank, name, splits, size of the group.
  private static String allReduceNode(long id, long floats) {
    return node(id, 1, "record_param_comms",
        "[" + tensor(floats) + "], " + id + ", 777, 0, \"allreduce\", [], [], 2", "", "");
  }

  private static String await(long id, long call) {
    return node(id, 1, "record_param_comms", call + ", 0, 0, \"wait\", [], [], 1", "", "");
  }

  private static String file(String groups, String... nodes) {
    List<String> all = new ArrayList<>(List.of(nodes));
    all.add(0, node(3, 2, "## process_group:init ##", "\"[" + groups + "]\"", "", ""));
    all.add(node(4, 2, "aten::empty", "[1], 6, 0, \"cpu\", false, \"<None>\"", tensor(1), ""));
    return "{\"schema\": \"1.1.0-chakra.0.0.4\", \"pid\": 7, \"nodes\": [\n" + String.join(",\n", all)
        + "\n], \"finish_ts\": 1}";
  }

  private Settings written(int ranks, String... nodes) {
    for (int rank = 0; rank < ranks; rank++) {
      write(rank, file(EVERYONE, nodes));
    }
    return Settings.of(folder.resolve("et.{rank}.json").toString());
  }

  private void write(int rank, String text) {
    try {
      Files.writeString(folder.resolve("et." + rank + ".json"), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long time(Workload workload) {
    return time(workload, RingAlgorithmProvider.single());
  }

  private static long time(Workload workload, CollectiveAlgorithm algorithm) {
    return new Simulation("pytorch", Fabrics.oneNode(4), workload, SimulationOptions.defaults(), 1).at(Fidelity.FLOW)
        .with(algorithm).run().run().simulatedPs();
  }

  private static long time(Settings settings) {
    return time(new PytorchWorkloadProvider().create(settings));
  }

  private static Workload collective(CollectiveOp op, long bytes) {
    return new CollectiveWorkloadProvider().create(
        CollectiveWorkloadProvider.Settings.of(op, DataSize.ofBytes(bytes)).ranks(2));
  }

  private static long allReduce(long bytes) {
    return time(collective(CollectiveOp.ALL_REDUCE, bytes));
  }

  @Test
  void shouldOverlapCollectiveWithKernelsUntilWaitWhenTraceIsLinked() {
    long reduce = allReduce(4L << 20);
    assertThat(reduce).as("the all_reduce lasts longer than the kernel beside it").isGreaterThan(50_000_000);
    // 100 us, then the all_reduce beside 50 us, then 20 us.
    assertThat(
        time(written(2, kernel(1, 10, "gemm", 100), allReduceNode(20, 1 << 20), kernel(2, 30, "gemm", 50),
            await(40, 20), kernel(3, 50, "gemm", 20))))
        .isEqualTo(100_000_000 + reduce + 20_000_000);
    assertThat(
        time(written(2, kernel(1, 10, "gemm", 100), allReduceNode(20, 1 << 20), kernel(2, 30, "gemm", 5000.5),
            await(40, 20), kernel(3, 50, "gemm", 20))))
        .isEqualTo(100_000_000 + 5_000_500_000L + 20_000_000);
  }

  @Test
  void shouldFollowCallsWhenNodesStandInAnotherOrder() {
    assertThat(
        time(
            written(2, await(40, 20), kernel(3, 50, "gemm", 20), kernel(1, 10, "gemm", 100), allReduceNode(20, 1 << 20),
                kernel(2, 20, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 900))))
        .as("the recorded time of a collective's kernel is not used")
        .isEqualTo(100_000_000 + allReduce(4L << 20) + 20_000_000);
  }

  @Test
  void shouldRunCommunicationAloneWhenComputationIsNone() {
    Settings raw = written(2, allReduceNode(20, 1 << 20), await(30, 20), allReduceNode(40, 1 << 20), await(50, 40));
    assertThat(time(raw.computation(Computation.NONE)))
        .isEqualTo(2 * allReduce(4L << 20));
    assertThatThrownBy(() -> time(raw)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("et.0.json: has no GPU kernels with durations").hasMessageContaining("computation: none");
  }

  @ParameterizedTest
  @CsvSource({
      "_allgather_base,ALL_GATHER,2", "all_gather,ALL_GATHER,2", "_reduce_scatter_base,REDUCE_SCATTER,1",
      "reduce_scatter_tensor_coalesced,REDUCE_SCATTER,1", "all_to_all,ALL_TO_ALL,1", "broadcast,BROADCAST,1",
      "reduce,REDUCE,1", "allreduce_coalesced,ALL_REDUCE,1"})
  void shouldTakeTensorsOfInputWhenCollectiveHasName(String name, CollectiveOp op, int parts) {
    // The form of later versions: the call's number with a mark, the group's name with a description.
    Settings settings = written(2, node(20, 1, "record_param_comms",
        "[" + tensor(1 << 18) + ", " + tensor(1 << 18) + "], [5, false], [\"0\", \"default_pg\"], 0, \"" + name
            + "\", [], [], 0, 1, 2",
        "", "")).computation(Computation.NONE);
    CollectiveAlgorithm algorithm = op == CollectiveOp.ALL_TO_ALL
        ? new DirectAlgorithmProvider().create(new DirectAlgorithmProvider.Settings(1))
        : RingAlgorithmProvider.single();
    assertThat(time(new PytorchWorkloadProvider().create(settings), algorithm))
        .isEqualTo(time(collective(op, parts * (2L << 20)), algorithm)).isPositive();
  }

  @Test
  void shouldRunGroupsApartAndMessagesByGroupRankWhenThereAreSeveral() {
    String groups = EVERYONE + ", {\\\"pg_name\\\": \\\"%s\\\", \\\"backend_id\\\": 778, \\\"ranks\\\": [%s]}";
    for (int rank = 0; rank < 4; rank++) {
      boolean low = rank < 2;
      String call = "[" + tensor(1 << 20) + "], 5, [\"" + (low ? "low" : "high") + "\", \"\"], "
          + (1 - rank % 2) + ", \"" + (rank % 2 == 0 ? "send" : "recv") + "\", [], [], 0, 1, 2";
      write(rank, file(groups.replaceFirst("%s", low ? "low" : "high").replaceFirst("%s", low ? "0, 1" : "2, 3"),
          node(20, 1, "record_param_comms", call, "", ""),
          node(30, 1, "record_param_comms", "9, 778, 0, \"barrier\", [], [], 2", "", "")));
    }
    long apart = time(Settings.of(folder.resolve("et.{rank}.json").toString()).computation(Computation.NONE));
    assertThat(apart).as("one message of 4 MiB from each even rank, then a barrier")
        .isEqualTo(message(4 << 20) + allReduce(0));
  }

  private long message(int bytes) {
    try {
      Path goal = Files.writeString(folder.resolve("m.goal"),
          "num_ranks 2\nrank 0 {\nsend " + bytes + "b to 1\n}\nrank 1 {\nrecv " + bytes + "b from 0\n}\n");
      return time(new GoalWorkloadProvider()
          .create(GoalWorkloadProvider.Settings.of(goal.toString())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldSayWhatIsWrongWhenTraceIsDamaged() {
    refused("[]", ":1: is no execution trace of PyTorch");
    refused("{\"schema\": \"1\"}", "has no list of nodes");
    refused("{\"traceEvents\": []}", "is a trace of Kineto");
    refused("{\"nodes\": [3]}", "a node must be an object");
    refused("{\"nodes\": [{\"name\": \"a\"}]}", "a node has no id or no name");
    refused("{\"nodes\": [", "is no JSON");
    refused(file(EVERYONE, node(20, 1, "record_param_comms", "[], 1", "", "")), "has no name of a collective");
    refused(file(EVERYONE, node(20, 1, "record_param_comms", "[], 1, 777, 0, \"swim\", [], []", "", "")),
        "node 20 (record_param_comms) names the communication 'swim'; known are all_reduce");
    refused(file(EVERYONE, node(20, 1, "record_param_comms", "[], 1, 5, 0, \"allreduce\", [], []", "", "")),
        "names the group '5'; known are 0");
    refused(file(EVERYONE, node(20, 1, "record_param_comms", "[], 1, 777, 2, \"broadcast\", [], []", "", "")),
        "has the root 2 in a group of 2 ranks");
    refused(file(EVERYONE, node(20, 1, "record_param_comms", "[], 1, 777, 0, \"send\", [], []", "", "")),
        "has the peer 0, which is no other rank");
    refused(file(EVERYONE, node(20, 1, "record_param_comms", "[], 1, 777, 0, \"all_to_allv\", [1, 2], []", "", "")),
        "is an all_to_all with a size per pair");
    refused(file(EVERYONE, kernel(1, 2, "gemm", -3)), "is a kernel with the duration -3.0 us");
    refused(file(EVERYONE, kernel(1, 2, "gemm", 3), allReduceNode(20, 1L << 60)), "moves 4.6");
    refused(file(EVERYONE, "{\"id\": 1, \"name\": \"a\", \"inputs\": " + "[".repeat(30)), "nested more than 20 deep");
  }

  private void refused(String text, String message) {
    write(0, text);
    write(1, text);
    Settings settings = Settings.of(folder.resolve("et.{rank}.json").toString())
        .computation(text.contains("\"cat\"") ? Computation.RECORDED : Computation.NONE);
    assertThatThrownBy(() -> time(settings)).as("%.80s", text).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("et.0.json").hasMessageContaining(message);
  }
}
