package dev.heddle.verification;

import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/** Measured incasts of streams of 8 MiB into one node on Slingshot 11, against the network alone. */
final class SlingshotIncast {
  /** The name of their file. */
  static final String FILE = "slingshot-incast.csv";

  private static final double BOUND = 10;
  private static final int MESSAGES = 16;
  private static final List<String> COLUMNS = List.of("degree", "aggregate_gbps");

  private SlingshotIncast() {}

  /**
   * The goodput of all senders together.
   *
   * @param label of the file
   * @param text of the file, with gigabytes per second
   */
  static Table goodput(ScenarioReader reader, String label, String text) {
    List<Row> rows = new ArrayList<>();
    for (CsvTable.Line line : CsvTable.read(label, text).requireColumns(COLUMNS).lines()) {
      CsvTable.require(line.cell(0).matches("[1-9][0-9]{0,3}"), line.place(),
          COLUMNS.get(0) + " is '" + line.cell(0) + "'; it must be a whole number of 1 to 9999");
      int senders = Integer.parseInt(line.cell(0));
      rows.add(new Row(
          senders + (senders == 1 ? " sender" : " senders"), OptionalLong.of(8 << 20),
          CsvTable.number(line.place(), COLUMNS.get(1), line.cell(1)), gigabytes(reader, senders)));
    }
    return new Table(
        "Slingshot 11, incast by NCCL's sockets", "github:openfabric-systems/simllm 9c2672c, Merlin at PSI", "GB/s",
        rows, BOUND);
  }

  private static double gigabytes(ScenarioReader reader, int senders) {
    String scenario = String.format(Locale.ROOT, """
        name: incast
        cluster:
          tiers:
            - name: net
              terminals: {accelerator: %d}
              topology:
                type: star
                link: {preset: slingshot-11}
                centre: {preset: slingshot-switch}
        workload: {type: traffic, pattern: incast, loop: closed, messages: %d, message-size: 8 MiB}
        """, senders + 1, MESSAGES);
    double us = reader.parse(FILE, scenario, Map.of()).points().get(0).scenario().simulation().run()
        .metric("time").orElseThrow().value();
    return (double) senders * MESSAGES * (8 << 20) / us / 1e3;
  }
}
