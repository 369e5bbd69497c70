package dev.heddle.collectives.nccl.measured;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.tuner.Call.Reduction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * The JSON file that {@code -J} of nccl-tests writes, version 1 [nccl-tests 2.17 to 2.19, util.cu]: arguments,
 * environment, version of NCCL, configuration with one device for each process, and a result for each size.
 */
final class NcclTestsJson {
  private static final int VERSION = 1;
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private final String file;
  private final JsonNode root;

  private NcclTestsJson(String file, JsonNode root) {
    this.file = file;
    this.root = root;
  }

  /** Whether a text begins as an object of JSON. */
  static boolean isJson(String text) {
    return text.stripLeading().startsWith("{");
  }

  static List<CallLog> read(String file, String text) {
    JsonNode root;
    try {
      root = MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw LogText.refusal(file, "is no whole JSON; the run did not finish, or the file is cut off: "
          + e.getOriginalMessage());
    }
    return new NcclTestsJson(file, root).read();
  }

  private List<CallLog> read() {
    LogText.require(root.path("results").isArray() && root.path("args").isArray(), file,
        "is JSON, but has no lists args and results, as nccl-tests writes with -J");
    LogText.require(root.path("version").asInt() == VERSION, file, "version is " + root.path("version")
        + "; version " + VERSION + " is read");
    Map<String, Rows> byType = new LinkedHashMap<>();
    for (int i = 0; i < root.path("results").size(); i++) {
      row(root.path("results").get(i), new LogText.Line(file + ": results[" + i + "]", ""), byType);
    }
    CollectiveOp op = op();
    LogFacts facts = new LogFacts(
        version(), gpu(), Optional.empty(), Optional.empty(), environment(), Optional.empty(), false);
    List<CallLog> logs = new ArrayList<>();
    byType.forEach((type, rows) -> logs.add(new CallLog(byType.size() == 1 ? file : file + " (" + type + ")", op,
        place(), facts, type.endsWith("int8") ? Reduction.BYTES : Reduction.COMMON, rows.medians())));
    return List.copyOf(logs);
  }

  private CollectiveOp op() {
    String program = root.path("args").path(0).asText();
    return Operations.program(program).or(() -> Operations.named(LogFile.name(program)))
        .orElseThrow(() -> LogText.refusal(file, "args[0] is '" + program + "', which is no test of nccl-tests, such as"
            + " all_reduce_perf"));
  }

  private void row(JsonNode result, LogText.Line line, Map<String, Rows> byType) {
    long bytes = LogText.bytes(line, result.path("size").asText());
    OptionalDouble inPlace = micros(result, "in_place", bytes, line);
    OptionalDouble micros = micros(result, "out_of_place", bytes, line);
    if (bytes > 0 && micros.isPresent()) {
      byType.computeIfAbsent(result.path("type").asText(), any -> new Rows())
          .add(line, bytes, micros.getAsDouble(), inPlace);
    }
  }

  // The time of one half of a result; absent where that half was not measured, as out of place in a replayed trace.
  private static OptionalDouble micros(JsonNode result, String half, long bytes, LogText.Line line) {
    JsonNode values = result.path(half);
    if (!values.isObject() || bytes == 0) {
      return OptionalDouble.empty();
    }
    LogText.Line place = new LogText.Line(line.place() + "." + half, "");
    LogText.require(values.has("time"), place.place(), values.has("cpu_time")
        ? "has the time of the host's calls (-C), not of the collective" : "has no time");
    JsonNode time = values.path("time");
    double micros =
        LogText.number(place, "time", time.isNumber() ? time.decimalValue().toPlainString() : time.asText());
    Rows.requireUnits(place, bytes, micros, values.path("alg_bw").asDouble());
    return OptionalDouble.of(micros);
  }

  private Optional<String> version() {
    int code = root.path("nccl_version").asInt();
    return code > 0 ? Optional.of(NcclTestsLog.version(code)) : Optional.empty();
  }

  private JsonNode devices() {
    return root.path("config").path("devices");
  }

  private Optional<String> gpu() {
    String name = devices().path(0).path("device_info").asText();
    return name.isBlank() ? Optional.empty() : Optional.of(name.strip());
  }

  // The ranks: the file lists the first device of each process, and every process drives as many.
  private Optional<CallLog.Place> place() {
    if (devices().isEmpty()) {
      return Optional.empty();
    }
    Set<String> hosts = new LinkedHashSet<>();
    Set<Integer> groups = new LinkedHashSet<>();
    devices().forEach(device -> {
      hosts.add(device.path("hostname").asText());
      groups.add(device.path("group").asInt());
    });
    LogText.require(groups.size() == 1, file, "has devices of " + groups.size() + " groups, which ran at the same time"
        + " (NCCL_TESTS_SPLIT); a log of one group is needed");
    int each = Math.max(1, root.path("config").path("nthreads").asInt(1) * root.path("config").path("ngpus").asInt(1));
    return Optional.of(new CallLog.Place(devices().size() * each, hosts.size(), each));
  }

  private Map<String, String> environment() {
    Map<String, String> variables = new LinkedHashMap<>();
    root.path("env").forEach(each -> {
      String text = each.asText();
      int equals = text.indexOf('=');
      if (text.startsWith("NCCL_") && !text.startsWith("NCCL_TESTS_") && equals > 0) {
        variables.put(text.substring(0, equals), text.substring(equals + 1));
      }
    });
    return variables;
  }
}
