package dev.heddle.collectives.nccl.timing;

import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import java.util.OptionalLong;

/**
 * Sizes of NCCL's buffers, and of the steps, chunks and slices into which they divide data.
 *
 * @param simple buffer of a connection with Simple, bytes (NCCL_BUFFSIZE)
 * @param ll buffer with LL, bytes on the wire (NCCL_LL_BUFFSIZE)
 * @param ll128 buffer with LL128, bytes on the wire (NCCL_LL128_BUFFSIZE)
 * @param nvls chunks of NVLS and NVLSTree
 * @param treesShrink whether chunks of trees with Simple shrink with the call, as before NCCL 2.21 and in RCCL
 */
public record Buffers(long simple, long ll, long ll128, NvlsChunks nvls, boolean treesShrink) {
  /** The default sizes since NCCL 2.21. */
  public static final Buffers DEFAULT =
      new Buffers(4L << 20, 512L << 10, 4_915_200, new NvlsChunks(128L << 10, OptionalLong.empty()), false);

  /** The least slice of a ring with Simple, bytes; a smaller chunk is one slice. */
  public static final long LEAST_SLICE = 32L << 10;

  private static final long FEW_NODES_CHUNK = 64L << 10;
  private static final int FEW_NODES = 4;
  private static final long CHAIN_CHUNK = 256L << 10;
  /** The number of steps of a connection's buffer. */
  public static final int STEPS = 8;
  private static final int RING_CHUNK_STEPS = 4;
  private static final int RING_SLICE_STEPS = 2;
  private static final long LL_RING_THREADS = 512;
  private static final long LL128_RING_THREADS = 640;
  private static final long LL_TREE_THREADS = 154;
  private static final long LL128_TREE_THREADS = 192;

  /**
   * The largest chunks of NVLS.
   *
   * @param chunk of NVLS, bytes, at least 1 (NCCL_NVLS_CHUNKSIZE)
   * @param treeMost chunk of NVLSTree, bytes (NCCL_NVLSTREE_MAX_CHUNKSIZE); absent: as for NVLS, or 64 KiB from four
   *     nodes on
   */
  public record NvlsChunks(long chunk, OptionalLong treeMost) {
    private long of(boolean tree, int nodes) {
      long standard = nodes >= FEW_NODES ? FEW_NODES_CHUNK : chunk;
      return tree ? Math.min(chunk, treeMost.orElse(standard)) : chunk;
    }
  }

  /** The buffers of a configuration. */
  public static Buffers of(NcclConfig config) {
    NvlsChunks nvls = new NvlsChunks(
        config.get(Environment.NVLS_CHUNKSIZE),
        config.get(Environment.NVLSTREE_MAX_CHUNKSIZE).map(OptionalLong::of).orElse(OptionalLong.empty()));
    return new Buffers(
        config.get(Environment.BUFFSIZE),
        config.get(Environment.LL_BUFFSIZE).map(Long::valueOf).orElse(DEFAULT.ll()),
        config.get(Environment.LL128_BUFFSIZE).map(Long::valueOf).orElse(DEFAULT.ll128()), nvls,
        !config.version().since(21));
  }

  /**
   * The buffers of a configuration of RCCL, all of whose versions shrink the chunks of trees [ROCm/rocm-systems
   * 005e1bb074, projects/rccl/src/enqueue.cc].
   */
  static Buffers ofRccl(NcclConfig config) {
    Buffers own = of(config);
    return new Buffers(own.simple, own.ll, own.ll128, own.nvls, true);
  }

  /**
   * Checks that every step holds data.
   *
   * @throws IllegalArgumentException when a buffer is too small
   */
  public Buffers {
    if (simple < STEPS || ll < 2 * STEPS || ll128 < 2 * STEPS) {
      throw new IllegalArgumentException(
          "buffers of " + simple + ", " + ll + " and " + ll128 + " bytes hold no step");
    }
  }

  /** The ratio of bytes on the wire to bytes of data. */
  public static double wirePerData(Protocol protocol) {
    return switch (protocol) {
      case LL -> 2;
      case LL128 -> 128.0 / 120;
      case SIMPLE -> 1;
    };
  }

