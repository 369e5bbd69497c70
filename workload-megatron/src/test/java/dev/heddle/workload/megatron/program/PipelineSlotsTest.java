package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.workload.megatron.parallel.PipelineOrder;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the orders of pipelines, with unit times, with the closed forms of their bubbles. */
class PipelineSlotsTest {
  private static final long FORWARD = 10;
  private static final long INPUTS = 10;
  private static final long WEIGHTS = 10;

  /** The end of the last pass, where each pass of a virtual stage waits for the passes that it depends on. */
  private static long makespan(PipelineOrder order, int stages, int micros, int chunks) {
    int virtual = stages * chunks;
    long[][] forward = filled(micros, virtual);
    long[][] backward = filled(micros, virtual);
    int[][] slots = IntStream.range(0, stages)
        .mapToObj(stage -> PipelineSlots.of(order, stage, stages, micros, chunks)).toArray(int[][]::new);
    int[] next = new int[stages];
    long[] free = new long[stages];
    boolean moved = true;
    while (moved) {
      moved = false;
      for (int stage = 0; stage < stages; stage++) {
        while (next[stage] < slots[stage].length) {
          int slot = slots[stage][next[stage]];
          int micro = PipelineSlots.micro(slot);
          int at = PipelineSlots.chunk(slot) * stages + stage;
          long ready;
          long takes;
          if (PipelineSlots.kind(slot) == PipelineSlots.FORWARD) {
            ready = at == 0 ? 0 : forward[micro][at - 1];
            takes = FORWARD / chunks;
          } else if (PipelineSlots.kind(slot) == PipelineSlots.BACKWARD) {
            ready = at == virtual - 1 ? forward[micro][at] : backward[micro][at + 1];
            takes = (order == PipelineOrder.ZERO_BUBBLE ? INPUTS : INPUTS + WEIGHTS) / chunks;
          } else {
            ready = backward[micro][at];
            takes = WEIGHTS / chunks;
          }
          if (ready < 0) {
            break;
          }
          free[stage] = Math.max(free[stage], ready) + takes;
          if (PipelineSlots.kind(slot) == PipelineSlots.FORWARD) {
            forward[micro][at] = free[stage];
          } else if (PipelineSlots.kind(slot) == PipelineSlots.BACKWARD) {
            backward[micro][at] = free[stage];
          }
          next[stage]++;
          moved = true;
        }
      }
    }
    for (int stage = 0; stage < stages; stage++) {
      assertThat(next[stage]).as("slots that stage %s came to", stage).isEqualTo(slots[stage].length);
    }
    return Arrays.stream(free).max().orElseThrow();
  }

  private static long[][] filled(int rows, int columns) {
    long[][] all = new long[rows][columns];
    Arrays.stream(all).forEach(row -> Arrays.fill(row, -1));
    return all;
  }

  @ParameterizedTest
  @CsvSource({"1, 4", "2, 2", "4, 4", "4, 16", "8, 8", "8, 33", "7, 3"})
  void shouldLeaveTheBubbleOfTheClosedFormWhenNotInterleaved(int stages, int micros) {
    long expected = (micros + stages - 1) * (FORWARD + INPUTS + WEIGHTS);
    assertThat(makespan(PipelineOrder.GPIPE, stages, micros, 1)).isEqualTo(expected);
    assertThat(makespan(PipelineOrder.ONE_F_ONE_B, stages, micros, 1)).isEqualTo(expected);
  }

  // [Narayanan et al. SC'21 §2.2]: the bubble shrinks by the number of chunks.
  @ParameterizedTest
  @CsvSource({"2, 4, 2", "4, 4, 2", "4, 8, 5", "8, 16, 2", "4, 16, 10"})
  void shouldDivideTheBubbleByTheChunksWhenInterleaved(int stages, int micros, int chunks) {
    long one = (FORWARD + INPUTS + WEIGHTS) / chunks;
    long expected = micros * (FORWARD + INPUTS + WEIGHTS) + (stages - 1) * one;
    assertThat(makespan(PipelineOrder.ONE_F_ONE_B, stages, micros, chunks)).isEqualTo(expected);
  }

  // [Qi et al., Table 2]: with equal times the bubble of ZB-H1 is (p - 1)(F + B - W), a third.
  @ParameterizedTest
  @CsvSource({"2, 8", "4, 8", "4, 16", "8, 24"})
  void shouldLeaveThirdOfTheBubbleWhenGradientsOfWeightsFillIt(int stages, int micros) {
    long expected = micros * (FORWARD + INPUTS + WEIGHTS) + (stages - 1) * (FORWARD + INPUTS - WEIGHTS);
    assertThat(makespan(PipelineOrder.ZERO_BUBBLE, stages, micros, 1)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"4, 6, 2", "4, 5, 3", "2, 3, 4", "8, 12, 2", "4, 9, 2", "3, 7, 5"})
  void shouldEndWhenMicroBatchesAreNoMultipleOfTheStages(int stages, int micros, int chunks) {
    long work = micros * (FORWARD + INPUTS + WEIGHTS);
    assertThat(makespan(PipelineOrder.ONE_F_ONE_B, stages, micros, chunks))
        .isBetween(work / chunks * chunks, work + (stages - 1) * (FORWARD + INPUTS + WEIGHTS));
  }

  @Test
  void shouldDoEveryPassOnceInEveryOrder() {
    for (PipelineOrder order : PipelineOrder.values()) {
      int chunks = order == PipelineOrder.ONE_F_ONE_B ? 3 : 1;
      for (int stage = 0; stage < 4; stage++) {
        int[] slots = PipelineSlots.of(order, stage, 4, 8, chunks);
        assertThat(slots).as("%s, stage %s", order, stage).doesNotHaveDuplicates()
            .hasSize(8 * chunks * (order == PipelineOrder.ZERO_BUBBLE ? 3 : 2));
      }
    }
  }
}
