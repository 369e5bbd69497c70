package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Holds the fits that the shipped tables keep against fits of their rows by the demands as they are now. */
class ShippedFitsTest {
  private static final KernelLibrary LIBRARY = KernelLibrary.load(ShippedFitsTest.class.getClassLoader());
  // Files round times to 0.013 % and coefficients to single precision; works that a table cannot tell apart move most.
  private static final double ROUNDED = 0.02;

  @Test
  void shouldBeThoseOfTheDemandsThatTransferCounts() {
    List<String> stale = new ArrayList<>();
    for (TableId id : LIBRARY.tables()) {
      KernelTable table = LIBRARY.table(id);
      table.resources().ifPresent(kept -> {
        double apart = apart(kept, fitted(table));
        if (apart > ROUNDED) {
          stale.add(id + ": " + apart);
        }
      });
    }
    assertThat(stale).as("tables whose rows give other coefficients; write them again").isEmpty();
  }

  private static DemandFit fitted(KernelTable table) {
    int width = table.id().kind().sizes().size();
    long[] shapes = new long[table.rows() * width];
    double[] seconds = new double[table.rows()];
    for (int row = 0; row < seconds.length; row++) {
      System.arraycopy(table.shape(row), 0, shapes, row * width, width);
      seconds[row] = table.measured(row);
    }
    return Objects.requireNonNull(
        DemandFit.of(LIBRARY.gpus().get(table.id().gpu()), table.id(), shapes, seconds), () -> "no fit: " + table.id());
  }

  // The greatest difference of two coefficients' logarithms.
  private static double apart(DemandFit one, DemandFit other) {
    double[] a = one.coefficients();
    double[] b = other.coefficients();
    double most = Math.abs(a.length - b.length);
    for (int i = 0; i < Math.min(a.length, b.length); i++) {
      most = Math.max(most, Math.abs(Math.log(a[i] / b[i])));
    }
    return most;
  }
}
