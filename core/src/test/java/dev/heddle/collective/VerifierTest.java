package dev.heddle.collective;

import static dev.heddle.collective.ChunkRange.input;
import static dev.heddle.collective.ChunkRange.output;
import static dev.heddle.collective.ChunkRange.scratch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.collective.Verifier.Finding;
import dev.heddle.collective.Verifier.Finding.Fault;
import dev.heddle.collective.Verifier.Verdict;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class VerifierTest {
  private static final Layout PAIR = Layout.of(Collective.of(CollectiveOp.ALL_REDUCE, 2, 1000), 1);

  // Two ranks exchange their chunk and add: one thread block each.
  private static RankSteps exchange(int rank) {
    RankStepsBuilder steps = new RankStepsBuilder(PAIR, rank);
    int block = steps.threadBlock(0, 1 - rank, 1 - rank);
    steps.send(block, input(0, 1));
    steps.step(block, StepKind.RECEIVE_REDUCE_COPY, input(0, 1), output(0, 1));
    return steps.build();
  }

  private static RankSteps rank(Layout layout, int rank, Consumer<RankStepsBuilder> what) {
    RankStepsBuilder steps = new RankStepsBuilder(layout, rank);
    what.accept(steps);
    return steps.build();
  }

  private static Verdict verify(Layout layout, RankSteps... steps) {
    return Verifier.strict().verify(Schedule.of("test", layout, List.of(steps)));
  }

  private static void assertFault(Verdict verdict, Fault fault, int rank, int step) {
    assertThat(verdict.proved()).isFalse();
    Finding first = verdict.findings().get(0);
    assertThat(first.fault()).as("%s", verdict.findings()).isEqualTo(fault);
    assertThat(List.of(first.rank(), first.step())).as("%s", first).containsExactly(rank, step);
  }

  @Test
  void shouldProveWhenRanksExchangeAndAdd() {
    Verdict verdict = verify(PAIR, exchange(0), exchange(1));
    assertThat(verdict.findings()).isEmpty();
    assertThat(verdict.rounds()).isEqualTo(1);
  }

  @Test
  void shouldFindWrongResultWhenContributionIsMissing() {
    RankSteps forgetful = rank(PAIR, 1, steps -> {
      int block = steps.threadBlock(0, 0, 0);
      steps.send(block, input(0, 1));
      steps.receive(block, output(0, 1));
    });
    Verdict verdict = verify(PAIR, exchange(0), forgetful);
    assertFault(verdict, Fault.WRONG_RESULT, 1, 1);
    assertThat(verdict.findings().get(0).message()).contains("missing: chunk 0 of rank 1");
  }

  @Test
  void shouldFindWrongResultWhenContributionCountsTwice() {
    RankSteps eager = rank(PAIR, 1, steps -> {
      int block = steps.threadBlock(0, 0, 0);
      steps.send(block, input(0, 1));
      steps.step(block, StepKind.RECEIVE_REDUCE_COPY, input(0, 1), output(0, 1));
      steps.step(block, StepKind.REDUCE, input(0, 1), output(0, 1));
    });
    Verdict verdict = verify(PAIR, exchange(0), eager);
    assertFault(verdict, Fault.WRONG_RESULT, 1, 2);
    assertThat(verdict.findings().get(0).message()).contains("too much: chunk 0 of rank 1");
  }

  @Test
  void shouldFindWrongResultWhenOutputIsNeverWritten() {
    RankSteps idle = rank(PAIR, 1, steps -> {
      int block = steps.threadBlock(0, 0, 0);
      steps.send(block, input(0, 1));
      steps.step(block, StepKind.RECEIVE_REDUCE_SEND, input(0, 1), null);
    });
    RankSteps doubled = rank(PAIR, 0, steps -> {
      int block = steps.threadBlock(0, 1, 1);
      steps.send(block, input(0, 1));
      steps.step(block, StepKind.RECEIVE_REDUCE_COPY, input(0, 1), output(0, 1));
      steps.receive(block, output(0, 1));
    });
    assertFault(verify(PAIR, doubled, idle), Fault.WRONG_RESULT, 1, RankSteps.NONE);
  }

  @Test
  void shouldFindUnmatchedSendWhenNobodyReceives() {
    RankSteps talkative = rank(PAIR, 1, steps -> {
      int block = steps.threadBlock(0, 0, 0);
      steps.send(block, input(0, 1));
      steps.step(block, StepKind.RECEIVE_REDUCE_COPY, input(0, 1), output(0, 1));
      steps.send(block, output(0, 1));
    });
    assertFault(verify(PAIR, exchange(0), talkative), Fault.UNMATCHED_SEND, 1, 2);
  }

  @Test
  void shouldFindUnmatchedReceiveWhenNobodySends() {
    RankSteps silent = rank(PAIR, 1, steps -> steps.receive(steps.threadBlock(0, -1, 0), output(0, 1)));
    assertFault(verify(PAIR, exchange(0), silent), Fault.UNMATCHED_RECEIVE, 0, 1);
  }

  @Test
  void shouldFindUnmatchedSendWhenChannelsDiffer() {
    RankSteps elsewhere = rank(PAIR, 1, steps -> {
      int block = steps.threadBlock(1, 0, 0);
      steps.send(block, input(0, 1));
      steps.step(block, StepKind.RECEIVE_REDUCE_COPY, input(0, 1), output(0, 1));
    });
    assertFault(verify(PAIR, exchange(0), elsewhere), Fault.UNMATCHED_SEND, 0, 0);
  }

  @Test
  void shouldFindDeadlockWhenAllReceiveFirst() {
    RankSteps[] waiting = IntStream.range(0, 2).mapToObj(r -> rank(PAIR, r, steps -> {
      int block = steps.threadBlock(0, 1 - r, 1 - r);
      steps.step(block, StepKind.RECEIVE_REDUCE_COPY, input(0, 1), output(0, 1));
      steps.send(block, input(0, 1));
    })).toArray(RankSteps[]::new);
    Verdict verdict = verify(PAIR, waiting);
    assertFault(verdict, Fault.DEADLOCK, 0, 0);
    assertThat(verdict.findings().get(0).message()).contains("rank 0 step 0 waits for a message of rank 1");
  }

  @Test
  void shouldFindDeadlockWhenDependenciesFormCycle() {
    Layout alone = Layout.of(Collective.of(CollectiveOp.ALL_REDUCE, 1, 10), 2);
    RankSteps cycle = rank(alone, 0, steps -> {
      int first = steps.copy(steps.threadBlock(0, -1, -1), input(0, 1), output(0, 1));
      int second = steps.copy(steps.threadBlock(0, -1, -1), input(1, 1), output(1, 1));
      steps.after(first, second);
      steps.after(second, first);
    });
    assertFault(verify(alone, cycle), Fault.DEADLOCK, 0, 0);
  }

  @Test
  void shouldEndOnlyWithLargerWindowWhenTwoAreSentBeforeAnyIsReceived() {
    Layout two = Layout.of(Collective.of(CollectiveOp.ALL_REDUCE, 2, 1000), 2);
    List<RankSteps> greedy = IntStream.range(0, 2).mapToObj(r -> rank(two, r, steps -> {
      int block = steps.threadBlock(0, 1 - r, 1 - r);
      steps.send(block, input(0, 1));
      steps.send(block, input(1, 1));
      steps.step(block, StepKind.RECEIVE_REDUCE_COPY, input(0, 1), output(0, 1));
      steps.step(block, StepKind.RECEIVE_REDUCE_COPY, input(1, 1), output(1, 1));
    })).toList();
    Schedule schedule = Schedule.of("greedy", two, greedy);
    assertFault(Verifier.strict().verify(schedule), Fault.DEADLOCK, 0, 1);
    assertThat(Verifier.withWindow(2).verify(schedule).findings()).isEmpty();
  }

  @Test
  void shouldFindReadBeforeWriteWhenScratchIsEmpty() {
    Layout layout = PAIR.withScratch(1000);
    RankSteps hasty = rank(layout, 0, steps -> {
      int block = steps.threadBlock(0, 1, 1);
      steps.send(block, scratch(0, 1));
      steps.step(block, StepKind.RECEIVE_REDUCE_COPY, input(0, 1), output(0, 1));
    });
    assertFault(verify(layout, hasty, exchange(1)), Fault.READ_BEFORE_WRITE, 0, 0);
  }

  @Test
  void shouldFindLengthWhenMessageAndReceiveDiffer() {
    Layout two = Layout.of(Collective.of(CollectiveOp.BROADCAST, 2, 1000), 2);
    RankSteps root = rank(two, 0, steps -> {
      int block = steps.threadBlock(0, 1, -1);
      steps.copy(block, input(0, 2), output(0, 2));
      steps.send(block, input(0, 2));
    });
    RankSteps leaf = rank(two, 1, steps -> steps.receive(steps.threadBlock(0, -1, 0), output(0, 1)));
    assertFault(verify(two, root, leaf), Fault.LENGTH, 1, 0);
  }

  @Test
  void shouldFindLengthWhenChunksDifferInBytes() {
    Layout layout = Layout.of(Collective.of(CollectiveOp.SEND_RECV, 2, 1000), 1)
        .withScratchOfRanks(rank -> new long[] {rank == 0 ? 1000 : 999});
    RankSteps zero = rank(layout, 0, steps -> {
      int block = steps.threadBlock(0, 1, 1);
      steps.copy(block, input(0, 1), scratch(0, 1));
      steps.send(block, scratch(0, 1));
      steps.receive(block, output(0, 1));
    });
    RankSteps receiving = rank(layout, 1, steps -> {
      int block = steps.threadBlock(0, 0, 0);
      steps.send(block, input(0, 1));
      steps.receive(block, scratch(0, 1));
      steps.copy(block, scratch(0, 1), output(0, 1));
    });
    Verdict verdict = verify(layout, zero, receiving);
    assertFault(verdict, Fault.LENGTH, 1, 1);
    assertThat(verdict.findings().get(0).message()).contains("the message has 1000 B, but the step moves 999 B");
    RankSteps copying = rank(layout, 1, steps -> {
      int block = steps.threadBlock(0, 0, 0);
      steps.copy(block, input(0, 1), scratch(0, 1));
      steps.send(block, input(0, 1));
      steps.receive(block, output(0, 1));
    });
    assertFault(verify(layout, zero, copying), Fault.LENGTH, 1, 0);
  }

  @Test
  void shouldFindOverwrittenInputUnlessInPlace() {
    for (boolean inPlace : new boolean[] {false, true}) {
      Layout layout = inPlace ? PAIR.sharingInputAndOutput() : PAIR;
      RankSteps[] steps = IntStream.range(0, 2).mapToObj(r -> rank(layout, r, builder -> {
        int block = builder.threadBlock(0, 1 - r, 1 - r);
        builder.send(block, input(0, 1));
        builder.step(block, StepKind.RECEIVE_REDUCE_COPY, input(0, 1), input(0, 1));
      })).toArray(RankSteps[]::new);
      if (inPlace) {
        assertThat(verify(layout, steps).findings()).isEmpty();
      } else {
        assertFault(verify(layout, steps), Fault.INPUT_OVERWRITTEN, 1, 1);
      }
    }
  }

  private static RankSteps twoBlocks(Layout layout, boolean ordered) {
    return rank(layout, 0, steps -> {
      int first = steps.copy(steps.threadBlock(0, -1, -1), input(0, 1), scratch(0, 1));
      int other = steps.threadBlock(1, -1, -1);
      int second = steps.copy(other, input(0, 1), scratch(0, 1));
      steps.copy(other, scratch(0, 1), output(0, 1));
      steps.after(second, ordered ? first : RankSteps.NONE);
    });
  }

  @Test
  void shouldFindRaceWhenThreadBlocksWriteOneChunkInNoOrder() {
    Layout layout = Layout.of(Collective.of(CollectiveOp.ALL_REDUCE, 1, 10), 1).withScratch(10);
    assertFault(verify(layout, twoBlocks(layout, false)), Fault.RACE, 0, 1);
    assertThat(verify(layout, twoBlocks(layout, true)).findings()).isEmpty();
  }

  @Test
  void shouldFindRaceWhenReadIsInNoOrderWithLaterWrite() {
    Layout layout = Layout.of(Collective.of(CollectiveOp.ALL_REDUCE, 1, 10), 1).withScratch(10);
    RankSteps racing = rank(layout, 0, steps -> {
      int main = steps.threadBlock(0, -1, -1);
      int written = steps.copy(main, input(0, 1), scratch(0, 1));
      steps.copy(main, scratch(0, 1), output(0, 1));
      steps.after(steps.copy(steps.threadBlock(1, -1, -1), input(0, 1), scratch(0, 1)), written);
    });
    assertThat(verify(layout, racing).findings()).extracting(Finding::fault).contains(Fault.RACE);
  }

  @Test
  void shouldFindNoRaceWhenMessagesOrderThreadBlocks() {
    // Rank 0 sends scratch to rank 1, which answers; the answer's thread block then writes the scratch anew.
    Layout layout = PAIR.withScratch(1000);
    RankSteps zero = rank(layout, 0, steps -> {
      int out = steps.threadBlock(0, 1, -1);
      steps.copy(out, input(0, 1), scratch(0, 1));
      steps.send(out, scratch(0, 1));
      int back = steps.threadBlock(0, -1, 1);
      steps.receive(back, scratch(0, 1));
      steps.copy(back, scratch(0, 1), output(0, 1));
    });
    RankSteps one = rank(layout, 1, steps -> steps.step(
        steps.threadBlock(0, 0, 0), StepKind.RECEIVE_REDUCE_COPY_SEND, input(0, 1), output(0, 1)));
    assertThat(verify(layout, zero, one).findings()).isEmpty();
  }

  @Test
  void shouldRefuseStepsThatCannotBeWhenBuilding() {
    RankStepsBuilder steps = new RankStepsBuilder(PAIR, 0);
    assertThatThrownBy(() -> steps.threadBlock(0, 0, -1)).hasMessageContaining("peer 0");
    assertThatThrownBy(() -> steps.threadBlock(0, 2, -1)).hasMessageContaining("peer 2");
    int block = steps.threadBlock(0, 1, -1);
    assertThatThrownBy(() -> steps.threadBlock(0, 1, -1)).hasMessageContaining("already has this peer");
    assertThatThrownBy(() -> steps.receive(block, output(0, 1))).hasMessageContaining("lacks the peer");
    assertThatThrownBy(() -> steps.send(block, input(0, 2))).hasMessageContaining("outside its buffer of 1 chunks");
    assertThatThrownBy(() -> steps.step(block, StepKind.SEND, null, null)).hasMessageContaining("has a source");
    assertThatThrownBy(() -> steps.after(0, 7)).hasMessageContaining("no step 7");
  }
}