  /** The size of a step, bytes of data. */
  public long step(Protocol protocol) {
    return switch (protocol) {
      case LL -> ll / STEPS / 2;
      case LL128 -> ll128 / STEPS * 120 / 128;
      case SIMPLE -> simple / STEPS;
    };
  }

  /**
   * The data that the threads of one direction of a tree send before they wait for more: less than a chunk with the LL
   * protocols, bytes.
   */
  public static long treePass(Protocol protocol) {
    return pass(protocol, LL_TREE_THREADS, LL128_TREE_THREADS);
  }

  /**
   * The data that the threads of a ring send before they wait for more: less than a chunk with the LL protocols, bytes.
   */
  public static long ringPass(Protocol protocol) {
    return pass(protocol, LL_RING_THREADS, LL128_RING_THREADS);
  }

  // The data of all threads in one pass; a thread handles 8 bytes with LL and 60 with LL128 [NCCL,
  // device/prims_ll128.h].
  private static long pass(Protocol protocol, long threads, long threadsOf128) {
    return switch (protocol) {
      case LL -> threads * 8;
      case LL128 -> threadsOf128 * 60;
      case SIMPLE -> Long.MAX_VALUE;
    };
  }

  /** The chunk of a rank in one loop of a ring, bytes. */
  public long ringChunk(Protocol protocol, boolean rooted) {
    return step(protocol) * (protocol == Protocol.SIMPLE && !rooted ? RING_CHUNK_STEPS : 1);
  }

  /**
   * The number of slices that a connection's buffer holds: a slice of a ring with Simple has two steps, except in
   * chains.
   */
  public static int window(Algorithm algorithm, Protocol protocol, boolean rooted) {
    return algorithm == Algorithm.RING && protocol == Protocol.SIMPLE && !rooted ? STEPS / RING_SLICE_STEPS : STEPS;
  }

  /** The chunk of NVLS or NVLSTree, bytes: smaller for smaller calls, so that several loops overlap. */
  public long nvlsChunk(long bytes, long concurrent, RankLayout layout, boolean tree) {
    long chunk = nvls.of(tree, layout.nodes());
    int[][] steps = tree
        ? new int[][] {{32, 256}, {16, 128}, {4, 64}, {1, 32}}
        : new int[][] {{64, 64}, {8, 32}, {2, 16}};
    for (int[] step : steps) {
      if (bytes < step[0] * concurrent * chunk && chunk > (long) step[1] << 10) {
        chunk = (long) step[1] << 10;
      }
    }
    return chunk;
  }

  /** The chunk of a tree, bytes. */
  public long treeChunk(Protocol protocol, long bytes, int channels, RankLayout layout) {
    long chunk = step(protocol);
    if (protocol == Protocol.LL128) {
      double steps = (1 + layout.levels() + .1 * layout.perNode()) / layout.perNode();
      return shrunk(shrunk(chunk, bytes / channels, 64 * steps, 128L << 10), bytes / channels, 16 * steps, 32L << 10);
    }
    if (protocol == Protocol.SIMPLE && treesShrink) {
      int depth = layout.perNode() - 1 + layout.levels() + (layout.networked() ? 1 : 0);
      chunk = shrunk(chunk, bytes / channels, 8 * depth, 128L << 10);
      chunk = shrunk(chunk, bytes / channels, 4 * depth, 64L << 10);
      chunk = shrunk(chunk, bytes / channels, depth, 32L << 10);
    }
    return chunk;
  }

  /**
   * The chunk of CollNetDirect or CollNetChain, bytes.
   *
   * @param lines number of parts of the data: heads on all channels for CollNetDirect, channels for CollNetChain
   */
  public long collNetChunk(boolean direct, long bytes, int lines, RankLayout layout) {
    int depth = direct ? Math.min(2, layout.perNode()) : layout.perNode();
    long most = step(Protocol.SIMPLE);
    long part = bytes / lines;
    long chunk = shrunk(direct ? most : Math.min(CHAIN_CHUNK, most), part, 64 * depth, 128L << 10);
    chunk = shrunk(chunk, part, 8 * depth, 64L << 10);
    return shrunk(chunk, part, (direct ? 8 : 1) * depth, 32L << 10);
  }

  private static long shrunk(long chunk, long bytes, double loops, long least) {
    long smaller = chunk;
    while (bytes / smaller < loops && smaller > least) {
      smaller /= 2;
    }
    return smaller;
  }
}
