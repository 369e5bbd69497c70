package dev.heddle.collectives.nccl.measured;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.tuner.Call.Reduction;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Output of nccl-tests: the tests of a log one after the other, each with its devices. Rows end in time, algbw, busbw
 * and errors out of place, and the same four in place; the cells before them differ by version and operation.
 */
final class NcclTestsLog {
  private static final Pattern ROW = Pattern.compile("^\\d+\\s+\\d+\\s+[a-z]\\w*(\\s.*)?$");
  private static final Pattern START = Pattern.compile("^# +nThread |^# Using devices|Collective test starting:");
  private static final Pattern RANK = Pattern.compile(
      "^#\\s+Rank\\s+(\\d+).*?Pid\\s+(\\d+)\\s+on\\s+(\\S+)\\s+device\\s+\\S+\\s+\\[[^\\]]*\\]\\s*(.*)$");
  private static final Pattern VERSION = Pattern.compile("NCCL version (\\d+\\.\\d+(\\.\\d+)?)");
  private static final Pattern CODE = Pattern.compile("nccl-library=(\\d{4,5})");
  private static final Pattern VARIABLE =
      Pattern.compile("NCCL INFO (NCCL_[A-Z0-9_]+) set by environment to (.+?)\\.?$");
  private static final Pattern KEY = Pattern.compile("^#\\s*(cluster|source|gpus|nodes|nccl_version):\\s*(\\S.*)$");
  private static final int RESULT_CELLS = 8;
  private static final int LABEL_CELLS = 3;
  private static final int CODE_BASE = 20_000;

  private final LogText log;
  private final List<CallLog> found = new ArrayList<>();
  private final Map<String, String> keys = new LinkedHashMap<>();
  private final Map<String, String> environment = new LinkedHashMap<>();
  private Optional<CollectiveOp> program = Optional.empty();
  private Optional<String> version = Optional.empty();
  private Optional<String> gpu = Optional.empty();
  private Set<String> hosts = new LinkedHashSet<>();
  private Set<String> processes = new LinkedHashSet<>();
  private int ranks;
  private Map<String, Rows> byType = new LinkedHashMap<>();
  private LogText.Line last = new LogText.Line("", "");

  NcclTestsLog(LogText log) {
    this.log = log;
  }

  List<CallLog> read() {
    for (LogText.Line line : log.lines()) {
      if (ROW.matcher(line.text()).matches()) {
        row(line);
      } else {
        head(line);
      }
    }
    finish();
    return List.copyOf(found);
  }

  private void head(LogText.Line line) {
    String text = line.text();
    Optional<CollectiveOp> named =
        text.contains("concluded") ? Optional.empty() : Operations.program(text);
    boolean starts = START.matcher(text).find();
    if ((named.isPresent() || starts) && !byType.isEmpty()) {
      finish();
    }
    if (named.isPresent()) {
      program = named;
    }
    device(text);
    Matcher variable = VARIABLE.matcher(text);
    if (variable.find()) {
      environment.put(variable.group(1), variable.group(2));
    }
    Matcher key = KEY.matcher(text);
    if (key.matches()) {
      keys.putIfAbsent(key.group(1), key.group(2).strip());
    }
    Matcher printed = VERSION.matcher(text);
    Matcher code = CODE.matcher(text);
    if (printed.find()) {
      version = Optional.of(printed.group(1));
    } else if (version.isEmpty() && code.find()) {
      version = Optional.of(version(Integer.parseInt(code.group(1))));
    }
  }

  private void device(String text) {
    Matcher rank = RANK.matcher(text);
    if (rank.matches()) {
      ranks++;
      hosts.add(rank.group(3));
      processes.add(rank.group(3) + " " + rank.group(2));
      gpu = rank.group(4).isBlank() ? gpu : Optional.of(rank.group(4).strip());
    }
  }

  /** The version of a code: 2.8.4 of 2804, 2.29.2 of 22902. */
  static String version(int code) {
    return code < CODE_BASE ? "2." + code / 100 % 10 + "." + code % 100 : "2." + code / 100 % 100 + "." + code % 100;
  }

  private void row(LogText.Line line) {
    String[] cells = line.cells();
    LogText.require(cells.length >= LABEL_CELLS + RESULT_CELLS, line.place(), "the row ends after " + cells.length
        + " cells, where nccl-tests has " + (LABEL_CELLS + RESULT_CELLS) + " to 13; the log is cut off");
    LogText.require(cells.length <= LABEL_CELLS + RESULT_CELLS + 2, line.place(), "the row has " + cells.length
        + " cells, where nccl-tests has at most 13; other output is mixed into it");
    long bytes = LogText.bytes(line, cells[0]);
    int first = cells.length - RESULT_CELLS;
    if (bytes == 0) {
      return;
    }
    last = line;
    double micros = LogText.number(line, "time", cells[first]);
    Rows.requireUnits(line, bytes, micros, rate(line, cells[first + 1]));
    String inPlace = cells[first + RESULT_CELLS / 2];
    OptionalDouble other = inPlace.matches("N/A|-|0\\.?0*") ? OptionalDouble.empty()
        : OptionalDouble.of(LogText.number(line, "time in place", inPlace));
    byType.computeIfAbsent(cells[2], any -> new Rows()).add(line, bytes, micros, other);
  }

  private static double rate(LogText.Line line, String cell) {
    return cell.matches("0(\\.0*)?") ? 0 : LogText.number(line, "algbw", cell);
  }

  private void finish() {
    if (byType.isEmpty()) {
      return;
    }
    CollectiveOp op = program.or(() -> Operations.named(baseName())).orElseThrow(() -> new InvalidSettingException("",
        last.place() + ": neither a line '# Collective test starting: all_reduce_perf' nor the command nor the file's"
            + " name says the operation; rename it, such as all_reduce_perf.log"));
    LogFacts facts = new LogFacts(version.or(() -> Optional.ofNullable(keys.get("nccl_version"))), gpu,
        Optional.ofNullable(keys.get("nic")), Optional.ofNullable(keys.get("cluster")), environment,
        Optional.ofNullable(keys.get("source")), false);
    byType.forEach((type, rows) -> found.add(new CallLog(
        byType.size() == 1 ? log.file() : log.file() + " (" + type + ")", op, place(), facts,
        type.endsWith("int8") ? Reduction.BYTES : Reduction.COMMON, rows.medians())));
    byType = new LinkedHashMap<>();
    hosts = new LinkedHashSet<>();
    processes = new LinkedHashSet<>();
    ranks = 0;
  }

  private Optional<CallLog.Place> place() {
    if (ranks > 0) {
      return Optional.of(new CallLog.Place(ranks, hosts.size(), Math.max(1, ranks / processes.size())));
    }
    return CsvLog.place(log.file(), keys);
  }

  private String baseName() {
    String file = log.file();
    return file.substring(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
  }
}
