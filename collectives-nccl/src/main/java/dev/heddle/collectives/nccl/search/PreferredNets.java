package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.env.NetdevsPolicy;
import dev.heddle.collectives.nccl.system.SystemPaths;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The order in which the search tries ports, best first: each GPU's own ports, then all others in reach, nearest first.
 */
final class PreferredNets {
  private final SystemPaths paths;
  private final NcclConfig config;
  private final Map<PathType, int[]> ofAll = new EnumMap<>(PathType.class);
  private final Map<PathType, int[][]> ofEach = new EnumMap<>(PathType.class);

  PreferredNets(SystemPaths paths, NcclConfig config) {
    this.paths = paths;
    this.config = config;
  }

  /**
   * The ports of all GPUs in order; callers must not change the array.
   *
   * @param worst worst type of path
   */
  int[] ofAll(PathType worst) {
    return ofAll.computeIfAbsent(worst, type -> of(type, 0, paths.graph().gpus()));
  }

  /**
   * The ports of each GPU in order; callers must not change the arrays.
   *
   * @param worst worst type of path
   */
  int[][] ofEach(PathType worst) {
    return ofEach.computeIfAbsent(worst, type -> IntStream.range(0, paths.graph().gpus())
        .mapToObj(gpu -> of(type, gpu, gpu + 1)).toArray(int[][]::new));
  }

  private int[] of(PathType worst, int first, int end) {
    Set<Integer> nets = new LinkedHashSet<>();
    for (int gpu = first; gpu < end; gpu++) {
      int own = paths.localNet(gpu, 0);
      nets.add(own);
      for (int channel = 1; channel < SystemPaths.MOST_CHANNELS && paths.localNet(gpu, channel) != own; channel++) {
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
