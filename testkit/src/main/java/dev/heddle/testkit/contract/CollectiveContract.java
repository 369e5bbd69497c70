package dev.heddle.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.ScheduleCounts;
import dev.heddle.collective.Verdict;
import dev.heddle.collective.Verifier;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveCost;
import dev.heddle.spi.CollectiveRequest;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.RandomStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The rules of {@link CollectiveAlgorithm}: every schedule is proved, for many groups, sizes and roots, and counted
 * against the closed form.
 *
 * @param <S> the settings record
 */
public abstract class CollectiveContract<S extends Record> extends ProviderContract<S, CollectiveAlgorithm> {
  private static final List<Integer> RANKS = List.of(1, 2, 3, 4, 5, 7, 8, 12, 16);
  private static final List<Long> SIZES = List.of(0L, 1L, 1000L, 999_983L, 1L << 30);

  /** Whether the algorithm does an operation on a number of ranks. */
  protected abstract boolean serves(CollectiveOp op, int ranks);

  /** The numbers of ranks to try, of 1 to 1,024. */
  protected List<Integer> ranks() {
    return RANKS;
  }

  @Test
  void collective1ShouldPlanAlikeAtEveryCallAndInAnyOrder() {
    forAllServed((algorithm, request) -> {
      Schedule first = algorithm.plan(request);
      Schedule second = algorithm.plan(request);
      List<RankSteps> ascending = IntStream.range(0, first.ranks()).mapToObj(first::steps).toList();
      for (int rank = first.ranks() - 1; rank >= 0; rank--) {
        assertThat(second.steps(rank)).as("rank %s of %s", rank, second).isEqualTo(ascending.get(rank));
      }
      assertThat(second.layout()).isEqualTo(first.layout());
      assertThat(algorithm.cost(request)).isEqualTo(algorithm.cost(request));
    });
  }

  @Test
  void collective2ShouldPlanTheCollectiveThatWasAskedFor() {
    forAllServed((algorithm, request) -> {
      Schedule schedule = algorithm.plan(request);
      assertThat(schedule.collective()).isEqualTo(request.collective());
      for (int rank = 0; rank < schedule.ranks(); rank++) {
        assertThat(schedule.steps(rank).rank()).isEqualTo(rank);
      }
    });
  }

  @Test
  void collective3ShouldBeProvedWheneverServed() {
    forAllServed((algorithm, request) -> {
      Verdict verdict = Verifier.withWindow(algorithm.window()).verify(algorithm.plan(request));
      assertThat(verdict.findings()).as("%s", request.collective()).isEmpty();
    });
  }

  @Test
  void collective4ShouldRefuseInBothMethodsWhatItDoesNotServe() {
    for (S settings : settings()) {
      CollectiveAlgorithm algorithm = product(settings);
      for (int ranks : ranks()) {
        for (CollectiveOp op : CollectiveOp.values()) {
          if (!serves(op, ranks)) {
            CollectiveRequest request = request(collective(op, ranks, 1000, 0));
            String what = op.key() + " on " + ranks + " ranks";
            assertThatThrownBy(() -> algorithm.plan(request)).as("plan of %s", what)
                .isInstanceOf(InvalidSettingException.class).hasMessageContaining(op.key());
            assertThatThrownBy(() -> algorithm.cost(request)).as("cost of %s", what)
                .isInstanceOf(InvalidSettingException.class).hasMessageContaining(op.key());
          }
        }
      }
    }
  }

  @Test
  void collective6ShouldCostAtLeastWhatTheScheduleSends() {
    forAllServed((algorithm, request) -> {
      CollectiveCost cost = algorithm.cost(request);
      Schedule schedule = algorithm.plan(request);
      ScheduleCounts counts = ScheduleCounts.of(schedule);
      Verdict verdict = Verifier.withWindow(algorithm.window()).verify(schedule);
      assertThat(cost.rounds()).as("rounds of %s", request.collective()).isGreaterThanOrEqualTo(verdict.rounds());
      for (int rank = 0; rank < counts.ranks(); rank++) {
        long slack = counts.messages(rank) * (long) request.collective().elementBytes();
        assertThat(cost.bytes()).as("bytes of %s, rank %s", request.collective(), rank)
            .isGreaterThanOrEqualTo(counts.bytesSent(rank) - slack);
      }
    });
  }

  @Test
  void collective6ShouldNotCostLessWhenSizeGrows() {
    for (S settings : settings()) {
      CollectiveAlgorithm algorithm = product(settings);
      for (CollectiveOp op : CollectiveOp.values()) {
        if (op != CollectiveOp.ALL_TO_ALL_V && serves(op, 8)) {
          long before = 0;
          for (long bytes : SIZES) {
            long now = algorithm.cost(request(collective(op, 8, bytes, 0))).bytes();
            assertThat(now).as("bytes of %s of %s B", op, bytes).isGreaterThanOrEqualTo(before);
            before = now;
          }
        }
      }
    }
  }

  private interface Rule {
    void check(CollectiveAlgorithm algorithm, CollectiveRequest request);
  }

  private void forAllServed(Rule rule) {
    int checked = 0;
    for (S settings : settings()) {
      CollectiveAlgorithm algorithm = product(settings);
      for (int ranks : ranks()) {
        for (CollectiveOp op : CollectiveOp.values()) {
          if (serves(op, ranks)) {
            for (Collective collective : collectives(op, ranks)) {
              rule.check(algorithm, request(collective));
              checked++;
            }
          }
        }
      }
    }
    assertThat(checked).as("requests that are served").isPositive();
  }

  private static List<Collective> collectives(CollectiveOp op, int ranks) {
    List<Collective> collectives = new ArrayList<>();
    for (long bytes : SIZES) {
      collectives.add(collective(op, ranks, bytes, 0));
    }
    if (op.rooted()) {
      for (int root = 1; root < ranks; root++) {
        collectives.add(collective(op, ranks, 1000, root));
      }
    }
    return collectives;
  }

  private static Collective collective(CollectiveOp op, int ranks, long bytes, int root) {
    if (op == CollectiveOp.ALL_TO_ALL_V) {
      RandomStream random = RandomStream.of(Seeds.fixed(), "CollectiveContract", "pairs");
      long[][] pairs = new long[ranks][ranks];
      for (long[] row : pairs) {
        for (int i = 0; i < ranks; i++) {
          row[i] = random.nextInt((int) Math.min(bytes + 1, 1 << 20));
        }
      }
      return Collective.allToAllV(pairs);
    }
    Collective collective = Collective.of(op, ranks, bytes);
    return op.rooted() ? collective.withRoot(root) : collective;
  }

  private static CollectiveRequest request(Collective collective) {
    return new CollectiveRequest(
        collective, Group.ofFirst(collective.ranks()), Fabrics.oneNode(collective.ranks()));
  }
}
