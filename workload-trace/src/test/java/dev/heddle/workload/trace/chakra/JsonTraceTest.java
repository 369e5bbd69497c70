package dev.heddle.workload.trace.chakra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.DataRate;
import dev.heddle.workload.trace.chakra.ChakraWorkloadProvider.Dependencies;
import dev.heddle.workload.trace.chakra.ChakraWorkloadProvider.Roofline;
import dev.heddle.workload.trace.chakra.ChakraWorkloadProvider.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Chakra traces in both JSON forms against the same traces in protobuf. */
class JsonTraceTest {
  private static final String STG = "src/test/resources/chakra/stg/w.";
  private static final List<String> TYPES = List.of(
      "INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE", "COMM_SEND_NODE",
      "COMM_RECV_NODE", "COMM_COLL_NODE");

  @TempDir
  private Path folder;

  private static long time(Settings settings, int ranks) {
    return new Simulation("json", Fabrics.oneNode(ranks), new ChakraWorkloadProvider().create(settings),
        SimulationOptions.defaults(), 1).at(Fidelity.FLOW).with(RingAlgorithmProvider.single()).run().run()
        .simulatedPs();
  }

  // Protobuf's JSON mapping: names in camel case, 64-bit numbers as texts, no fields of default value.
  private static String mapped(DynamicMessage message) {
    return message.getAllFields().entrySet().stream()
        .map(field -> '"' + field.getKey().getJsonName() + "\": " + (field.getKey().isRepeated()
            ? ((List<?>) field.getValue()).stream().map(each -> mapped(field.getKey(), each))
                .collect(Collectors.joining(", ", "[", "]"))
            : mapped(field.getKey(), field.getValue())))
        .collect(Collectors.joining(",\n  ", "{", "}"));
  }

  private static String mapped(FieldDescriptor field, Object value) {
    if (field.getName().equals("type")) {
      return '"' + TYPES.get((Integer) value) + '"';
    }
    return value instanceof DynamicMessage inner ? mapped(inner)
        : value instanceof Boolean || value instanceof Integer ? value.toString() : "\"" + value + '"';
  }

  private static String jsonizer(List<DynamicMessage> nodes) {
    return "{\"version\": \"0.0.4\"}\n" + nodes.stream().map(JsonTraceTest::mapped).collect(Collectors.joining("\n"));
  }

  // The feeder's form: attributes are keys of the node.
  private static String feeder(List<DynamicMessage> nodes) {
    List<String> texts = new ArrayList<>();
    for (DynamicMessage node : nodes) {
      StringBuilder text = new StringBuilder("{\"Id\": " + ChakraSchema.get(node, "id") + ", \"Name\": \"n\", "
          + "\"NodeType\": " + ChakraSchema.get(node, "type") + ", \"runtime\": "
          + ChakraSchema.get(node, "duration_micros") + ", \"ctrl_deps\": " + ChakraSchema.get(node, "ctrl_deps")
          + ", \"data_deps\": " + ChakraSchema.get(node, "data_deps"));
      for (Object each : (List<?>) ChakraSchema.get(node, "attr")) {
        DynamicMessage attribute = (DynamicMessage) each;
        for (Map.Entry<FieldDescriptor, Object> field : attribute.getAllFields().entrySet()) {
          if (!field.getKey().getName().equals("name")) {
            Object value = field.getValue() instanceof DynamicMessage list
                ? ChakraSchema.get(list, "values")
                : field.getValue();
            text.append(", \"" + ChakraSchema.get(attribute, "name") + "\": "
                + (value instanceof String word ? '"' + word + '"' : value));
          }
        }
      }
      texts.add(text + "}");
    }
    return "{\n  \"workload_graph\": [\n" + String.join(",\n", texts) + "],\n  \"workload_name\": \"w\", \"ngpus\": 8}";
  }

  @ParameterizedTest
  @ValueSource(strings = {"jsonizer", "feeder"})
  void shouldTakeAsLongAsInProtobufWhenTraceIsJson(String form) throws IOException {
    Function<List<DynamicMessage>, String> writer = form.equals("feeder") ? JsonTraceTest::feeder
        : JsonTraceTest::jsonizer;
    for (int rank = 0; rank < 8; rank++) {
      Files.writeString(folder.resolve("w." + rank + ".json"),
          writer.apply(ChakraSchema.nodes(Path.of(STG + rank + ".et"))));
    }
    Settings protobuf = Settings.of(STG + "{rank}.et").groups(Path.of(STG + "json"))
        .roofline(new Roofline(ComputeRate.parse("300 Tflop/s"), DataRate.parse("2000 GB/s")));
    Settings json = Settings.of(folder.resolve("w.{rank}.json").toString()).groups(Path.of(STG + "json"))
        .roofline(protobuf.roofline().orElseThrow());

    assertThat(time(json, 8)).isEqualTo(time(protobuf, 8)).isPositive();
  }

  // The first nodes of Chakra's own small sample (small_chakra.0.json), whose ctrlDeps lead out of the file: 318 and
  // 28 us of the host one after the other, 4 us of the GPU after the first.
  private static final String SAMPLE = """
      {
        "workload_graph": [
          {"Id": 216, "Name": "aten::flatten_dense_tensors(0)", "NodeType": 4, "ctrlDeps": [3], "data_deps": [],
           "runtime": 318, "is_cpu_op": true},
          {"Id": 217, "Name": "aten::flatten_dense_tensors(1)", "NodeType": 4, "ctrlDeps": [3], "data_deps": [216],
           "runtime": 28, "is_cpu_op": true},
          {"Id": 430, "Name": "CatArrayBatchedCopy", "NodeType": 4, "ctrlDeps": [429], "data_deps": [216],
           "runtime": 4, "is_cpu_op": false}],
        "workload_name": "workload_name", "ngpus": 8, "soc": "soc_name"
      }
      """;

  private Settings written(String text) throws IOException {
    return Settings.of(Files.writeString(folder.resolve("t.json"), text).toString()).ranks(2);
  }

  @Test
  void shouldTakeTheRecordedTimesWhenSampleIsChakras() throws IOException {
    assertThat(time(written(SAMPLE).dependencies(Dependencies.DATA), 2)).isEqualTo(346_000_000);
    assertThatThrownBy(() -> new ChakraWorkloadProvider().create(written(SAMPLE)))
        .hasMessageContaining("node 216 depends on node 3, which the file does not have");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "{\"schema\": \"1.0.2-chakra.0.0.4\", \"nodes\": []} | :1: is a trace of PyTorch or Kineto, not converted",
      "{\"traceEvents\": []} | workload type pytorch reads PyTorch's execution traces",
      "{\"workload_graph\": {}} | :1: workload_graph must be a list of nodes",
      "{\"workload_graph\": [{\"Id\": \"x\"}]} | :1: 'x' is no whole number of 64 bits",
      "{\"workload_graph\": [{\"Id\": 1}]} | :1: a node has no NodeType",
      "{\"workload_graph\": [{\"Id\": 1, \"NodeType\": 9}]} | node 1 has the type 9; types are 1 to 7",
      "{\"workload_graph\": [ | is no JSON"})
  void shouldNameFileAndLineWhenJsonIsWrong(String text, String message) throws IOException {
    Settings settings = written(text);

    assertThatThrownBy(() -> new ChakraWorkloadProvider().create(settings)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining(message);
  }
}
