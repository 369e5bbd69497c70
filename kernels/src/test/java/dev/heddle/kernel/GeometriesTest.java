package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.units.RandomStream;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
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

  // Counts pairs one by one, and tiles that hold one.
  @Test
  void shouldCountThePairsAndTilesOfAWindow() {
    RandomStream random = RandomStream.of(5, "window", "sizes");
    Geometries.Window geometry = new Geometries.Window(new Geometries.Attention(1, 1, 1));
    for (int i = 0; i < 60; i++) {
      int keys = 128 * (1 + random.nextInt(16));
      int queries = 256 * (1 + random.nextInt(keys / 256 + 1));
      int before = Math.max(0, keys - queries);
      int window = 1 + random.nextInt(keys);
      int queryTile = 128 * (1 + random.nextInt(2));
      queries = keys - before;
      double pairs = 0;
      Set<Integer> tiles = new HashSet<>();
      for (int query = 0; query < queries; query++) {
        int last = before + query;
        pairs += Math.min(window, last + 1);
        for (int tile = Math.max(0, last - window + 1) / 128; tile <= last / 128; tile++) {
          tiles.add(query / queryTile * 1000 + tile);
        }
      }
      double[] sizes = {1, 1, 1, queries, keys, 64, 64, window};
      double seen = geometry.flops(sizes) / 256;
      assertThat(seen).as("case %d", i).isCloseTo(pairs, within(0.5 * queries));
      double whole = geometry.wholeTiles(sizes, queryTile) * seen;
      double counted = tiles.size() * 128.0 * queryTile;
      double rows = Math.ceil((double) queries / queryTile);
      assertThat(whole).as("case %d", i).isBetween(counted * (1 - 1e-9), counted * (1 + 2 / rows));
    }
  }
}
