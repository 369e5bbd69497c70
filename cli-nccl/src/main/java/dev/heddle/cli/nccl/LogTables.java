package dev.heddle.cli.nccl;

import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.calibration.MeasuredTable;
import dev.heddle.collectives.nccl.calibration.MessageEvidence;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.measured.CallLog;
import dev.heddle.collectives.nccl.measured.MessageLog;
import dev.heddle.collectives.nccl.p2p.DirectAccess;
import dev.heddle.collectives.nccl.search.ClusterPlan;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.timing.CommunicatorTiming;
import dev.heddle.collectives.nccl.timing.Hops;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Logs on a cluster: each with the communicator on which it was measured. */
final class LogTables {
  private static final double ABOVE_THE_RATE = 1.02;

  private LogTables() {}

  /** The table of a log; the ranks of one that does not state them are those of the machine. */
  static MeasuredTable table(Machine found, MachineOptions options, MachineTiming timing, CallLog log) {
    CallLog placed = placed(found, log);
    CallLog.Place place = placed.place().orElseThrow();
    Cluster cluster = found.cluster();
    Group group = group(cluster, placed.file(), place);
    NcclConfig config = options.config(log.facts());
    CommunicatorTopology channels = ClusterPlan.channels(cluster, group, config);
    CommunicatorTiming communicator = CommunicatorTiming.of(channels, timing,
        DirectAccess.of(channels, place.gpusPerProcess()), Hops.linkLatencyPs(cluster, group, true));
    List<MeasuredTable.Row> rows =
        placed.rows().stream().map(row -> new MeasuredTable.Row(row.bytes(), row.micros(),
            MeasuredTable.execution(communicator, log.op(), row.bytes(), log.reduction()))).toList();
    return new MeasuredTable(placed.file(), "", "", place.nodes() > 1 ? "network" : "",
        MeasuredTable.Model.of(communicator), log.op(), false, rows);
  }

  /** The log at its own ranks, or at those of the machine where it states none. */
  static CallLog placed(Machine found, CallLog log) {
    return log.place().isPresent() ? log
        : log.at(new CallLog.Place(found.group().size(), found.group().size() / found.perNode(), 1));
  }

  private static Group group(Cluster cluster, String file, CallLog.Place place) {
    int perNode = place.ranks() / place.nodes();
    if (perNode * place.nodes() != place.ranks() || place.nodes() > cluster.nodes()) {
      throw new InvalidSettingException("", file + " is of " + place.ranks() + " ranks on " + place.nodes()
          + " nodes, the cluster has " + cluster.nodes() + " nodes; say --nodes " + place.nodes());
    }
    int[] all = cluster.terminals(DeviceKind.ACCELERATOR);
    int[] members = new int[place.ranks()];
    for (int node = 0; node < place.nodes(); node++) {
      int wanted = node;
      int[] own = Arrays.stream(all).filter(each -> cluster.node(each) == wanted).limit(perNode).toArray();
      if (own.length < perNode) {
        throw new InvalidSettingException("", file + ": " + perNode + " ranks a node do not fit on its "
            + own.length + " accelerators");
      }
      System.arraycopy(own, 0, members, node * perNode, perNode);
    }
    return Group.of(members);
  }

  /**
   * The bounds that messages between hosts set.
   *
   * @throws InvalidSettingException when they are faster than a NIC of the cluster
   */
  static MessageEvidence evidence(Cluster cluster, List<MessageLog> messages) {
    OptionalDouble latency = messages.stream().filter(log -> log.metric() == MessageLog.Metric.LATENCY)
        .mapToDouble(MessageLog::best).min();
    List<MessageLog> rates = messages.stream().filter(log -> log.metric() == MessageLog.Metric.BANDWIDTH).toList();
    int[] nics = cluster.terminals(DeviceKind.NIC);
    if (rates.isEmpty() || nics.length == 0 || cluster.nodes() == 1) {
      return new MessageEvidence(latency, OptionalDouble.empty());
    }
    double rate = cluster.networkLink(nics[0]).rate().bytesPerNano();
    for (MessageLog log : rates) {
      if (log.best() > ABOVE_THE_RATE * rate) {
        throw new InvalidSettingException("", String.format(Locale.ROOT, "%s: %s reached %.4g GB/s, but a NIC of the"
            + " cluster has %.4g GB/s; measure one NIC, or name the cluster's own with --cluster", log.file(),
            log.test(), log.best(), rate));
      }
    }
    double best = rates.stream().mapToDouble(MessageLog::best).max().orElseThrow();
    return new MessageEvidence(latency, OptionalDouble.of(best / rate));
  }
}
