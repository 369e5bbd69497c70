package dev.heddle.collectives.nccl.measured;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Output of perftest: {@code ib_write_bw}, {@code ib_read_lat} and the like. Latencies of writes and sends are of one
 * direction; a read passes the wire twice, so that half of it counts. MB and MiB are both 2^20 bytes.
 */
final class PerftestLog {
  private static final Pattern TITLE =
      Pattern.compile("^((RDMA_Write|RDMA_Read|Send|Atomic_\\S+)( Bidirectional| Post List)* (BW|Latency) Test.*)$");
  private static final Pattern UNIT = Pattern.compile("BW average\\s?\\[(\\w+/sec)\\]");
  private static final ImmutableMap<String, Double> UNITS =
      ImmutableMap.of("MB/sec", 1.048576e-3, "MiB/sec", 1.048576e-3, "Gb/sec", 0.125);
  private static final int BW_AVERAGE = 3;
  private static final int BW_CELLS = 4;
  private static final int LATENCY_TYPICAL = 4;
  private static final int LATENCY_CELLS = 5;

  private final LogText log;
  private final List<MessageLog> found = new ArrayList<>();
  private String title = "";
  private double unit;
  private int column;
  private int cells;
  private Rows rows = new Rows();

  private PerftestLog(LogText log) {
    this.log = log;
  }

  static List<MessageLog> read(LogText log) {
    PerftestLog reader = new PerftestLog(log);
    log.lines().forEach(reader::line);
    reader.finish();
    return List.copyOf(reader.found);
  }

  private void line(LogText.Line line) {
    Matcher named = TITLE.matcher(line.text());
    if (named.matches()) {
      finish();
      title = named.group(1);
      unit = 0;
    } else if (line.text().startsWith("#bytes")) {
      head(line);
    } else if (line.text().matches("^\\d+\\s+\\d+(\\s.*)?$")) {
      row(line);
    }
  }

  private void head(LogText.Line line) {
    LogText.require(!title.isEmpty(), line.place(), "no line such as 'RDMA_Write BW Test' above; the log lacks its"
        + " head");
    LogText.require(!title.startsWith("Atomic"), line.place(), "'" + title + "' measures atomics, which NCCL does not"
        + " send; ib_write_bw and ib_write_lat measure its messages");
    Matcher rate = UNIT.matcher(line.text());
    if (rate.find()) {
      double known = UNITS.getOrDefault(rate.group(1), Double.NaN);
      LogText.require(!Double.isNaN(known), line.place(),
          "BW average is in " + rate.group(1) + "; MB/sec, MiB/sec and Gb/sec are read");
      unit = known * (title.contains("Bidirectional") ? 0.5 : 1);
      column = BW_AVERAGE;
      cells = BW_CELLS;
    } else {
      LogText.require(line.text().contains("t_typical[usec]"), line.place(),
          "neither 'BW average[...]' nor 't_typical[usec]' is among the columns; run without -D and in microseconds");
      unit = title.startsWith("RDMA_Read") ? 0.5 : 1;
      column = LATENCY_TYPICAL;
      cells = LATENCY_CELLS;
    }
  }

  private void row(LogText.Line line) {
    LogText.require(unit > 0, line.place(), "a row before the line '#bytes #iterations ...' that states its unit");
    String[] values = line.cells();
    LogText.require(values.length >= cells, line.place(), "the row ends after " + values.length
        + " cells, where perftest has " + cells + " or more; the log is cut off");
    long bytes = LogText.bytes(line, values[0]);
    rows.add(line, bytes, LogText.number(line, title, values[column]) * unit);
  }

  private void finish() {
    if (!rows.isEmpty()) {
      found.add(new MessageLog(log.file(), title,
          column == BW_AVERAGE ? MessageLog.Metric.BANDWIDTH : MessageLog.Metric.LATENCY,
          rows.medians().stream().map(row -> new MessageLog.Row(row.bytes(), row.micros())).toList()));
    }
    rows = new Rows();
  }
}
