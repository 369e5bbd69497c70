package dev.heddle.standard.collective;

import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.spi.InvalidSettingException;
import java.util.Set;
import java.util.stream.Collectors;

/** Common parts of the standard algorithms. */
final class Shares {
  private Shares() {}

  /** {@code bytes * part / whole}, rounded up. */
  static long of(long bytes, long part, long whole) {
    long remainder = bytes % whole * part;
    return Math.addExact(Math.multiplyExact(bytes / whole, part), (remainder + whole - 1) / whole);
  }

  /** Refuses operations that an algorithm does not do. */
  static void require(String algorithm, CollectiveOp op, Set<CollectiveOp> served) {
    if (!served.contains(op)) {
      throw new InvalidSettingException("", algorithm + " does not do " + op.key() + "; it does "
          + served.stream().map(CollectiveOp::key).collect(Collectors.joining(", ")));
    }
  }

  /** The schedule of a single rank: copy its input to its output. */
  static Schedule singleRank(String algorithm, Layout layout) {
    return Schedule.planned(algorithm, layout, rank -> {
      RankStepsBuilder steps = new RankStepsBuilder(layout, rank);
      int chunks = layout.chunksPerBlock();
      steps.copy(
          steps.threadBlock(0, RankSteps.NONE, RankSteps.NONE), ChunkRange.input(0, chunks),
          ChunkRange.output(0, chunks));
      return steps.build();
    });
  }
}
