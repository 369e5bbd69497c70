package dev.heddle.collectives.nccl.measured;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.tuner.Call.Reduction;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Output of OSU micro-benchmarks: point to point by MPI, and collectives by NCCL or RCCL (xCCL). Collectives by MPI are
 * those of another library with other algorithms, and are refused.
 */
final class OsuLog {
  private static final Pattern TITLE = Pattern.compile("^# OSU (\\S+) (.*?)\\s*(v[\\d.]+\\S*)?$");
  private static final Pattern ROW = Pattern.compile("^\\d+\\s+\\S+.*$");
  private static final LogFacts OF_PARTS =
      new LogFacts(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Map.of(), Optional.empty(),
          true);
  private static final double MEGABYTES = 1e3;

  private final LogText log;
  private final List<CallLog> calls = new ArrayList<>();
  private final List<MessageLog> messages = new ArrayList<>();
  private String library = "";
  private String title = "";
  private boolean unitSeen;
  private Rows rows = new Rows();

  private OsuLog(LogText log) {
    this.log = log;
  }

  static LogFile read(LogText log) {
    OsuLog reader = new OsuLog(log);
    for (LogText.Line line : log.lines()) {
      reader.line(line);
    }
    reader.finish();
    return new LogFile(reader.calls, reader.messages);
  }

  private void line(LogText.Line line) {
    Matcher named = TITLE.matcher(line.text());
    if (named.matches()) {
      finish();
      library = named.group(1).toUpperCase(Locale.ROOT);
      title = named.group(2);
      unitSeen = false;
      requireNccl(line);
    } else if (line.text().startsWith("# Size")) {
      String unit = metric() == MessageLog.Metric.LATENCY ? "(us)" : "MB/s";
      LogText.require(line.text().contains(unit), line.place(),
          "the column of '" + title + "' must be in " + unit + ", but its head is '" + line.text() + "'");
      unitSeen = true;
    } else if (ROW.matcher(line.text()).matches() && !title.isEmpty()) {
      LogText.require(unitSeen, line.place(), "a row before the line '# Size ...' that states its unit");
      long bytes = LogText.bytes(line, line.cells()[0]);
      if (bytes > 0) {
        rows.add(line, bytes, LogText.number(line, title, line.cells()[1]));
      }
    } else if (line.startsWithNumber() && !title.isEmpty()) {
      LogText.require(false, line.place(), "the row has no value; the log is cut off");
    }
  }

  private boolean collective() {
    return library.startsWith("NCCL") || library.startsWith("RCCL") || library.startsWith("XCCL");
  }

  private MessageLog.Metric metric() {
    return title.contains("Bandwidth") || title.contains("Message Rate") ? MessageLog.Metric.BANDWIDTH
        : MessageLog.Metric.LATENCY;
  }

  private void requireNccl(LogText.Line line) {
    boolean pointToPoint = Operations.named(title).isEmpty() && !title.contains("lltoall") && !title.contains("arrier");
    LogText.require(collective() || pointToPoint, line.place(), "'" + title + "' measures the collective of the MPI"
        + " library, whose algorithms are not NCCL's; osu_xccl_ benchmarks and nccl-tests measure NCCL's");
    LogText.require(!title.contains("Multiple") && !title.contains("Multi-"), line.place(), "'" + title
        + "' adds several pairs up; osu_bw and osu_latency measure one");
  }

  private void finish() {
    if (rows.isEmpty()) {
      return;
    }
    List<CallLog.Row> medians = rows.medians();
    Optional<CollectiveOp> op = collective() ? Operations.named(title) : Optional.empty();
    if (op.isPresent()) {
      calls.add(new CallLog(log.file(), op.get(), Optional.empty(), OF_PARTS, Reduction.COMMON, medians));
    } else {
      double both = title.contains("Bi-Directional") ? 2 : 1;
      double unit = metric() == MessageLog.Metric.LATENCY ? 1 : MEGABYTES * both;
      messages.add(new MessageLog(log.file(), "OSU " + library + " " + title, metric(),
          medians.stream().map(row -> new MessageLog.Row(row.bytes(), row.micros() / unit)).toList()));
    }
    rows = new Rows();
  }
}
