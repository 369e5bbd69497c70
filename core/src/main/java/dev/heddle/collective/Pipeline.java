package dev.heddle.collective;

import com.google.common.base.Preconditions;
import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import java.util.List;

/**
 * A channel of a collective as one fluid: a ring, a chain or a tree all of whose edges carry data at the same time and
 * at the same rate, because each forwards the data that it receives. At flow fidelity it shares the bandwidth of links
 * as a whole; at analytic fidelity its slowest link determines its time.
 *
 * <p>Its time is {@code bytes / rate} plus the time to fill the pipeline: {@code fill.fixedPs}, {@code fill.hops} times
 * the sum of all edges' latencies, and {@code fill.bytes} at the mean of the edges' uncontended times per byte.
 */
public final class Pipeline {
  private final ImmutableIntArray sources;
  private final ImmutableIntArray targets;
  private final long bytes;
  private final long messageBytes;
  private final Fill fill;
  private final Terms terms;

  /**
   * The time to fill a pipeline, in addition to the transfer of its bytes.
   *
   * @param hops mean number of crossings of each edge by a datum before the last one has arrived; at least 0
   * @param bytes that follow one another over the edges besides the slowest, which the pipeline's own bytes occupy, or
   * over all edges of a pipeline without bytes; at least 0
   * @param fixedPs software time along the path, in picoseconds; at least 0
   */
  public record Fill(double hops, long bytes, long fixedPs) {
    /** Checks that nothing is negative. */
    public Fill {
      Preconditions.checkArgument(hops >= 0 && bytes >= 0 && fixedPs >= 0,
          "filling takes at least nothing: %s hops, %s B, %s ps", hops, bytes, fixedPs);
    }
  }

  // Accesses are empty where all edges are copies, and rails where all edges take their terminals' own NICs.
  private record Terms(
      double limit, int phase, ImmutableList<MemoryAccess> accesses, ImmutableIntArray rails, boolean spreads,
      double onNetwork) {}

  private Pipeline(
      ImmutableIntArray sources, ImmutableIntArray targets, long bytes, long messageBytes, Fill fill, Terms terms) {
    this.sources = sources;
    this.targets = targets;
    this.bytes = bytes;
    this.messageBytes = messageBytes;
    this.fill = fill;
    this.terms = terms;
  }

  private Pipeline with(Terms other) {
    return new Pipeline(sources, targets, bytes, messageBytes, fill, other);
  }

  /**
   * Edges that carry the same data.
   *
   * @param sources terminal at which each edge begins
   * @param targets terminal at which each edge ends, another one
   * @param bytes that each edge carries, measured on the wire
   * @param messageBytes of one message over an edge, from which the links' overheads are computed
   * @param fill time to fill the pipeline
   * @throws IllegalArgumentException when the numbers of sources and targets differ, or bytes are negative
   */
  public static Pipeline of(
      ImmutableIntArray sources, ImmutableIntArray targets, long bytes, long messageBytes, Fill fill) {
    Preconditions.checkArgument(sources.length() == targets.length() && bytes >= 0 && messageBytes >= 0,
        "%s sources, %s targets and %s bytes in messages of %s make no pipeline", sources.length(), targets.length(),
        bytes, messageBytes);
    return new Pipeline(
        sources, targets, bytes, messageBytes, fill,
        new Terms(Double.POSITIVE_INFINITY, 0, ImmutableList.of(), ImmutableIntArray.of(), true, 1));
  }

  /**
   * The same pipeline with an upper bound on its rate, independent of the links.
   *
   * @param bytesPerPs of each edge, positive: the copy rate of a thread block, or the rate that a connection window
   * permits
   */
  public Pipeline limited(double bytesPerPs) {
    Preconditions.checkArgument(bytesPerPs > 0, "a pipeline's limit is positive: %s", bytesPerPs);
    return with(new Terms(bytesPerPs, terms.phase, terms.accesses, terms.rails, terms.spreads, terms.onNetwork));
  }

  /**
   * The same pipeline in a phase of the collective: it begins when all pipelines of the phase before have ended.
   *
   * @param number from 0; phases are numbered without a gap
   * @throws IllegalArgumentException when the number is negative
   */
  public Pipeline inPhase(int number) {
    Preconditions.checkArgument(number >= 0, "phases are numbered from 0: %s", number);
    return with(new Terms(terms.limit, number, terms.accesses, terms.rails, terms.spreads, terms.onNetwork));
  }

  /** The phase of the collective, from 0. */
  public int phase() {
    return terms.phase;
  }

  /**
   * The same pipeline with given memory accesses of its edges' messages.
   *
   * @param accesses one per edge
   */
  public Pipeline accessing(List<MemoryAccess> accesses) {
    Preconditions.checkArgument(accesses.size() == edges(), "%s accesses for %s edges", accesses.size(), edges());
    return with(
        new Terms(
            terms.limit, terms.phase, ImmutableList.copyOf(accesses), terms.rails, terms.spreads, terms.onNetwork));
  }

  /** The same pipeline with the rail ({@link MessageLabel#rail}) of each edge, or {@link RankSteps#NONE}. */
  public Pipeline onRails(ImmutableIntArray rails) {
    Preconditions.checkArgument(rails.length() == edges(), "%s rails for %s edges", rails.length(), edges());
    return with(new Terms(terms.limit, terms.phase, terms.accesses, rails, terms.spreads, terms.onNetwork));
  }

  /** The same pipeline with a single path between any two terminals, where paths are chosen by hash. */
  public Pipeline singlePath() {
    return with(new Terms(terms.limit, terms.phase, terms.accesses, terms.rails, false, terms.onNetwork));
  }

  /**
   * The same pipeline with more bytes on its edges between nodes: headers that their links do not count.
   *
   * @param perByte at least 1
   */
  public Pipeline withHeaders(double perByte) {
    Preconditions.checkArgument(
        perByte >= 1, "edges between nodes carry at least a pipeline's bytes, not %s times", perByte);
    return with(new Terms(terms.limit, terms.phase, terms.accesses, terms.rails, terms.spreads, perByte));
  }

  /** The bytes on edges between nodes per byte of the pipeline, at least 1. */
  public double interNodeBytesPerByte() {
    return terms.onNetwork;
  }

  /** Whether each edge takes a separate path. */
  public boolean multipath() {
    return terms.spreads;
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

  /** The memory access of an edge's messages. */
  public MemoryAccess access(int edge) {
    return terms.accesses.isEmpty() ? MemoryAccess.COPY : terms.accesses.get(edge);
  }

  /** The rail of an edge's messages, or {@link RankSteps#NONE}. */
  public int rail(int edge) {
    return terms.rails.isEmpty() ? RankSteps.NONE : terms.rails.get(edge);
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
    return terms.limit;
  }

  /** The time to fill the pipeline. */
  public Fill fill() {
    return fill;
  }

  @Override
  public String toString() {
    return edges() + " edges of " + bytes + " B";
  }
}
