package dev.heddle.verification;

import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Published figures of RoCE: the goodput of one queue pair is simulated, all others are named with the reason for which
 * they are not.
 */
final class RoceAnchors {
  /** The name of their file. */
  static final String FILE = "roce-anchors.csv";

  private static final List<String> COLUMNS =
      List.of("paper", "figure", "setting", "quantity", "low", "high", "unit");
  // One queue pair of figure 14, with the size of its messages; "same" stands for the setting of the lines before.
  private static final Pattern QUEUE_PAIR =
      Pattern.compile("(400G one QP|same with loss 1/256).* (?:\\d+-)?(\\d{1,6}) KB");
  private static final int MESSAGES = 2048;

  private RoceAnchors() {}

  /**
   * The goodput of messages over one queue pair without congestion control.
   *
   * @param label of the file
   * @param text of the file
   */
  static Table goodput(ScenarioReader reader, String label, String text) {
    CsvTable csv = CsvTable.read(label, text).requireColumns(COLUMNS);
    List<Row> rows = new ArrayList<>();
    for (CsvTable.Line line : csv.lines()) {
      Matcher setting = QUEUE_PAIR.matcher(line.cell(2));
      if (setting.matches()) {
        double reference = (CsvTable.number(line.place(), "low", line.cell(4))
            + CsvTable.number(line.place(), "high", line.cell(5))) / 2;
        long bytes = Long.parseLong(setting.group(2)) << 10;
        boolean loses = setting.group(1).startsWith("same");
        for (String recovery : loses ? List.of("go-back-n", "selective-repeat") : List.of("go-back-n")) {
          rows.add(new Row(setting.group(2) + " KiB" + (loses ? ", 1 of 256 packets lost, " + recovery : ""),
              OptionalLong.of(bytes), reference, gigabytes(reader, bytes, loses ? 100.0 / 256 : 0, recovery)));
        }
      }
    }
    return new Table("RoCE, goodput of one queue pair at 400 Gb/s", "UCCL, arXiv 2504.17307, figure 14, digitised",
        "GB/s", rows, Double.NaN);
  }

  private static double gigabytes(ScenarioReader reader, long bytes, double lossPct, String recovery) {
    String scenario = String.format(Locale.ROOT, """
        name: queue-pair
        run: {granularity: packet}
        transport: {type: roce, congestion: none, recovery: %s}
        cluster:
          tiers:
            - name: net
              terminals: {accelerator: 2}
              topology:
                type: star
                link: {type: ethernet, rate: 400 Gb/s, latency: 500 ns, loss: %s %%}
                centre: {type: ethernet}
        workload: {type: traffic, pattern: shift, loop: closed, messages: %d, message-size: %d B}
        """, recovery, lossPct, MESSAGES, bytes);
    double us = reader.parse(FILE, scenario, Map.of()).points().get(0).scenario().simulation().run()
        .metric("time").orElseThrow().value();
    return MESSAGES * bytes / us / 1e3;
  }

  /** The figures that are not simulated, by paper, as a sentence. */
  static String others(String label, String text) {
    Map<String, List<String>> papers = new LinkedHashMap<>();
    for (CsvTable.Line line : CsvTable.read(label, text).requireColumns(COLUMNS).lines()) {
      if (!QUEUE_PAIR.matcher(line.cell(2)).matches()) {
        papers.computeIfAbsent(line.cell(0), paper -> new ArrayList<>())
            .add((line.cell(2) + ", " + line.cell(3) + " " + range(line.cell(4), line.cell(5)) + " " + line.cell(6))
                .strip());
      }
    }
    List<String> parts = new ArrayList<>();
    papers.forEach((paper, figures) -> parts.add(paper + ": " + String.join("; ", figures)));
    return "Figures of RoCE that are not compared, as extracted. " + String.join(". ", parts)
        + ".";
  }

  private static String range(String low, String high) {
    if (low.isEmpty() || high.isEmpty()) {
      return low.isEmpty() ? "at most " + high : "at least " + low;
    }
    return low.equals(high) ? low : low + " to " + high;
  }
}
