package dev.heddle.hpl;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * The contents of an HPL.dat.
 *
 * @param orders N
 * @param blockSizes NB
 * @param grids P × Q
 * @param variants of the algorithm, all combinations in HPL's order
 * @param options common to all runs
 */
public record HplInput(
    List<Long> orders, List<Integer> blockSizes, List<ProcessGrid> grids, List<HplVariant> variants,
    Options options) {
  /** Copies the lists. */
  public HplInput {
    orders = ImmutableList.copyOf(orders);
    blockSizes = ImmutableList.copyOf(blockSizes);
    grids = ImmutableList.copyOf(grids);
    variants = ImmutableList.copyOf(variants);
  }

  /**
   * The options common to all runs.
   *
   * @param threshold of the scaled residual; HPL does not check results when it is not positive
   * @param swap of rows
   * @param swapThreshold columns up to which a mixed swap is a binary exchange
   * @param transposedL whether the panel's upper part is stored transposed (L1)
   * @param transposedU whether the row panel is stored transposed (U)
   * @param equilibrated whether spreading rows is balanced
   * @param alignment of memory, words of 8 B
   */
  public record Options(
      double threshold, RowSwap swap, int swapThreshold, boolean transposedL, boolean transposedU,
      boolean equilibrated, int alignment) {}

  /** All runs in HPL's order: grids, then N, then NB, then variants. */
  public List<HplCase> cases() {
    ImmutableList.Builder<HplCase> cases = ImmutableList.builder();
    for (ProcessGrid grid : grids) {
      for (long order : orders) {
        for (int blockSize : blockSizes) {
          HplProblem problem = new HplProblem(order, blockSize, grid);
          variants.forEach(variant -> cases.add(new HplCase(problem, variant)));
        }
      }
    }
    return cases.build();
  }
}
