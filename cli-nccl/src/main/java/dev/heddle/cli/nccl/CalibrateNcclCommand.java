package dev.heddle.cli.nccl;

import dev.heddle.cli.CommandContext;
import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.calibration.Calibration;
import dev.heddle.collectives.nccl.calibration.MachineFit;
import dev.heddle.collectives.nccl.calibration.MeasuredTable;
import dev.heddle.collectives.nccl.p2p.DirectAccess;
import dev.heddle.collectives.nccl.search.ClusterPlan;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.timing.CommunicatorTiming;
import dev.heddle.collectives.nccl.timing.Hops;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Fits the few constants of a machine to its own logs. */
@Command(
    name = "nccl",
    description = "Fit the launch, the NICs' efficiency and the network latency of a machine to its own logs of"
        + " nccl-tests, within physical bounds, and write them as a preset. Other constants are those of the GPUs'"
        + " generation and of the network.")
final class CalibrateNcclCommand implements Callable<Integer> {
  private static final double CONTRADICTION = 1.25;

  private final CommandContext context;

  @Parameters(arity = "1..*", paramLabel = "LOG",
      description = "Output of nccl-tests, or CSV with size_bytes and time_us.")
  private List<Path> logs = new ArrayList<>();

  @Mixin
  private MachineOptions machine = new MachineOptions();

  @Option(names = "--out", paramLabel = "FILE", description = "A preset to write.")
  private @Nullable Path out;

  CalibrateNcclCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    Machine found = machine.machine(context.registry());
    MachineTiming start = found.times();
    List<MeasuredLog> read = logs.stream().map(MeasuredLog::read).toList();
    requireAgreement(read);
    List<MeasuredTable> tables = read.stream().map(log -> table(found, start, log)).toList();
    MachineFit fit = MachineFit.of(tables, start);
    String timing = found.timingWith(fit.launch(), fit.network());
    context.print(report(tables, fit) + "\ntiming: " + timing + "\n");
    write(fit, timing);
    return 0;
  }

  // Times of the same call that differ by more than a quarter are of different machines, or one of them was disturbed.
  private static void requireAgreement(List<MeasuredLog> read) {
    for (int one = 0; one < read.size(); one++) {
      for (int other = one + 1; other < read.size(); other++) {
        MeasuredLog a = read.get(one);
        MeasuredLog b = read.get(other);
        if (a.op() == b.op() && a.ranks() == b.ranks() && a.nodes() == b.nodes()
            && a.gpusPerProcess() == b.gpusPerProcess()) {
          requireAgreement(a, b);
        }
      }
    }
  }

  private static void requireAgreement(MeasuredLog a, MeasuredLog b) {
    for (MeasuredLog.Row row : a.rows()) {
      for (MeasuredLog.Row other : b.rows()) {
        double ratio = row.micros() / other.micros();
        if (row.bytes() == other.bytes() && (ratio > CONTRADICTION || ratio < 1 / CONTRADICTION)) {
          throw new InvalidSettingException("", String.format(Locale.ROOT,
              "%s and %s contradict each other: %s of %d B on %d ranks took %.1f and %.1f us; leave one of them out",
              a.file(), b.file(), a.op().key(), row.bytes(), a.ranks(), row.micros(), other.micros()));
        }
      }
    }
  }

  static MeasuredTable table(Machine found, MachineTiming timing, MeasuredLog log) {
    Cluster cluster = found.cluster();
    Group group = group(cluster, log);
    CommunicatorTopology channels = ClusterPlan.channels(cluster, group, found.config());
    CommunicatorTiming communicator = CommunicatorTiming.of(
        channels, timing, DirectAccess.of(channels, log.gpusPerProcess()), Hops.linkLatencyPs(cluster, group, true));
    List<MeasuredTable.Row> rows = log.rows().stream().map(row -> new MeasuredTable.Row(row.bytes(), row.micros(),
        MeasuredTable.execution(communicator, log.op(), row.bytes(), log.reduction()))).toList();
    return new MeasuredTable(log.file(), "", "", log.nodes() > 1 ? "network" : "",
        MeasuredTable.Model.of(communicator), log.op(), false, rows);
  }

  private static Group group(Cluster cluster, MeasuredLog log) {
    int perNode = log.ranks() / log.nodes();
    if (perNode * log.nodes() != log.ranks() || log.nodes() > cluster.nodes()) {
      throw new InvalidSettingException("", log.file() + " is of " + log.ranks() + " ranks on " + log.nodes()
          + " nodes, the cluster has " + cluster.nodes() + " nodes; say --nodes " + log.nodes());
    }
    int[] all = cluster.terminals(DeviceKind.ACCELERATOR);
    int[] members = new int[log.ranks()];
    for (int node = 0; node < log.nodes(); node++) {
      int wanted = node;
      int[] own = Arrays.stream(all).filter(each -> cluster.node(each) == wanted).limit(perNode).toArray();
      if (own.length < perNode) {
        throw new InvalidSettingException("", log.file() + ": " + perNode + " ranks a node do not fit on its "
            + own.length + " accelerators");
      }
      System.arraycopy(own, 0, members, node * perNode, perNode);
    }
    return Group.of(members);
  }

  private static String report(List<MeasuredTable> tables, MachineFit fit) {
    StringBuilder text = new StringBuilder();
    text.append(String.format(Locale.ROOT, "%-12s %10s %10s  %-12s%n", "constant", "before", "fitted", "bounds"));
    for (MachineFit.Value value : fit.values()) {
      text.append(String.format(Locale.ROOT, "%-12s %10.4g %10.4g  %.3g to %.3g %s%s%n", value.constant().name(),
          value.before(), value.fitted(), value.constant().least(), value.constant().most(), value.constant().unit(),
          value.identified() ? value.constant().atBound(value.fitted()) ? "; at its bound: the model is wrong here" : ""
              : "; not identifiable, kept: " + value.remedy()));
    }
    text.append(String.format(Locale.ROOT, "%nmean absolute error, %%%n%-44s %18s %18s %18s%n", "log", "from 8 MiB",
        "64 KiB to 8 MiB", "below"));
    for (MeasuredTable table : tables) {
      text.append(String.format(Locale.ROOT, "%-44s", table.name()));
      for (int band = 2; band >= 0; band--) {
        double before = MachineFit.errorPct(table, fit.before(), band);
        text.append(Double.isNaN(before) ? String.format(Locale.ROOT, "%19s", "-") : String.format(
            Locale.ROOT, "   %6.1f -> %6.1f", before, MachineFit.errorPct(table, fit.timing(), band)));
      }
      text.append('\n');
    }
    return text.toString();
  }

  private void write(MachineFit fit, String timing) {
    if (out == null) {
      return;
    }
    String text = "description: Times of a machine, calibrated on its own logs\nsource: \"heddle calibrate nccl, "
        + fit.rows() + " rows of " + String.join(", ", logs.stream().map(Path::toString).toList()) + "; bands from "
        + Calibration.MIDDLE + " and " + Calibration.LARGE + " B\"\nvalue: " + timing + "\n";
    try {
      Files.writeString(out, text);
    } catch (IOException e) {
      throw new InvalidSettingException("",
          "--out " + out + ": cannot be written (" + e.getClass().getSimpleName() + ")");
    }
  }
}
