package dev.heddle.collectives.nccl.search;

import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.system.ClusterNode;
import dev.heddle.collectives.nccl.system.DeviceFilling;
import dev.heddle.collectives.nccl.system.SystemDescription;
import dev.heddle.collectives.nccl.system.SystemXml;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Planner of communicators of a cluster with identical nodes. */
public final class ClusterPlan {
  private final Cluster cluster;
  private final NcclConfig config;
  private final List<SystemDescription> hosts;
  // The host of each accelerator of a node, and its place in the host's description.
  private final int[] hostOf;
  private final int[] gpuOf;
  private final int[] accelerators;

  ClusterPlan(Cluster cluster, NcclConfig config) {
    this.cluster = cluster;
    this.config = config;
    Optional<String> file = config.get(Environment.TOPO_FILE);
    SystemDescription node = file.isPresent()
        ? completed(SystemXml.read(Path.of(file.get())), cluster)
        : ClusterNode.of(cluster, 0);
    hosts = config.get(Environment.MNNVL_ENABLE) == 0 ? node.byHost() : List.of(node);
    int[] all = cluster.terminals(DeviceKind.ACCELERATOR);
    accelerators = Arrays.stream(all).filter(terminal -> cluster.node(terminal) == 0).toArray();
    hostOf = new int[accelerators.length];
    gpuOf = new int[accelerators.length];
    for (int dev = 0; dev < accelerators.length; dev++) {
      find(dev);
    }
  }

  // NCCL completes a file from the machine: GPUs and NICs that it has by class alone, NVLinks that it lacks.
  private static SystemDescription completed(SystemDescription file, Cluster cluster) {
    return DeviceFilling.isPartial(file) ? DeviceFilling.complete(file, ClusterNode.of(cluster, 0)) : file;
  }

  private void find(int dev) {
    for (int host = 0; host < hosts.size(); host++) {
      int gpu = hosts.get(host).gpuWithDev(dev);
      if (gpu >= 0) {
        hostOf[dev] = host;
        gpuOf[dev] = gpu;
        return;
      }
    }
    throw new InvalidSettingException("environment", Environment.TOPO_FILE.name() + " has no GPU with dev " + dev
        + ", but a node has " + accelerators.length + " accelerators");
  }

  /**
   * Plans a communicator.
   *
   * @param group its ranks, all of them accelerators
   * @throws InvalidSettingException when a rank is no accelerator, or NCCL cannot use the machine or a file
   */
  public static CommunicatorTopology channels(Cluster cluster, Group group, NcclConfig config) {
    return channels(cluster, group, new NodePlans(config));
  }

  /**
   * Plans one of many communicators.
   *
   * @param group its ranks, all of them accelerators
   * @param nodes plans of nodes, shared by all communicators
   * @throws InvalidSettingException when a rank is no accelerator, or NCCL cannot use the machine or a file
   */
  public static CommunicatorTopology channels(Cluster cluster, Group group, NodePlans nodes) {
    return nodes.of(cluster).channels(group, nodes);
  }

  boolean isOf(Cluster other) {
    return cluster == other;
  }

  private CommunicatorTopology channels(Group group, NodePlans nodes) {
    int[] node = new int[group.size()];
    int[] gpu = new int[group.size()];
    for (int rank = 0; rank < node.length; rank++) {
      int terminal = group.member(rank);
      if (cluster.kind(terminal) != DeviceKind.ACCELERATOR) {
        throw new InvalidSettingException(
            "", "rank " + rank + " is " + cluster.name(terminal) + ", but NCCL's ranks are accelerators");
      }
      int dev = Arrays.binarySearch(accelerators, cluster.position(terminal));
      node[rank] = cluster.node(terminal) * hosts.size() + hostOf[dev];
      gpu[rank] = gpuOf[dev];
    }
    return CommunicatorTopology.plan(Placement.of(node, gpu), rank -> hosts.get(node[rank] % hosts.size()), nodes);
  }
}
