package dev.heddle.collectives.nccl.timing;

import dev.heddle.collectives.nccl.Protocol;

/**
 * What is cut by what: the sizes of NCCL's buffers, of which its steps, chunks and slices are parts.
 *
 * @param simple buffer of a connection with Simple, bytes (NCCL_BUFFSIZE)
 * @param ll with LL, bytes on the wire (NCCL_LL_BUFFSIZE)
 * @param ll128 with LL128, bytes on the wire (NCCL_LL128_BUFFSIZE)
 * @param nvlsChunk largest chunk of NVLS and NVLSTree, bytes (NCCL_NVLS_CHUNKSIZE)
 * @param treesShrink whether chunks of trees with Simple shrink with the call, as before NCCL 2.21
 */
public record Buffers(long simple, long ll, long ll128, long nvlsChunk, boolean treesShrink) {
  /** NCCL's defaults from version 2.21. */
  public static final Buffers DEFAULT = new Buffers(4L << 20, 512L << 10, 4_915_200, 128L << 10, false);

  private static final int STEPS = 8;
  private static final int RING_CHUNK_STEPS = 4;

  /**
   * Checks that every step holds data.
   *
   * @throws IllegalArgumentException when one does not
   */
  public Buffers {
    if (simple < STEPS || ll < 2 * STEPS || ll128 < 2 * STEPS || nvlsChunk < 1) {
      throw new IllegalArgumentException(
          "buffers of " + simple + ", " + ll + ", " + ll128 + " and chunks of " + nvlsChunk + " bytes hold no step");
    }
  }

  /** The bytes on the wire per byte of data. */
  static double wirePerData(Protocol protocol) {
    return switch (protocol) {
      case LL -> 2;
      case LL128 -> 128.0 / 120;
      case SIMPLE -> 1;
    };
  }

  /** The data of a step. */
  long step(Protocol protocol) {
    return switch (protocol) {
      case LL -> ll / STEPS / 2;
      case LL128 -> ll128 / STEPS * 120 / 128;
      case SIMPLE -> simple / STEPS;
    };
  }

  /** The data of a rank's chunk in one loop of a ring. */
  long ringChunk(Protocol protocol, boolean rooted) {
    return step(protocol) * (protocol == Protocol.SIMPLE && !rooted ? RING_CHUNK_STEPS : 1);
  }

  /** The chunk of NVLS or NVLSTree: smaller for smaller calls, so that there are loops to overlap. */
  long nvlsChunk(long bytes, long concurrent, RankLayout layout, boolean tree) {
    long chunk = tree && layout.nodes() >= 4 ? Math.min(nvlsChunk, 64L << 10) : nvlsChunk;
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

  /** The chunk of a tree. */
  long treeChunk(Protocol protocol, long bytes, int channels, RankLayout layout) {
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

  private static long shrunk(long chunk, long bytes, double loops, long least) {
    long smaller = chunk;
    while (bytes / smaller < loops && smaller > least) {
      smaller /= 2;
    }
    return smaller;
  }
}
