package dev.heddle.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.ScheduleCounts;
import dev.heddle.collective.Verifier;
import dev.heddle.collective.Verifier.Verdict;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.testkit.fixture.CollectiveRequest;
import dev.heddle.testkit.fixture.TextbookAlgorithms;
import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** Messages, bytes and rounds against the formulas of Thakur, Rabenseifner and Gropp (2005), for sizes that divide. */
class TextbookCountsTest {
  private static final long BYTES = 16 * 9 * 7 * 5 * 8L;

  private static ScheduleCounts counts(CollectiveAlgorithm algorithm, CollectiveOp op, int ranks) {
    return ScheduleCounts.of(TextbookAlgorithms.request(Collective.of(op, ranks, BYTES)).schedule(algorithm));
  }

  private static void assertRounds(CollectiveAlgorithm algorithm, CollectiveOp op, int ranks, int rounds) {
    CollectiveRequest request = TextbookAlgorithms.request(Collective.of(op, ranks, BYTES));
    assertThat(request.verdict(algorithm).rounds()).as("%s", request.schedule(algorithm)).isEqualTo(rounds);
  }

  @Test
  void shouldSendTwiceAllButOnePartWhenRingReducesToAll() {
    for (int ranks : new int[] {2, 3, 5, 8, 9}) {
      for (int channels : new int[] {1, 2}) {
        ScheduleCounts counts = counts(TextbookAlgorithms.ring(channels), CollectiveOp.ALL_REDUCE, ranks);
        for (int rank = 0; rank < ranks; rank++) {
          assertThat(counts.messages(rank)).isEqualTo(channels * 2 * (ranks - 1));
          assertThat(counts.bytesSent(rank)).isEqualTo(2 * (ranks - 1) * BYTES / ranks);
          assertThat(counts.bytes(rank, (rank + 1) % ranks)).isEqualTo(counts.bytesSent(rank));
          assertThat(counts.bytesReduced(rank)).isEqualTo((ranks - 1) * BYTES / ranks);
        }
        assertThat(counts.channels()).isEqualTo(channels);
      }
      assertRounds(TextbookAlgorithms.ring(1), CollectiveOp.ALL_REDUCE, ranks, 2 * (ranks - 1));
    }
  }

  @Test
  void shouldSendAllButOnePartWhenRingGathersOrScatters() {
    for (CollectiveOp op : new CollectiveOp[] {CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER}) {
      ScheduleCounts counts = counts(TextbookAlgorithms.ring(2), op, 7);
      for (int rank = 0; rank < 7; rank++) {
        assertThat(counts.messages(rank)).isEqualTo(2 * 6);
        assertThat(counts.bytesSent(rank)).isEqualTo(6 * BYTES / 7);
      }
      assertRounds(TextbookAlgorithms.ring(1), op, 7, 6);
    }
  }

  @Test
  void shouldSendEachPieceOncePerLinkWhenRingBroadcastsOrReduces() {
    for (CollectiveOp op : new CollectiveOp[] {CollectiveOp.BROADCAST, CollectiveOp.REDUCE}) {
      ScheduleCounts counts = counts(TextbookAlgorithms.ring(1), op, 5);
      assertThat(counts.messages()).isEqualTo(4 * 4);
      assertThat(counts.bytesSent()).isEqualTo(4 * BYTES);
      assertRounds(TextbookAlgorithms.ring(1), op, 5, 4);
    }
  }

