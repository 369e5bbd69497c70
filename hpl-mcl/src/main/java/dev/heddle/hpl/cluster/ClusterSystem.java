package dev.heddle.hpl.cluster;

import dev.heddle.hpl.HplSystem;
import dev.heddle.hpl.LayerReach;
import dev.heddle.hpl.LayerSettings;
import dev.heddle.hpl.RateSharing;
import dev.heddle.hpl.run.KernelSettings;
import dev.heddle.hpl.run.Kernels;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Switch;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A cluster as the closed forms of HPL see it: one process per accelerator, and layers from its links.
 *
 * <p>HPL sends to the next process of a row or column, so a layer's rate is the rate of every accelerator when all send
 * to the next one at once, the minimum of them: of a node for the layer within, of the next node, from the same
 * position, for the network. Links that several of these messages share are divided; packet overheads count. The
 * network's rate is divided by its blocking: the injection bandwidth of half of the nodes, over the bisection
 * bandwidth. Latencies are those of links and switches on the path, and the software's.
 */
public final class ClusterSystem {
  private final Cluster cluster;
  private final LayerOverrides overrides;
  private final int[] accelerators;
  private final int perNode;

  private ClusterSystem(Cluster cluster, LayerOverrides overrides) {
    this.cluster = cluster;
    this.overrides = overrides;
    accelerators = cluster.terminals(DeviceKind.ACCELERATOR);
    if (accelerators.length == 0) {
      throw new InvalidSettingException("", "the cluster has no accelerators");
    }
    perNode = accelerators.length / cluster.nodes();
  }

  /**
   * The system of a cluster.
   *
   * @param cluster the machine; its nodes are identical
   * @param kernels compute times of an accelerator; the system's peak is the rate that large products sustain
   * @param overrides properties that its links do not state
   * @param blockSize NB
   * @throws InvalidSettingException when the cluster states neither the peak of its accelerators nor the rate of their
   * memories, and the overrides do not either
   */
  public static HplSystem of(Cluster cluster, KernelSettings kernels, LayerOverrides overrides, int blockSize) {
    ClusterSystem system = new ClusterSystem(cluster, overrides);
    List<LayerSettings> layers = system.layers();
    long flops = Math.round(Kernels.of(kernels, system.accelerator()).sustainedFlops());
    return new HplSystem(
        cluster.nodes(), system.perNode, new ComputeRate(flops), blockSize, layers.get(layers.size() - 1), layers);
  }

  private Optional<Accelerator> accelerator() {
    return cluster.accelerator(accelerators[0]);
  }

  private List<LayerSettings> layers() {
    List<LayerSettings> layers = new ArrayList<>();
    layers.add(overrides.layer(LayerReach.DEVICE).orElseGet(this::memory));
    if (perNode > 1) {
      layers.add(overrides.layer(LayerReach.NODE).orElseGet(this::withinNode));
    }
    if (cluster.nodes() > 1) {
      layers.add(overrides.layer(LayerReach.SYSTEM).orElseGet(this::network));
    }
    LayerSettings last = layers.remove(layers.size() - 1);
    layers.add(new LayerSettings(
        last.name(), LayerReach.SYSTEM, last.latency(), last.rate(), last.sharedBy(), last.blocking()));
    return layers;
  }

  private LayerSettings memory() {
    DataRate rate = accelerator().map(Accelerator::memoryBandwidth).orElseThrow(() -> new InvalidSettingException(
        "layers", "the cluster does not say how fast its accelerators' memories are; write a layer of reach device"));
    return new LayerSettings("memory", LayerReach.DEVICE, overrides.memoryLatency(), rate, RateSharing.NONE, 1);
  }

  private LayerSettings withinNode() {
    int[][] routes = new int[perNode][];
    for (int i = 0; i < perNode; i++) {
      routes[i] = cluster.route(accelerators[i], accelerators[(i + 1) % perNode]);
    }
    return layer("node", LayerReach.NODE, routes, 1);
  }

  // Contention in the network's switches is part of the blocking: the choice among several paths is not known.
  private LayerSettings network() {
    int[][] routes = new int[perNode][];
    for (int i = 0; i < perNode; i++) {
      routes[i] = cluster.route(accelerators[i], accelerators[i + perNode]);
    }
    return layer("network", LayerReach.SYSTEM, routes, Bisection.of(cluster).blocking());
  }

  private LayerSettings layer(String name, LayerReach reach, int[][] routes, double blocking) {
    int[] load = new int[cluster.links()];
    for (int[] route : routes) {
      Arrays.stream(route).forEach(link -> load[link]++);
    }
    double slowest = Double.POSITIVE_INFINITY;
    long latencyPs = 0;
    for (int[] route : routes) {
      long latency = overrides.software().ps();
      for (int link : route) {
        boolean ends = cluster.node(cluster.linkSource(link)) >= 0 || cluster.node(cluster.linkTarget(link)) >= 0;
        slowest = Math.min(slowest, Bisection.payloadRate(cluster.linkModel(link)) / (ends ? load[link] : 1));
        latency += cluster.linkModel(link).latencyPs();
        latency += forwardingPs(cluster.linkTarget(link));
      }
      latencyPs = Math.max(latencyPs, latency);
    }
    return new LayerSettings(
        name, reach, SimTime.ofPs(latencyPs), DataRate.ofBitsPerSecond(Math.round(8 * slowest)), RateSharing.NONE,
        blocking);
  }

  private long forwardingPs(int device) {
    Switch through = cluster.forwarding(device);
    return through == null ? 0 : through.latencyPs();
  }
}
