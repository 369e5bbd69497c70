package dev.heddle.workload.megatron.program;

import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Activations of a stage's first layers that the host's memory keeps between the passes. The copy of a layer begins when
 * the one before has ended, and the passes wait for it at layers that are evenly spread, so that each copy has the time
 * of as many layers: forward it begins at the wait for the copy before, backward the layer's activations come back
 * [Transformer Engine, cpu_offload.py, AsyncDoubleBufferGroupOffloadHandler].
 */
final class ActivationOffload {
  private static final double PS_PER_SECOND = 1e12;
  private static final long PROBE = 1 << 30;

  private final long[] copyPs;
  private final int[] windows;

  /**
   * Plans the copies of a stage.
   *
   * @param bytes of activations of each layer that is offloaded, for a micro-batch
   * @param layers of the stage, more than that
   * @param secondsPerByte of a copy
   */
  ActivationOffload(double[] bytes, int layers, double secondsPerByte) {
    copyPs = Arrays.stream(bytes).mapToLong(each -> Math.round(each * secondsPerByte * PS_PER_SECOND)).toArray();
    windows = new int[bytes.length];
    for (int copy = 0; copy < windows.length; copy++) {
      windows[copy] = layers / bytes.length * (copy + 1) - 1 + Math.min(copy + 1, layers % bytes.length);
    }
  }

  /** Adds what follows the forward pass of a layer. */
  void forward(StageOps ops, int layer) {
    if (layer == 0 && copyPs.length > 0) {
      ops.copy(copyPs[0]);
    }
    int copy = Arrays.binarySearch(windows, layer);
    if (copy >= 0) {
      ops.joinCopies();
      if (copy + 1 < copyPs.length) {
        ops.copy(copyPs[copy + 1]);
      }
    }
  }

  /** Adds what goes before the backward pass of a layer. */
  void backward(StageOps ops, int layer) {
    int copy = Arrays.binarySearch(windows, layer);
    if (copy >= 0) {
      ops.joinCopies();
      ops.copy(copyPs[copy]);
    }
    if (layer == 0 && copyPs.length > 0) {
      ops.joinCopies();
    }
  }

  /**
   * Seconds for a byte of a copy to the nearest processor's memory while all accelerators of a node copy at once, over
   * the slowest link, however many of them share it.
   *
   * @param cluster the machine
   * @param terminals of the ranks
   * @throws InvalidSettingException where the nodes have no processor
   */
  static double secondsPerByte(Cluster cluster, int[] terminals) {
    int node = cluster.node(terminals[0]);
    int[] cpus = Arrays.stream(cluster.terminals(DeviceKind.CPU)).filter(cpu -> cluster.node(cpu) == node).toArray();
    if (cpus.length == 0) {
      throw new InvalidSettingException(
          "execution.offload-layers", "are copied to the memory of a node's cpu, and the cluster's nodes have none");
    }
    List<int[]> ways = Arrays.stream(terminals).filter(terminal -> cluster.node(terminal) == node)
        .mapToObj(terminal -> Arrays.stream(cpus).mapToObj(cpu -> cluster.route(terminal, cpu))
            .min(Comparator.comparingInt((int[] way) -> way.length)).orElseThrow())
        .toList();
    Map<Integer, Integer> copies = new LinkedHashMap<>();
    ways.forEach(way -> Arrays.stream(way).forEach(link -> copies.merge(link, 1, Integer::sum)));
    long slowest = copies.entrySet().stream()
        .mapToLong(link -> cluster.linkModel(link.getKey()).rate().wirePs(PROBE * link.getValue())).max().orElse(0);
    return slowest / PS_PER_SECOND / PROBE;
  }
}
