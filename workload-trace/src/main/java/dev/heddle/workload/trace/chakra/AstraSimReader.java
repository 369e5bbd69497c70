package dev.heddle.workload.trace.chakra;

import com.fasterxml.jackson.core.JsonToken;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.text.DecimalText;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;
import dev.heddle.workload.trace.chakra.ChakraWorkloadProvider.AstraSimFiles;
import dev.heddle.workload.trace.chakra.ChakraWorkloadProvider.RemoteMemory;
import dev.heddle.workload.trace.chakra.ChakraWorkloadProvider.Roofline;
import dev.heddle.workload.trace.graph.TraceException;
import dev.heddle.workload.trace.graph.TraceFile;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reads the speeds in ASTRA-sim's system and remote-memory files; gigabytes are decimal there. */
final class AstraSimReader {
  private static final double MOST = 1e9;
  private static final double MOST_TERA = 9e6;
  private static final String NO_MEMORY = "NO_MEMORY_EXPANSION";
  private static final String PER_NPU = "PER_NPU_MEMORY_EXPANSION";

  private final Path file;
  private final Map<String, String> values;

  private AstraSimReader(Path file) {
    this.file = file;
    values = TraceFile.read(file, AstraSimReader::scalars);
  }

  /** The roofline of a system file; none where it is not enabled. */
  static Optional<Roofline> roofline(AstraSimFiles files) {
    return files.system().map(AstraSimReader::new)
        .filter(system -> !system.values.getOrDefault("roofline-enabled", "0").equals("0"))
        .map(system -> new Roofline(
            ComputeRate.parse(system.number("peak-perf", 1e-6, MOST_TERA, 12) + " Tflop/s"),
            DataRate.parse(system.number("local-mem-bw", 1e-6, MOST, 9) + " GB/s")));
  }

  /** The remote memory of a file; none where it has none. */
  static Optional<RemoteMemory> remoteMemory(AstraSimFiles files) {
    if (files.memory().isEmpty()) {
      return Optional.empty();
    }
    AstraSimReader memory = new AstraSimReader(files.memory().get());
    String type = memory.values.getOrDefault("memory-type", "");
    if (type.equals(NO_MEMORY)) {
      return Optional.empty();
    }
    if (!type.equals(PER_NPU)) {
      throw new InvalidSettingException("astra-sim", files.memory().get() + ": memory-type is '" + type
          + "'; read are " + NO_MEMORY + " and " + PER_NPU + ", memories that NPUs share are not modelled");
    }
    return Optional.of(new RemoteMemory(
        DataRate.parse(memory.number("remote-mem-bw", 1e-6, MOST, 9) + " GB/s"),
        SimTime.parse(memory.number("remote-mem-latency", 0, MOST, 3) + " ns")));
  }

  // Rounded to decimals, as a smaller part is no whole operation, byte or picosecond.
  private String number(String key, double least, double most, int decimals) {
    String text = values.getOrDefault(key, "missing");
    double value = DecimalText.unsigned(text);
    if (!(value >= least && value <= most)) {
      throw new InvalidSettingException(
          "astra-sim", file + ": " + key + " is " + text + "; it is a number from " + least + " to " + most);
    }
    return BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP).toPlainString();
  }

  private static Map<String, String> scalars(String name, InputStream in) {
    Map<String, String> values = new TreeMap<>();
    JsonFile.read(name, in, json -> {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new TraceException(name + ":1: must be an object");
      }
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String key = json.currentName();
        if (json.nextToken().isScalarValue()) {
          values.put(key, json.getText());
        } else {
          json.skipChildren();
        }
      }
    });
    return values;
  }
}
