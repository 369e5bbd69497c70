package dev.heddle.collective;

import com.google.common.primitives.ImmutableIntArray;
import java.util.Optional;

/**
 * One step of a rank, as a value for listings, exports and tests; {@link RankSteps} holds the same as arrays.
 *
 * @param kind of the step
 * @param source that it reads, if any
 * @param target that it writes, if any
 * @param dependencies steps of the same rank that must finish first, other than those before it in its thread block
 */
public record Step(
    StepKind kind, Optional<ChunkRange> source, Optional<ChunkRange> target, ImmutableIntArray dependencies) {
  /** The number of chunks that it moves; 0 when it only waits. */
  public int chunks() {
    return source.or(() -> target).map(ChunkRange::count).orElse(0);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(kind.letters());
    source.ifPresent(range -> text.append(' ').append(range));
    target.ifPresent(range -> text.append(" > ").append(range));
    return dependencies.isEmpty() ? text.toString() : text.append(" after ").append(dependencies).toString();
  }
}
