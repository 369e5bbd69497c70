package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.units.RandomStream;
import org.junit.jupiter.api.Test;

/** Holds interpolation to its contract: exact at measured shapes, monotone, positive and finite everywhere. */
class KernelTableTest {
  private static final int CASES = 2000;

  @Test
  void shouldGiveMeasuredTimesAtMeasuredShapes() {
    KernelTable table = Grids.products(Grids::simple);
    KernelLookup lookup = table.lookup();
    for (int row = 0; row < table.rows(); row++) {
      assertThat(lookup.seconds(table.shape(row))).isEqualTo(table.measured(row));
      assertThat(lookup.basis()).isEqualTo(Basis.MEASURED);
    }
  }

  @Test
  void shouldBeTheSameWhateverTheOrderOfItsRows() {
    KernelTable table = Grids.products(Grids::simple);
    int width = table.id().kind().sizes().size();
    long[] shapes = new long[table.rows() * width];
    double[] seconds = new double[table.rows()];
    for (int row = 0; row < table.rows(); row++) {
      // Every seventh row next, all rows once, as their number has no factor of seven.
      int from = row * 7 % table.rows();
      System.arraycopy(table.shape(from), 0, shapes, row * width, width);
      seconds[row] = table.measured(from);
    }
    KernelTable other =
        KernelTable.of(table.roofline().gpu(), table.id(), table.provenance(), shapes, seconds);
    assertThat(table.rows() % 7).isNotZero();
    assertThat(TableFile.write(other)).isEqualTo(TableFile.write(table));
  }

  @Test
  void shouldRiseAlongEverySizeWhereMeasuredTimesDo() {
    KernelLookup lookup = Grids.products(Grids::simple).lookup();
    RandomStream random = RandomStream.of(7, "monotone", "shapes");
    for (int i = 0; i < CASES; i++) {
      long[] shape = shape(random, 16, 4096);
      int axis = random.nextInt(3);
      double before = lookup.seconds(shape);
      shape[axis] += 1 + random.nextInt((int) shape[axis]);
      if (shape[axis] <= 4096) {
        assertThat(lookup.seconds(shape)).as("case %d", i).isGreaterThanOrEqualTo(before * (1 - 1e-6));
      }
    }
  }

  @Test
  void shouldStayNearTheFormulaBetweenMeasuredShapes() {
    KernelLookup lookup = Grids.products(Grids::simple).lookup();
    RandomStream random = RandomStream.of(8, "near", "shapes");
    for (int i = 0; i < CASES; i++) {
      long[] shape = shape(random, 16, 4096);
      // The chord of two octaves over the knee between start and arithmetic is at most a third above it.
      assertThat(lookup.seconds(shape) / Grids.simple(shape)).as("case %d", i).isBetween(0.97, 1.36);
    }
  }

  @Test
  void shouldGoOnLikeTheRooflineBeyondMeasuredShapes() {
    KernelLookup lookup = Grids.products(Grids::simple).lookup();
    double edge = lookup.seconds(new long[] {4096, 4096, 4096});
    double beyond = lookup.seconds(new long[] {16384, 4096, 4096});
    assertThat(lookup.basis()).isEqualTo(Basis.EXTRAPOLATED);
    assertThat(lookup.relativeError()).isGreaterThan(0.05);
    assertThat(beyond / edge).isCloseTo(4, within(0.25));
  }

  @Test
  void shouldBePositiveAndFiniteForEveryShapeOfEveryShippedTable() {
    KernelLibrary library = KernelLibrary.load(getClass().getClassLoader());
    assertThat(library.tables()).hasSizeGreaterThan(100);
    for (TableId id : library.tables()) {
      KernelLookup lookup = library.table(id).lookup();
      RandomStream random = RandomStream.of(9, id.toString(), "shapes");
      for (int i = 0; i < 4; i++) {
        long[] shape = new long[id.kind().sizes().size()];
        for (int s = 0; s < shape.length; s++) {
          shape[s] = Math.round(Math.pow(2, 20 * random.nextDouble()));
        }
        assertThat(lookup.seconds(shape)).as("%s case %d", id, i).isPositive().isFinite();
        assertThat(lookup.relativeError()).as("%s case %d", id, i).isPositive().isFinite();
      }
    }
  }

  @Test
  void shouldCountDisturbedRowsForLittle() {
    KernelTable clean = Grids.products(Grids::simple);
    KernelTable disturbed = Grids.products(shape -> shape[0] == 256 && shape[1] == 256 && shape[2] == 256
        ? 5 * Grids.simple(shape) : Grids.simple(shape));
    long[] shape = {256, 64, 256};
    assertThat(disturbed.lookup().secondsUnseen(shape)).isCloseTo(
        clean.lookup().secondsUnseen(shape), within(0.1 * Grids.simple(shape)));
  }

  @Test
  void shouldAverageRepeatsAndLeaveDisturbedOnesOut() {
    long[] shapes = {64, 64, 64, 64, 64, 64, 64, 64, 64, 128, 64, 64};
    KernelTable table = KernelTable.of(
        Grids.H100, Grids.PRODUCTS, Grids.MADE_UP, shapes, new double[] {4e-6, 5e-6, 20e-6, 6e-6});
    assertThat(table.rows()).isEqualTo(2);
    assertThat(table.lookup().seconds(new long[] {64, 64, 64})).isEqualTo(4.5e-6, within(1e-12));
  }

  @Test
  void shouldRefuseWhatCannotBe() {
    refused(new long[] {64, 64, 0}, new double[] {4e-6}, "k is 0");
    refused(new long[] {64, 64, 64}, new double[] {Double.NaN}, "a time of NaN");
    refused(new long[] {64, 64, 64}, new double[0], "0 rows");
    refused(new long[] {8192, 8192, 8192}, new double[] {1e-6}, "at its peak rate");
    refused(new long[] {64, 64, 64, 64, 64, 64}, new double[] {4e-6, 400e-6}, "must not contradict");
  }

  private static void refused(long[] shapes, double[] seconds, String message) {
    assertThatThrownBy(() -> KernelTable.of(Grids.H100, Grids.PRODUCTS, Grids.MADE_UP, shapes, seconds))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining(message);
  }

  private static long[] shape(RandomStream random, int least, int most) {
    long[] shape = new long[3];
    for (int i = 0; i < 3; i++) {
      shape[i] = Math.round(least * Math.pow((double) most / least, random.nextDouble()));
    }
    return shape;
  }
}
