package dev.heddle.collective;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import java.util.List;

/**
 * A channel of a collective as one fluid: a ring, a chain or a tree all of whose edges carry data at the same time and at
 * the same rate, because each passes on what it receives. At flow fidelity it shares links as a whole; at analytic
 * fidelity the slowest link says how long it takes.
 *
 * <p>Its time is {@code bytes / rate}, then what filling takes: {@code fill.fixedPs}, {@code fill.hops} times the latency of every
 * edge summed up, and {@code fill.bytes} more at the rate that the slowest edge has alone.
 */
public final class Pipeline {
  private final ImmutableIntArray sources;
  private final ImmutableIntArray targets;
  private final long bytes;
  private final long messageBytes;
  private final double limit;
  private final int phase;
  private final Fill fill;
  // Per edge; empty where all are copies.
  private final ImmutableList<MemoryAccess> accesses;
  private final boolean spreads;

  /**
   * What a pipeline needs besides moving its bytes.
   *
   * @param hops how often, on average, a datum crosses each edge before the last one has arrived; at least 0
   * @param bytes that the last edge still carries when the first has done, in steps of the schedule; at least 0
   * @param fixedPs what software takes along the way, in picoseconds; at least 0
   */
  public record Fill(double hops, long bytes, long fixedPs) {
    /** Checks that nothing is negative. */
    public Fill {
      if (!(hops >= 0) || bytes < 0 || fixedPs < 0) {
        throw new IllegalArgumentException(
            "filling takes at least nothing: " + hops + " hops, " + bytes + " B, " + fixedPs + " ps");
      }
    }
  }

  private Pipeline(
      Pipeline other, double limit, int phase, ImmutableList<MemoryAccess> accesses, boolean spreads) {
    sources = other.sources;
    targets = other.targets;
    bytes = other.bytes;
    messageBytes = other.messageBytes;
    fill = other.fill;
    this.limit = limit;
    this.phase = phase;
    this.accesses = accesses;
    this.spreads = spreads;
  }

  private Pipeline(ImmutableIntArray sources, ImmutableIntArray targets, long[] sizes, Fill fill) {
    this.sources = sources;
    this.targets = targets;
    bytes = sizes[0];
    messageBytes = sizes[1];
    limit = Double.POSITIVE_INFINITY;
    phase = 0;
    this.fill = fill;
    accesses = ImmutableList.of();
    spreads = true;
  }

  /**
   * Edges that carry the same data.
   *
   * @param sources terminal at which each edge begins
   * @param targets terminal at which each edge ends, another one
   * @param bytes that each edge carries, as they are on the wire
   * @param messageBytes of one message over an edge: what the links' overheads are counted for
   * @param fill what is needed besides
   * @throws IllegalArgumentException when the numbers of sources and targets differ, or bytes are negative
   */
  public static Pipeline of(
      ImmutableIntArray sources, ImmutableIntArray targets, long bytes, long messageBytes, Fill fill) {
    if (sources.length() != targets.length() || bytes < 0 || messageBytes < 0) {
      throw new IllegalArgumentException(sources.length() + " sources, " + targets.length() + " targets and " + bytes
          + " bytes in messages of " + messageBytes + " make no pipeline");
    }
    return new Pipeline(sources, targets, new long[] {bytes, messageBytes}, fill);
  }

  /**
   * The same that moves no more than so much, whatever the links allow.
   *
   * @param bytesPerPs of each edge, positive: what a thread block can copy, or a window lets through
   */
  public Pipeline limited(double bytesPerPs) {
    if (!(bytesPerPs > 0)) {
      throw new IllegalArgumentException("a pipeline's limit is positive: " + bytesPerPs);
    }
    return new Pipeline(this, bytesPerPs, phase, accesses, spreads);
  }

  /**
   * The same in a phase of the collective: it begins when all pipelines of the phase before have ended.
   *
   * @param number from 0; phases are numbered without a gap
   * @throws IllegalArgumentException when the number is negative
   */
  public Pipeline inPhase(int number) {
    if (number < 0) {
      throw new IllegalArgumentException("phases are numbered from 0: " + number);
    }
    return new Pipeline(this, limit, number, accesses, spreads);
  }

  /** The phase of the collective, from 0. */
  public int phase() {
    return phase;
  }

  /**
   * The same whose edges' messages access memories in given ways.
   *
   * @param ways one per edge
   */
  public Pipeline accessing(List<MemoryAccess> ways) {
    if (ways.size() != edges()) {
      throw new IllegalArgumentException(ways.size() + " ways to access memory for " + edges() + " edges");
    }
    return new Pipeline(this, limit, phase, ImmutableList.copyOf(ways), spreads);
  }

  /** The same all of whose edges between the same two terminals take one route, where routes are chosen by hash. */
  public Pipeline onOneRoute() {
    return new Pipeline(this, limit, phase, accesses, false);
  }

  /** Whether each edge takes a route of its own. */
  public boolean spreads() {
    return spreads;
  }

  /** The number of edges. */
  public int edges() {
    return sources.length();
  }

  /** The terminal at which an edge begins. */
  public int source(int edge) {
    return sources.get(edge);
  }

  /** The terminal at which an edge ends. */
  public int target(int edge) {
    return targets.get(edge);
  }

  /** What an edge's messages do to the memories at its ends. */
  public MemoryAccess access(int edge) {
    return accesses.isEmpty() ? MemoryAccess.COPY : accesses.get(edge);
  }

  /** The bytes that each edge carries. */
  public long bytes() {
    return bytes;
  }

  /** The bytes of one message. */
  public long messageBytes() {
    return messageBytes;
  }

  /** The most that each edge carries in bytes per picosecond; infinite without a limit. */
  public double limit() {
    return limit;
  }

  /** What is needed besides moving the bytes. */
  public Fill fill() {
    return fill;
  }

  @Override
  public String toString() {
    return edges() + " edges of " + bytes + " B";
  }
}
