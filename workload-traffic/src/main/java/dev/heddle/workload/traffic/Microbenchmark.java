package dev.heddle.workload.traffic;

import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import dev.heddle.workload.traffic.MicrobenchmarkWorkloadProvider.Measure;
import dev.heddle.workload.traffic.MicrobenchmarkWorkloadProvider.Settings;
import dev.heddle.workload.traffic.MicrobenchmarkWorkloadProvider.Test;
import java.util.ArrayList;
import java.util.List;

/**
 * Workload of two hosts and two adapters. Ranks 0 and 2 are the hosts (processor and memory), 1 and 3 their adapters.
 */
final class Microbenchmark implements Workload {
  private final Settings settings;

  Microbenchmark(Settings settings) {
    this.settings = settings;
  }

  @Override
  public WorkloadPlan plan(Cluster cluster) {
    return WorkloadPlan.of(ranks(cluster), this::program);
  }

  private int[] ranks(Cluster cluster) {
    int[] hosts = cluster.terminals(DeviceKind.CPU);
    int[] adapters = cluster.terminals(DeviceKind.NIC);
    if (cluster.nodes() < 2) {
      throw new InvalidSettingException("", "needs two nodes; the cluster has " + cluster.nodes());
    }
    return new int[] {
        first(cluster, hosts, 0, "cpu"), first(cluster, adapters, 0, "nic"),
        first(cluster, hosts, 1, "cpu"), first(cluster, adapters, 1, "nic")
    };
  }

  private static int first(Cluster cluster, int[] terminals, int node, String kind) {
    for (int terminal : terminals) {
      if (cluster.node(terminal) == node) {
        return terminal;
      }
    }
    throw new InvalidSettingException("", "needs a terminal of kind '" + kind + "' in node " + node);
  }

  private Program program(int rank, WorkloadContext context) {
    int mtu = context.cluster().networkLink(context.terminal(1)).maxPayloadBytes();
    List<Verbs.Stream> all = rank % 2 == 0
        ? new HostStreams(settings, mtu, rank / 2).streams() : new AdapterStreams(settings, mtu, rank / 2).streams();
    return new StreamProgram(new ArrayList<>(all));
  }

  /** The messages that one side's adapter transmits in an iteration, in order. */
  static long[] transmitted(Settings settings, int side) {
    long size = settings.size().bytes();
    if (settings.test() == Test.IB_READ) {
      return side == 1 ? new long[] {size} : new long[0];
    }
    if (settings.measure() == Measure.BANDWIDTH) {
      return side == 0 ? new long[] {size} : new long[0];
    }
    if (rendezvous(settings)) {
      long control = settings.hca().workRequest().bytes();
      return side == 0 ? new long[] {control, size, control} : new long[] {control, control, size};
    }
    return new long[] {size};
  }

  /** Whether an MPI message is negotiated: request to send, clear to send, data. */
  static boolean rendezvous(Settings settings) {
    return settings.test() == Test.OSU_LATENCY && settings.size().compareTo(settings.mpi().eagerLimit()) > 0;
  }

  private record StreamProgram(List<Verbs.Stream> list) implements Program {
    @Override
    public int streams() {
      return list.size();
    }

    @Override
    public boolean next(int stream, Operation operation) {
      return list.get(stream).next(operation);
    }
  }
}
