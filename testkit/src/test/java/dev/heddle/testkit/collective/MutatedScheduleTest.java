package dev.heddle.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.Step;
import dev.heddle.collective.StepKind;
import dev.heddle.collective.Verifier;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.RandomStream;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Schedules mutated at random, which the verifier must reject. */
class MutatedScheduleTest {
  private static final int SEEDS = 40;

  private static final class Draft {
    private final int block;
    private StepKind kind;
    private ChunkRange source;
    private ChunkRange target;
    private final List<Draft> after = new ArrayList<>();

    Draft(int block, Step step) {
      this.block = block;
      kind = step.kind();
      source = step.source().orElse(null);
      target = step.target().orElse(null);
    }
  }

  private enum Mutation {
    DROP {
      @Override
      boolean apply(List<Draft> steps, int at, Layout layout, int rank) {
        Draft gone = steps.remove(at);
        steps.forEach(step -> step.after.remove(gone));
        return true;
      }
    },
    DUPLICATE {
      @Override
      boolean apply(List<Draft> steps, int at, Layout layout, int rank) {
        if (steps.get(at).kind == StepKind.COPY) {
          return false;
        }
        steps.add(at, steps.get(at));
        return true;
      }
    },
    REDIRECT_TARGET {
      @Override
      boolean apply(List<Draft> steps, int at, Layout layout, int rank) {
        Draft step = steps.get(at);
        ChunkRange moved = step.target == null ? null : moved(step.target, layout, rank);
        step.target = moved == null ? step.target : moved;
        return moved != null;
      }
    },
    REDIRECT_SOURCE {
      @Override
      boolean apply(List<Draft> steps, int at, Layout layout, int rank) {
        Draft step = steps.get(at);
        ChunkRange moved = step.source == null ? null : moved(step.source, layout, rank);
        step.source = moved == null ? step.source : moved;
        return moved != null;
      }
    },
    REORDER {
      @Override
      boolean apply(List<Draft> steps, int at, Layout layout, int rank) {
        if (at + 1 == steps.size() || steps.get(at).block != steps.get(at + 1).block) {
          return false;
        }
        Draft first = steps.get(at);
        Draft second = steps.get(at + 1);
        boolean confused = first.kind == second.kind && first.kind != StepKind.COPY;
        if (confused) {
          steps.set(at, second);
          steps.set(at + 1, first);
        }
        return confused;
      }
    },
    REDUCE_TO_COPY {
      @Override
      boolean apply(List<Draft> steps, int at, Layout layout, int rank) {
        Draft step = steps.get(at);
        if (step.kind != StepKind.RECEIVE_REDUCE_COPY && step.kind != StepKind.RECEIVE_REDUCE_COPY_SEND) {
          return false;
        }
        step.kind = step.kind.sends() ? StepKind.RECEIVE_COPY_SEND : StepKind.RECEIVE;
        step.source = null;
        return true;
      }
    },
    COPY_TO_REDUCE {
      @Override
      boolean apply(List<Draft> steps, int at, Layout layout, int rank) {
        Draft step = steps.get(at);
        if (step.kind != StepKind.RECEIVE && step.kind != StepKind.RECEIVE_COPY_SEND) {
          return false;
        }
        step.kind = step.kind.sends() ? StepKind.RECEIVE_REDUCE_COPY_SEND : StepKind.RECEIVE_REDUCE_COPY;
        step.source = step.target;
        return true;
      }
    };

    /** Breaks a step; false where the step has nothing of the kind to break. */
    abstract boolean apply(List<Draft> steps, int at, Layout layout, int rank);

    private static ChunkRange moved(ChunkRange range, Layout layout, int rank) {
      int slots = layout.slots(rank, range.buffer());
      int slot = range.slot() + range.count() < slots ? range.slot() + 1 : range.slot() - 1;
      return slot < 0 ? null : new ChunkRange(range.buffer(), slot, range.count());
    }
  }

  @ParameterizedTest
  @MethodSource("dev.heddle.testkit.fixture.TextbookAlgorithms#schedules")
  void shouldRejectWhenScheduleIsBroken(Schedule schedule) {
    int broken = 0;
    for (long seed : Seeds.several(SEEDS).toArray()) {
      for (Mutation mutation : Mutation.values()) {
        RandomStream random = RandomStream.of(seed, "MutatedScheduleTest", mutation.name());
        int rank = random.nextInt(schedule.ranks());
        List<Draft> steps = drafts(schedule.steps(rank));
        int at = random.nextInt(steps.size());
        if (mutation.apply(steps, at, schedule.layout(), rank)) {
          broken++;
          assertThat(rejected(schedule, rank, steps))
              .as("%s at step %s of rank %s, seed %s\n%s", mutation, at, rank, seed, schedule.steps(rank))
              .isTrue();
        }
      }
    }
    assertThat(broken).as("schedules that were broken").isPositive();
  }

  private static boolean rejected(Schedule schedule, int broken, List<Draft> drafts) {
    List<RankSteps> ranks = new ArrayList<>();
    for (int rank = 0; rank < schedule.ranks(); rank++) {
      ranks.add(schedule.steps(rank));
    }
    try {
      ranks.set(broken, rebuilt(schedule.layout(), schedule.steps(broken), drafts));
    } catch (IllegalArgumentException e) {
      return true;
    }
    return !Verifier.withWindow(8).verify(Schedule.of("broken", schedule.layout(), ranks)).proved();
  }

  private static List<Draft> drafts(RankSteps steps) {
    List<Draft> drafts = new ArrayList<>();
    for (int step = 0; step < steps.size(); step++) {
      drafts.add(new Draft(steps.threadBlock(step), steps.step(step)));
    }
    for (int step = 0; step < steps.size(); step++) {
      for (int i = 0; i < steps.dependencies(step); i++) {
        drafts.get(step).after.add(drafts.get(steps.dependency(step, i)));
      }
    }
    return drafts;
  }

  private static RankSteps rebuilt(Layout layout, RankSteps like, List<Draft> drafts) {
    RankStepsBuilder steps = new RankStepsBuilder(layout, like.rank());
    for (int block = 0; block < like.threadBlocks(); block++) {
      steps.threadBlock(like.channel(block), like.sendPeer(block), like.receivePeer(block));
    }
    Map<Draft, Integer> numbers = new IdentityHashMap<>();
    List<Integer> added = new ArrayList<>();
    for (Draft draft : drafts) {
      int number = steps.step(draft.block, draft.kind, draft.source, draft.target);
      numbers.put(draft, number);
      added.add(number);
    }
    for (int i = 0; i < drafts.size(); i++) {
      for (Draft other : drafts.get(i).after) {
        steps.after(added.get(i), numbers.get(other));
      }
    }
    return steps.build();
  }
}
