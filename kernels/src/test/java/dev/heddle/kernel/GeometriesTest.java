package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.units.RandomStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Holds coordinates of every kind to give back sizes of the same work. */
class GeometriesTest {
  @ParameterizedTest
  @EnumSource(KernelKind.class)
  void shouldGiveBackSizesOfTheSameWork(KernelKind kind) {
    Geometry geometry = kind.geometry();
    RandomStream random = RandomStream.of(5, kind.id(), "sizes");
    for (int i = 0; i < 100; i++) {
      double[] sizes = new double[kind.sizes().size()];
      for (int s = 0; s < sizes.length; s++) {
        sizes[s] = kind.mayBeZero(s) ? 120 : 1 << random.nextInt(12);
      }
      double[] point = new double[geometry.dimensions()];
      double[] back = new double[sizes.length];
      double[] again = new double[point.length];
      geometry.coordinates(sizes, point);
      geometry.sizes(point, back);
      geometry.coordinates(back, again);
      assertThat(again).as("case %d", i).containsExactly(point, within(1e-6));
      assertThat(geometry.flops(back)).isCloseTo(geometry.flops(sizes), within(1e-6 * geometry.flops(sizes)));
      double bytes = geometry.bytes(sizes, NumberFormat.FP8);
      assertThat(geometry.bytes(back, NumberFormat.FP8)).isCloseTo(bytes, within(1e-6 * bytes));
    }
  }
}
