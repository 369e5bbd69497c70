package dev.heddle.collectives.nccl.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.ScheduleCounts;
import dev.heddle.collective.Verifier;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of rings whose ranks send to the next one through another. */
class RelayedRingsTest {
  private static final int WINDOW = 4;

  /** Rings in ascending and descending order; every fourth rank sends through the rank behind its next. */
  private record Relayed(int channels, int ranks) implements Rings {
    @Override
    public int position(int channel, int rank) {
      return channel % 2 == 0 ? rank : ranks - 1 - rank;
    }

    @Override
    public int rank(int channel, int place) {
      return position(channel, place);
    }

    @Override
    public int relay(int channel, int rank) {
      return position(channel, rank) % 4 == channel % 2 ? behind(channel, rank, -2) : rank;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5, 8, 16})
  void shouldBeProvedWhenRanksOfRingsSendThroughOthers(int ranks) {
    Rings rings = new Relayed(3, ranks);
    for (CollectiveOp op : List.of(CollectiveOp.ALL_REDUCE, CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER,
        CollectiveOp.BROADCAST, CollectiveOp.REDUCE)) {
      for (long bytes : new long[] {0, 1, 1000, 999_983}) {
        for (int loops : new int[] {1, 3}) {
          Schedule schedule = RingSteps.schedule(rings, Collective.of(op, ranks, bytes, (int) (bytes % ranks)), loops);
          assertThat(Verifier.withWindow(WINDOW).verify(schedule).findings()).as("%s of %s B", op, bytes).isEmpty();
          if (!op.rooted() && bytes >= 1000) {
            assertThat(ScheduleCounts.of(schedule).bytes(0, 2)).as("%s of %s B", op, bytes).isPositive();
          }
        }
      }
    }
  }
}
