package dev.heddle.collectives.neuron;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.primitives.ImmutableIntArray;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HamiltonianCyclesTest {
  @Test
  void shouldFindTwoCyclesWithoutACommonLinkOnEveryTorusOfThreeChipsASideOrMore() {
    for (int rows = 3; rows <= 16; rows++) {
      for (int columns = 3; columns <= 16; columns++) {
        ChipGrid grid = new ChipGrid(ImmutableIntArray.of(rows, columns), true);
        check(grid, HamiltonianCycles.of(grid), 2);
      }
    }
  }

  @Test
  void shouldFindOneCycleOnMeshesAndPairsWithAnEvenSide() {
    for (int rows = 2; rows <= 9; rows++) {
      for (int columns = 2; columns <= 9; columns++) {
        ChipGrid mesh = new ChipGrid(ImmutableIntArray.of(rows, columns), false);
        check(mesh, HamiltonianCycles.of(mesh), rows % 2 == 0 || columns % 2 == 0 ? 1 : 0);
      }
      ChipGrid pairs = new ChipGrid(ImmutableIntArray.of(2, rows), true);
      check(pairs, HamiltonianCycles.of(pairs), 1);
    }
  }

  @Test
  void shouldFindTwoCyclesInThreeDimensions() {
    for (int depth = 3; depth <= 5; depth++) {
      ChipGrid grid = new ChipGrid(ImmutableIntArray.of(4, 4, depth), true);
      check(grid, HamiltonianCycles.of(grid), 2);
    }
  }

  private static void check(ChipGrid grid, List<int[]> cycles, int expected) {
    assertThat(cycles).as("cycles of a %s", grid).hasSize(expected);
    Set<List<Integer>> links = new LinkedHashSet<>();
    for (int[] cycle : cycles) {
      assertThat(Arrays.stream(cycle).sorted().toArray()).as("chips of a cycle of a %s", grid)
          .containsExactly(range(grid.chips()));
      for (int i = 0; i < cycle.length; i++) {
        int from = cycle[i];
        int to = cycle[(i + 1) % cycle.length];
        assertThat(distance(grid, from, to)).as("links from %s to %s of a %s", from, to, grid).isEqualTo(1);
        assertThat(links.add(List.of(Math.min(from, to), Math.max(from, to))))
            .as("link %s-%s of a %s is new", from, to, grid)
            .isTrue();
      }
    }
  }

  private static int[] range(int end) {
    int[] range = new int[end];
    Arrays.setAll(range, i -> i);
    return range;
  }

  private static int distance(ChipGrid grid, int from, int to) {
    int sum = 0;
    for (int dimension = 0; dimension < grid.size().length(); dimension++) {
      int apart = Math.abs(grid.coordinate(from, dimension) - grid.coordinate(to, dimension));
      sum += grid.wrap() ? Math.min(apart, grid.size().get(dimension) - apart) : apart;
    }
    return sum;
  }

  @Test
  void shouldReachAcrossEveryAxisInOneLinkOnRingsOfFour() {
    ChipGrid grid = new ChipGrid(ImmutableIntArray.of(4, 4), true);
    for (int chip = 0; chip < 16; chip++) {
      Set<Integer> reached = new LinkedHashSet<>();
      for (int axis = 0; axis < 4; axis++) {
        int other = grid.across(chip, axis);
        assertThat(distance(grid, chip, other)).as("links from %s across axis %s", chip, axis).isEqualTo(1);
        assertThat(grid.across(other, axis)).isEqualTo(chip);
        assertThat(grid.side(chip, axis)).isNotEqualTo(grid.side(other, axis));
        reached.add(other);
      }
      assertThat(reached).hasSize(4);
    }
  }
}
