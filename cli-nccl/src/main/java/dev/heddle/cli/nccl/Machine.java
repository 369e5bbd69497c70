package dev.heddle.cli.nccl;

import dev.heddle.cli.ArchitecturePreset;
import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.calibration.ConstantsText;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.search.ClusterPlan;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.timing.Hops;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.collectives.nccl.timing.NetworkTiming;
import dev.heddle.collectives.nccl.timing.NicAddress;
import dev.heddle.collectives.nccl.timing.RcclTiming;
import dev.heddle.collectives.nccl.timing.StandardTiming;
import dev.heddle.fabric.Fabric;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import java.util.Locale;
import java.util.Optional;

/**
 * A cluster with NCCL's ranks.
 *
 * @param registry the installed presets
 * @param cluster the cluster
 * @param group terminals of the ranks
 * @param perNode ranks on each node
 * @param config version and variables of NCCL
 * @param timing times of GPUs, hosts and network, as in a scenario; empty for the standard ones
 */
record Machine(
    Registry registry, Fabric cluster, Group group, int perNode, NcclConfig config, Optional<String> timing) {
  /** Refuses clusters that lose packets, which closed forms leave out. */
  void requireNoLoss(String remedy) {
    cluster.losingLink().ifPresent(link -> {
      throw new InvalidSettingException("", "link " + cluster.linkName(link)
          + " of the cluster loses packets, which closed forms leave out; " + remedy);
    });
  }

  /** Latency of the links between two nodes, in picoseconds. */
  long linkLatencyPs() {
    return Hops.linkLatencyPs(cluster, group, true);
  }

  CommunicatorTopology channels() {
    return ClusterPlan.channels(cluster, group, config);
  }

  /** The communicator of RCCL, on GPUs of AMD, with a number of them in each process. */
  RcclTiming rccl(int perProcess) {
    return RcclTiming.of(cluster, group, config, perProcess);
  }

  /** The times of the machine, limited by the addresses of its NICs. */
  MachineTiming times() {
    MachineTiming found = new ScenarioReader(registry).record(
        MachineTiming.class, "--timing", timing.orElseGet(this::standardTiming));
    return NicAddress.of(cluster, config).limit(found, cluster);
  }

  /** The standard times of the machine as text for {@code --timing} and scenarios, with another launch and network. */
  String timingWith(double launchMicros, Optional<NetworkTiming> network) {
    return "{gpu: " + gpu() + ", host: {launch: "
        + String.format(Locale.ROOT, "%.4g", launchMicros) + " us}"
        + network.map(net -> ", network: " + ConstantsText.network(net)).orElse("") + "}";
  }

  private String standardTiming() {
    gpu();
    return StandardTiming.text(cluster);
  }

  // The preset of the accelerators' architecture, which must be there.
  private String gpu() {
    return ArchitecturePreset.require(registry, "nccl", cluster, "--timing");
  }
}
