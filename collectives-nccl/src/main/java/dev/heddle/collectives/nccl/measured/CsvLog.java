package dev.heddle.collectives.nccl.measured;

import dev.heddle.collectives.nccl.tuner.Call.Reduction;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** CSV with the columns {@code size_bytes} and {@code time_us} below lines {@code # key: value}. */
final class CsvLog {
  private static final int MOST_RANKS = 1_000_000;
  private static final Pattern VERSION = Pattern.compile("^\\d+\\.\\d+(\\.\\d+)?");
  /** A variable of NCCL with its value anywhere in a statement. */
  private static final Pattern VARIABLE = Pattern.compile("\\b(NCCL_\\w+)=([^\\s,;)]+)");
  /** The option of nccl-tests that gives a process several GPUs. */
  private static final Pattern GPUS_OF_A_PROCESS = Pattern.compile("(?<!\\S)-g (\\d{1,2})\\b");

  private CsvLog() {}

  static CallLog read(LogText log) {
    Map<String, String> keys = new LinkedHashMap<>();
    Rows rows = new Rows();
    List<String> columns = List.of();
    for (LogText.Line line : log.lines()) {
      if (line.text().startsWith("#")) {
        String[] parts = line.text().substring(1).split(":", 2);
        keys.putIfAbsent(parts[0].strip(), parts.length > 1 ? parts[1].strip() : "");
      } else if (columns.isEmpty() && !line.text().isEmpty()) {
        columns = cells(line);
        LogText.require(columns.contains("size_bytes") && columns.contains("time_us"), line.place(),
            "the columns size_bytes and time_us are needed, but there are " + String.join(", ", columns));
      } else if (!line.text().isEmpty()) {
        row(line, columns, rows);
      }
    }
    LogText.require(!rows.isEmpty(), log.file(), "no rows");
    String collective = keys.getOrDefault("collective", "");
    LogText.require(!collective.isEmpty(), log.file(), "a line '# collective: all_reduce' is needed");
    return new CallLog(log.file(), Operations.key(log.file(), collective), place(log.file(), keys),
        new LogFacts(version(keys.getOrDefault("nccl_version", "")), Optional.ofNullable(keys.get("gpu")),
            Optional.ofNullable(keys.get("nic")), Optional.ofNullable(keys.get("cluster")),
            environment(log.file(), keys),
            Optional.ofNullable(keys.get("source")), false),
        Reduction.COMMON, rows.medians());
  }

  private static void row(LogText.Line line, List<String> columns, Rows rows) {
    List<String> cells = cells(line);
    LogText.require(cells.size() == columns.size(), line.place(),
        cells.size() + " cells, but " + columns.size() + " columns; the file may be cut off");
    long bytes = LogText.bytes(line, cells.get(columns.indexOf("size_bytes")));
    String time = cells.get(columns.indexOf("time_us"));
    double micros = LogText.number(line, "time_us", time);
    int rate = columns.indexOf("algbw_GBps");
    if (rate >= 0 && cells.get(rate).matches("\\d+(\\.\\d+)?")) {
      Rows.requireUnits(line, bytes, micros, Double.parseDouble(cells.get(rate)));
    }
    if (bytes > 0) {
      rows.add(line, bytes, micros, OptionalDouble.empty());
    }
  }

  private static List<String> cells(LogText.Line line) {
    return Arrays.stream(line.text().split(",", -1)).map(String::strip).toList();
  }

  /** The ranks that lines {@code # gpus: 16} and {@code # nodes: 2} state. */
  static Optional<CallLog.Place> place(String file, Map<String, String> keys) {
    if (!keys.containsKey("gpus")) {
      return Optional.empty();
    }
    int ranks = count(file, keys, "gpus");
    int nodes = count(file, keys, "nodes");
    int ofAProcess = keys.values().stream().map(GPUS_OF_A_PROCESS::matcher).filter(Matcher::find)
        .mapToInt(found -> Integer.parseInt(found.group(1))).filter(each -> each > 0 && ranks / nodes % each == 0)
        .findFirst().orElse(1);
    return Optional.of(new CallLog.Place(ranks, nodes, ofAProcess));
  }

  // A version may be followed by that of a package: 2.8.4-1 (CUDA 11.2.2).
  private static Optional<String> version(String text) {
    return Optional.of(VERSION.matcher(text)).filter(Matcher::find).map(Matcher::group);
  }

  private static int count(String file, Map<String, String> keys, String key) {
    String first = keys.getOrDefault(key, "1").split(" ")[0];
    LogText.require(first.matches("\\d{1,7}") && Integer.parseInt(first) >= 1 && Integer.parseInt(first) <= MOST_RANKS,
        file, "'# " + key + ": " + keys.get(key) + "' does not begin with a number from 1 to " + MOST_RANKS);
    return Integer.parseInt(first);
  }

  // Variables of the line 'env', and those that another line states with their values.
  private static Map<String, String> environment(String file, Map<String, String> keys) {
    Map<String, String> variables = new LinkedHashMap<>();
    String text = keys.getOrDefault("env", "");
    for (String each : text.split("[\\s,;]+")) {
      LogText.require(!each.startsWith("NCCL_") || each.indexOf('=') > 0, file,
          "'# env: " + text + "' must have the form NCCL_ALGO=Ring");
    }
    for (String statement : keys.values()) {
      Matcher variable = VARIABLE.matcher(statement);
      while (variable.find()) {
        variables.putIfAbsent(variable.group(1), variable.group(2));
      }
    }
    return variables;
  }
}