  @Test
  void shouldTakeLogarithmicRoundsWhenRanksDouble() {
    ScheduleCounts doubling = counts(TextbookAlgorithms.recursiveDoubling(), CollectiveOp.ALL_REDUCE, 16);
    ScheduleCounts halving = counts(TextbookAlgorithms.halvingDoubling(), CollectiveOp.ALL_REDUCE, 16);
    for (int rank = 0; rank < 16; rank++) {
      assertThat(doubling.messages(rank)).isEqualTo(4);
      assertThat(doubling.bytesSent(rank)).isEqualTo(4 * BYTES);
      assertThat(halving.messages(rank)).isEqualTo(8);
      assertThat(halving.bytesSent(rank)).isEqualTo(2 * 15 * BYTES / 16);
      assertThat(halving.bytesReduced(rank)).isEqualTo(15 * BYTES / 16);
    }
    assertRounds(TextbookAlgorithms.recursiveDoubling(), CollectiveOp.ALL_REDUCE, 16, 4);
    assertRounds(TextbookAlgorithms.halvingDoubling(), CollectiveOp.ALL_REDUCE, 16, 8);
    assertRounds(TextbookAlgorithms.halvingDoubling(), CollectiveOp.REDUCE_SCATTER, 16, 4);
    assertRounds(TextbookAlgorithms.recursiveDoubling(), CollectiveOp.ALL_REDUCE, 15, 3 + 2);
    assertRounds(TextbookAlgorithms.halvingDoubling(), CollectiveOp.ALL_REDUCE, 15, 6 + 2);
  }

  @Test
  void shouldTakeLogarithmicRoundsWhenTreeIsBinomial() {
    for (CollectiveOp op : new CollectiveOp[] {CollectiveOp.BROADCAST, CollectiveOp.REDUCE}) {
      for (int ranks : new int[] {2, 3, 5, 8, 9, 16}) {
        ScheduleCounts counts = counts(TextbookAlgorithms.binomialTree(), op, ranks);
        assertThat(counts.messages()).as("a message per edge of the tree").isEqualTo(ranks - 1);
        assertThat(counts.bytesSent()).isEqualTo((ranks - 1) * BYTES);
      }
      assertRounds(TextbookAlgorithms.binomialTree(), op, 16, 4);
      assertRounds(TextbookAlgorithms.binomialTree(), op, 8, 3);
    }
    ScheduleCounts scatter = counts(TextbookAlgorithms.binomialTree(), CollectiveOp.SCATTER, 8);
    assertThat(scatter.bytesSent(0)).isEqualTo(7 * BYTES / 8);
    assertThat(scatter.bytesSent()).isEqualTo(3 * BYTES / 2);
  }

  @Test
  void shouldSendEveryPairItsPartWhenDirect() {
    ScheduleCounts counts = counts(TextbookAlgorithms.direct(2), CollectiveOp.ALL_TO_ALL, 9);
    for (int from = 0; from < 9; from++) {
      for (int to = 0; to < 9; to++) {
        assertThat(counts.bytes(from, to)).isEqualTo(from == to ? 0 : BYTES / 9);
      }
    }
    assertRounds(TextbookAlgorithms.direct(2), CollectiveOp.ALL_TO_ALL, 9, 1);
  }

  @Test
  void shouldProveQuicklyWhenRingsAreLarge() {
    Assertions.assertTimeout(Duration.ofSeconds(10), () -> {
      for (Schedule schedule : new Schedule[] {
          TextbookAlgorithms.request(Collective.of(CollectiveOp.ALL_REDUCE, 256, 1 << 30))
              .schedule(TextbookAlgorithms.ring(1)),
          TextbookAlgorithms.request(Collective.of(CollectiveOp.ALL_REDUCE, 64, 1 << 30))
              .schedule(TextbookAlgorithms.ring(8)),
          TextbookAlgorithms.request(Collective.of(CollectiveOp.ALL_TO_ALL, 256, 1 << 30))
              .schedule(TextbookAlgorithms.direct(1))
      }) {
        Verdict verdict = Verifier.withWindow(2).verify(schedule);
        assertThat(verdict.findings()).isEmpty();
      }
    });
  }

  @Test
  void shouldPlanOneRankOnlyWhenOneIsAskedFor() {
    Schedule schedule = TextbookAlgorithms.request(Collective.of(CollectiveOp.ALL_REDUCE, 4096, 1L << 32))
        .schedule(TextbookAlgorithms.ring(1));
    assertThat(schedule.steps(4095).size()).isEqualTo(2 * 4095 + 1);
  }
}
