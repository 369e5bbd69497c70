package dev.heddle.verification;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.heddle.registry.Registry;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.ValidationSuite;
import dev.heddle.units.DataSize;
import dev.heddle.verification.PerftestTables.Measured;
import dev.heddle.verification.PerftestTables.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Comparison of perftest's verbs between two hosts with measurements: the CELLIA tables of [SAURON §4.1], and other
 * adapters.
 */
public final class PerftestSuite implements ValidationSuite {
  private static final long BANDWIDTH_BYTES = 8L << 20;
  private static final int MOST_MESSAGES = 300;
  private static final int FEWEST_MESSAGES = 4;
  private static final double MIB = 1 << 20;

  /** One entry of {@code systems.yaml}; a bound is a mean absolute error in percent, NaN if none is claimed. */
  private record Machine(String match, String scenario, double bound, Map<String, Double> bounds) {}

  @Override
  public String id() {
    return "cellia";
  }

  @Override
  public String description() {
    return "ib_write, ib_read and ib_send between two hosts, against CELLIA and other measured adapters";
  }

  @Override
  public ValidationReport run(Optional<Path> data) {
    DataFolder folder = data.map(DataFolder::of).orElseGet(() -> DataFolder.bundled("perftest"));
    List<Machine> machines = machines(folder);
    List<ValidationReport.Table> tables = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    try (Registry registry = Registry.discover(PerftestSuite.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      for (String file : folder.names(".csv")) {
        for (Table table : PerftestTables.read(folder.label(file), folder.text(file))) {
          Machine machine = find(folder, machines, table);
          if (table.tool().startsWith("ib_")) {
            tables.add(compare(reader, folder, machine, table));
          }
        }
      }
    }
    if (tables.isEmpty()) {
      throw new InvalidSettingException("", folder.label("") + " holds no table of ib_write, ib_read or ib_send");
    }
    if (data.isEmpty()) {
      notes.addAll(folder.text("notes.txt").lines().filter(line -> !line.isBlank()).toList());
    }
    ValidationReport report = new ValidationReport(id(), tables, notes);
    return data.isPresent() ? report : report.with(SuiteBasis.of(folder, report));
  }

  private static List<Machine> machines(DataFolder folder) {
    String label = folder.label("systems.yaml");
    JsonNode root;
    try {
      root = new YAMLMapper().readTree(folder.text("systems.yaml"));
    } catch (IOException e) {
      throw new InvalidSettingException("", label + ": not readable YAML: " + e.getMessage());
    }
    List<Machine> machines = new ArrayList<>();
    for (JsonNode system : root.path("systems")) {
      for (String key : List.of("match", "machine")) {
        if (!system.path(key).isTextual()) {
          throw new InvalidSettingException("", label + ": systems[" + machines.size() + "] has no '" + key + "'");
        }
      }
      Map<String, Double> bounds = new LinkedHashMap<>();
      system.path("bounds").properties().forEach(bound -> bounds.put(bound.getKey(), bound.getValue().asDouble()));
      machines.add(
          new Machine(
              system.get("match").asText(), system.get("machine").asText(),
              system.path("bound").asDouble(Double.NaN), bounds));
    }
    return machines;
  }

  private static Machine find(DataFolder folder, List<Machine> machines, Table table) {
    return machines.stream().filter(machine -> table.dataset().startsWith(machine.match())).findFirst()
        .orElseThrow(
            () -> new InvalidSettingException(
                "", folder.label("systems.yaml") + ": no system matches data set '" + table.dataset() + "'"));
  }

  private static ValidationReport.Table compare(
      ScenarioReader reader, DataFolder folder, Machine machine, Table table) {
    boolean bandwidth = table.tool().endsWith("_bw");
    String test = table.tool().substring(0, table.tool().lastIndexOf('_')).replace('_', '-');
    List<Row> rows = new ArrayList<>();
    for (Measured measured : table.rows()) {
      double model =
          bandwidth
              ? inUnit(bytesPerNano(reader, folder, machine, test, measured.sizeBytes()), table)
              : latencyMicros(reader, folder, machine, test, measured.sizeBytes());
      rows.add(
          new Row(
              DataSize.ofBytes(measured.sizeBytes()).toString(), OptionalLong.of(measured.sizeBytes()),
              measured.value(), model));
    }
    String name = table.dataset() + ", " + table.tool();
    return new ValidationReport.Table(
        name, table.source(), table.unit(), rows,
        machine.bounds().getOrDefault(table.tool(), machine.bound()));
  }

  private static double latencyMicros(
      ScenarioReader reader, DataFolder folder, Machine machine, String test, long size) {
    int iterations = 2;
    double time = timeMicros(reader, folder, machine, overrides(test, "latency", size, iterations));
    // In perftest the time of a ping-pong is half of a round trip, that of a read a whole one.
    return time / (test.equals("ib-read") ? iterations : 2 * iterations);
  }

  // The rate of the steady state: the increase by the second half of the messages.
  private static double bytesPerNano(
      ScenarioReader reader, DataFolder folder, Machine machine, String test, long size) {
    int messages = (int) Math.max(FEWEST_MESSAGES, Math.min(MOST_MESSAGES, BANDWIDTH_BYTES / size));
    double once = timeMicros(reader, folder, machine, overrides(test, "bandwidth", size, messages));
    double twice = timeMicros(reader, folder, machine, overrides(test, "bandwidth", size, 2 * messages));
    return messages * (double) size / ((twice - once) * 1e3);
  }

  private static double inUnit(double bytesPerNano, Table table) {
    switch (table.unit()) {
      case "GB/s" :
        return bytesPerNano;
      case "Gb/s" :
        return 8 * bytesPerNano;
      case "MB/s" :
        return 1e3 * bytesPerNano;
      case "MiB/s" :
        return 1e9 / MIB * bytesPerNano;
      default :
        throw new InvalidSettingException(
            "", "table of " + table.dataset() + ": unit '" + table.unit() + "' is none of GB/s, Gb/s, MB/s, MiB/s");
    }
  }

  private static Map<String, String> overrides(String test, String measure, long size, int iterations) {
    Map<String, String> overrides = new LinkedHashMap<>();
    overrides.put("workload.test", test);
    overrides.put("workload.measure", measure);
    overrides.put("workload.size", size + " B");
    overrides.put("workload.iterations", Integer.toString(iterations));
    return overrides;
  }

  private static double timeMicros(
      ScenarioReader reader, DataFolder folder, Machine machine, Map<String, String> overrides) {
    String file = machine.scenario();
    return reader.parse(folder.label(file), folder.text(file), overrides).points().get(0).scenario().simulation().run()
        .metric("time").orElseThrow().value();
  }
}
