package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.env.NetdevsPolicy;
import dev.heddle.collectives.nccl.system.SystemPaths;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The order in which the search tries ports, best first: each GPU's own ports, then all others in reach, nearest first.
 */
final class PreferredNets {
  private static final int MOST_CHANNELS = 64;

  private PreferredNets() {}

  /**
   * The ports in order.
   *
   * @param worst worst type of path
   * @param only GPU for which ports are ordered; -1 for all GPUs
   */
  static int[] of(SystemPaths paths, NcclConfig config, PathType worst, int only) {
    Set<Integer> nets = new LinkedHashSet<>();
    int gpus = paths.graph().gpus();
    int first = only < 0 ? 0 : only;
    int end = only < 0 ? gpus : only + 1;
    for (int gpu = first; gpu < end; gpu++) {
      int own = paths.localNet(gpu, 0);
      nets.add(own);
      for (int channel = 1; channel < MOST_CHANNELS && paths.localNet(gpu, channel) != own; channel++) {
        nets.add(paths.localNet(gpu, channel));
      }
    }
    int perGpu = config.get(Environment.NETDEVS_POLICY).map(NetdevsPolicy::most).orElse(0);
    int most = perGpu == 0 ? Integer.MAX_VALUE : perGpu * (end - first);
    for (PathType type : PathType.values()) {
      for (int gpu = first; gpu < end && type.atMost(worst); gpu++) {
        for (int net = 0; net < paths.graph().nets() && nets.size() < most; net++) {
          if (paths.gpuToNet(gpu, net).type() == type) {
            nets.add(net);
          }
        }
      }
    }
    return nets.stream().mapToInt(Integer::intValue).toArray();
  }
}
