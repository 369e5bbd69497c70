package dev.heddle.collectives.nccl.tuner;

import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import java.util.List;

/** The number of channels and threads of a call: fewer of both as long as each thread would have little data. */
final class Shapes {
  private static final int WARP = 32;
  private static final int LEAST_WARPS = 3;
  private static final int MOST_THREADS = 640;
  private static final int SIMPLE_THREADS = 512;
  private static final int SLOW_THREADS = 256;
  private static final double SLOW_GIGABYTES = 12;

  private final CommunicatorTopology channels;
  private final NcclConfig config;
  private final List<Summary> graphs;

  Shapes(CommunicatorTopology channels, List<Summary> graphs) {
    this.channels = channels;
    this.graphs = graphs;
    config = channels.config();
  }

  Candidate.Shape of(Call call, Algorithm algorithm, Protocol protocol) {
    int most = channels.count();
    int threads = threads(algorithm, protocol);
    long threshold = threshold(algorithm, protocol);
    switch (algorithm) {
      case NVLS, NVLS_TREE :
        boolean bounded = algorithm == Algorithm.NVLS && channels.placement().nodes() > 1;
        int nvls = Math.max(1, channels.nvlsChannels());
        return new Candidate.Shape(bounded ? Math.min(nvls, most) : nvls, MOST_THREADS);
      case COLLNET_DIRECT :
        return new Candidate.Shape(collNetChannels(call.bytes(), most, threads, threshold), threads);
      default :
        int count = most;
        while (count > 1 && call.bytes() < count * threads * threshold) {
          count--;
        }
        while (threads % 128 == 0 && call.bytes() < count * threads * threshold) {
          threads /= 2;
        }
        return new Candidate.Shape(count, launched(algorithm, protocol, threads));
    }
  }

  // The number of threads that a kernel starts: rings have one more warp for synchronisation; trees and PAT use all.
  private static int launched(Algorithm algorithm, Protocol protocol, int threads) {
    if (algorithm == Algorithm.TREE || algorithm == Algorithm.PAT) {
      return MOST_THREADS;
    }
    int synchronising = protocol == Protocol.SIMPLE && algorithm == Algorithm.RING ? WARP : 0;
    return Math.max(LEAST_WARPS * WARP, threads + synchronising);
  }

  // The channels of CollNetDirect: reduced to 16, then 8 and so on, with half the threshold below one and a half times
  // each number.
  private static int collNetChannels(long bytes, int most, int threads, long initialThreshold) {
    int count = most;
    long threshold = initialThreshold;
    for (int level = 16; level >= 1; level /= 2) {
      while (count > level && bytes < count * threads * threshold) {
        if (count == level + level / 2) {
          threshold /= 2;
        }
        count--;
      }
      if (count > level) {
        break;
      }
    }
    return count;
  }

  private int threads(Algorithm algorithm, Protocol protocol) {
    if (algorithm != Algorithm.RING && algorithm != Algorithm.TREE) {
      return MOST_THREADS;
    }
    if (protocol == Protocol.LL128) {
      return config.get(Environment.LL128_NTHREADS).orElse(MOST_THREADS);
    }
    Summary ring = graphs.get(Algorithm.RING.ordinal());
    boolean slow = protocol == Protocol.SIMPLE && algorithm == Algorithm.RING
        && ring.intra() * ring.channels() <= SLOW_GIGABYTES;
    return config.get(Environment.NTHREADS).orElse(slow ? SLOW_THREADS : SIMPLE_THREADS);
  }

  private long threshold(Algorithm algorithm, Protocol protocol) {
    boolean ring = algorithm == Algorithm.RING;
    if (algorithm.collNet()) {
      return 512;
    }
    int standard = protocol == Protocol.SIMPLE ? 64
        : protocol == Protocol.LL && ring ? 8 * channels.placement().ranks() : 8;
    if (!ring && algorithm != Algorithm.TREE) {
      return standard;
    }
    return config.get(Environment.THREAD_THRESHOLDS).map(given -> given.of(ring, protocol).orElse(standard))
        .orElse(standard);
  }
}
