package dev.heddle.collectives.nccl.timing;

import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.search.ChannelGraph;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.NodePlan;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.collectives.nccl.system.LinkType;
import dev.heddle.collectives.nccl.system.Path;
import dev.heddle.collectives.nccl.system.SystemPaths;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/**
 * The NICs of a node that a communicator uses: those of its rings, or those next to its ranks. The rate of each is
 * limited by its port and by the path between it and a GPU.
 *
 * @param count number of NICs, at least 1
 * @param ports total rate of their ports, gigabytes per second
 * @param paths total rate of the PCIe paths between them and GPUs, gigabytes per second
 * @param share of all NICs of the node, by the rates of ports, at most 1
 */
record NicUse(int count, double ports, double paths, double share) {
  // Data rate of PCIe over the bandwidth that NCCL assumes. NCCL assumes 12, 24 and 48 GB/s for 16 lanes; headers of
  // writes of 256 bytes leave 8 % more of a lane's rate [R. Neugebauer et al., SIGCOMM 2018, model of PCIe].
  private static final double PCIE_PER_PLANNED = 1.08;
  // Share of a PCIe port's rate that CPUs forward between two of their ports: 18 of 26 GB/s on EPYC 7003 [Polaris'
  // tables], 10.2 of 13 on Xeon Gold 6148 [ABCI].
  private static final double HOST_BRIDGE = 0.7;
  private static final int CHANNELS = 8;

  /** The NICs by which rings enter and leave the node where they are slowest. */
  static NicUse ofRings(CommunicatorTopology channels) {
    return channels.plans().stream().map(NicUse::ofRing).min(Comparator.comparingDouble(NicUse::rate)).orElseThrow();
  }

  private static NicUse ofRing(NodePlan plan) {
    ChannelGraph ring = plan.ring();
    Paths entries = new Paths(plan.paths());
    Paths exits = new Paths(plan.paths());
    for (int channel = 0; channel < ring.channels(); channel++) {
      entries.add(ring.gpu(channel, 0), ring.entry(channel));
      exits.add(ring.gpu(channel, ring.gpus(channel) - 1), ring.exit(channel));
    }
    double ofGpus = Math.min(entries.ofGpus(), exits.ofGpus());
    exits.nics.forEach((net, path) -> entries.nics.merge(net, path, Math::max));
    return entries.use(ofGpus);
  }

  private double rate() {
    return Math.min(ports, paths);
  }

  /** The NICs next to the ranks of the fullest node. */
  static NicUse ofPairs(CommunicatorTopology channels) {
    Placement placement = channels.placement();
    int node = placement.fullest();
    SystemPaths paths = channels.node(node).paths();
    Paths used = new Paths(paths);
    for (int place = 0; place < placement.ranks(node); place++) {
      for (int channel = 0; channel < CHANNELS; channel++) {
        used.add(place, paths.localNet(place, channel));
      }
    }
    return used.use(used.ofGpus());
  }

  /** The rates of the paths in use, by NIC and by GPU, whose own PCIe link serves all its NICs. */
  private static final class Paths {
    private final SystemPaths paths;
    private final Map<Integer, Double> nics = new TreeMap<>();
    private final Map<Integer, Double> gpus = new TreeMap<>();

    Paths(SystemPaths paths) {
      this.paths = paths;
    }

    void add(int gpu, int net) {
      if (net >= 0) {
        Path there = paths.gpuToNet(gpu, net);
        double path = Math.min(rate(there), rate(paths.netToGpu(net, gpu)));
        nics.merge(net, path, Math::max);
        int own = there.links().get(0);
        // Only paths that begin with PCIe take the GPU's own link of it; others begin with NVLink or the CPU's link.
        gpus.merge(
            gpu, paths.graph().linkType(own) == LinkType.PCI
                ? paths.graph().megabytes(own) / 1e3 * PCIE_PER_PLANNED : Double.POSITIVE_INFINITY,
            Math::max);
      }
    }

    /** The total rate of the GPUs' own links. */
    double ofGpus() {
      return gpus.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /** The NICs, at most at a total rate. */
    NicUse use(double atMost) {
      double all = 0;
      for (int net = 0; net < paths.graph().nets(); net++) {
        all += port(net);
      }
      double ports = nics.keySet().stream().mapToDouble(this::port).sum();
      double least = nics.entrySet().stream()
          .mapToDouble(each -> each.getValue() / port(each.getKey())).min().orElse(1);
      return new NicUse(
          Math.max(1, nics.size()), ports, Math.min(least * ports, atMost), all > 0 ? ports / all : 1);
    }

    private double port(int net) {
      return paths.graph().net(net).megabits() / 8e3;
    }

    private double rate(Path path) {
      boolean bridged = !path.type().atMost(PathType.PXN)
          && path.links().stream().noneMatch(link -> paths.graph().linkType(link) == LinkType.C2C);
      return path.megabytes() / 1e3 * PCIE_PER_PLANNED * (bridged ? HOST_BRIDGE : 1);
    }
  }

  /** The total rate of the paths where it is below that of the ports, gigabytes per second; infinite elsewhere. */
  double pathLimit() {
    return paths < ports ? paths : Double.POSITIVE_INFINITY;
  }

  /** The network limited to these NICs. */
  NetworkTiming limit(NetworkTiming network) {
    double rate = Math.min(Math.min(ports * network.efficiency(), paths), network.nodeRate() * share);
    return network.withNics(rate, count);
  }
}
