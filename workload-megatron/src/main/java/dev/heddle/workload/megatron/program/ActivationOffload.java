package dev.heddle.workload.megatron.program;

import java.util.Arrays;

/**
 * Activations of a stage's first layers that the host's memory keeps between passes. The copy of a layer begins when
 * the one before has ended, and the passes wait for it at layers that are evenly spread, so that each copy has the time
 * of as many layers: forward it begins at the wait for the copy before, backward the layer's activations come back
 * [Transformer Engine, cpu_offload.py, AsyncDoubleBufferGroupOffloadHandler].
 */
final class ActivationOffload {
  private static final double PS_PER_SECOND = 1e12;

  private final long[] outPs;
  private final long[] backPs;
  private final int[] windows;

  /**
   * Plans the copies of a stage.
   *
   * @param bytes of activations of each layer that is offloaded, for a micro-batch
   * @param layers of the stage, more than that
   * @param copies rates of the copies
   */
  ActivationOffload(double[] bytes, int layers, HostCopies copies) {
    outPs = durations(bytes, copies.outSeconds());
    backPs = durations(bytes, copies.backSeconds());
    windows = new int[bytes.length];
    for (int copy = 0; copy < windows.length; copy++) {
      windows[copy] = layers / bytes.length * (copy + 1) - 1 + Math.min(copy + 1, layers % bytes.length);
    }
  }

  private static long[] durations(double[] bytes, double secondsPerByte) {
    return Arrays.stream(bytes).mapToLong(each -> Math.round(each * secondsPerByte * PS_PER_SECOND)).toArray();
  }

  /** Adds what follows the forward pass of a layer. */
  void forward(StageOps ops, int layer) {
    if (layer == 0 && outPs.length > 0) {
      ops.copy(outPs[0]);
    }
    int copy = Arrays.binarySearch(windows, layer);
    if (copy >= 0) {
      ops.joinCopies();
      if (copy + 1 < outPs.length) {
        ops.copy(outPs[copy + 1]);
      }
    }
  }

  /** Adds what goes before the backward pass of a layer. */
  void backward(StageOps ops, int layer) {
    int copy = Arrays.binarySearch(windows, layer);
    if (copy >= 0) {
      ops.joinCopies();
      ops.copy(backPs[copy]);
    }
    if (layer == 0 && backPs.length > 0) {
      ops.joinCopies();
    }
  }
}
