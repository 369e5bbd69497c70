package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.units.RandomStream;
import org.junit.jupiter.api.Test;

/** Tests of times carried from one accelerator to another. */
class CarryOverTest {
  private static final GpuCatalog GPUS = GpuCatalog.bundled();
  private static final long[] LONG = {4, 32, 32, 16384, 16384, 128, 128};

  @Test
  void shouldKeepTheTimeWhenTheAcceleratorIsTheSame() {
    KernelQuery query = KernelQuery.of(GPUS.get("b200"), KernelKind.ATTENTION_FORWARD, NumberFormat.BF16, LONG);
    assertThat(new CarryOver(query).seconds(GPUS.get("b200"), 1e-3, 5e-6)).isCloseTo(1e-3, within(1e-15));
  }

  @Test
  void shouldKeepTheStartWhenTheTimeIsNotLonger() {
    KernelQuery query = KernelQuery.of(
        GPUS.get("h100"), KernelKind.ATTENTION_DECODE, NumberFormat.BF16, 1, 32, 8, 128, 128, 128);
    assertThat(new CarryOver(query).seconds(GPUS.get("b200"), 4e-6, 5e-6)).isEqualTo(4e-6);
  }

  @Test
  void shouldLetExponentialsTellWhenMatrixUnitsGrewMore() {
    KernelQuery query = KernelQuery.of(GPUS.get("h100"), KernelKind.ATTENTION_FORWARD, NumberFormat.BF16, LONG);
    GpuSpec b200 = GPUS.get("b200");
    double products = b200.reached(NumberFormat.BF16) / query.gpu().reached(NumberFormat.BF16);
    double exponentials = b200.units() * b200.clockMhz() / (query.gpu().units() * query.gpu().clockMhz());
    assertThat(new CarryOver(query).seconds(b200, 1e-3, 0) / 1e-3).isBetween(exponentials, products);
  }

  @Test
  void shouldTakeTheRatioOfTheRooflinesWhenItIsAProduct() {
    KernelQuery query = KernelQuery.of(GPUS.get("h100"), KernelKind.GEMM, NumberFormat.BF16, 4096, 4096, 4096);
    double ratio = new KernelRoofline(GPUS.get("h100"), KernelKind.GEMM, NumberFormat.BF16).seconds(query.sizes())
        / new KernelRoofline(GPUS.get("b200"), KernelKind.GEMM, NumberFormat.BF16).seconds(query.sizes());
    assertThat(new CarryOver(query).seconds(GPUS.get("b200"), 1e-3, 5e-6)).isCloseTo(1e-3 * ratio, within(1e-12));
  }

  @Test
  void shouldStayPositiveAndRiseWithTheKnownTime() {
    long seed = 5;
    RandomStream random = RandomStream.of(seed, "carry", "over");
    for (int i = 0; i < 1000; i++) {
      GpuSpec to = GPUS.gpus().get(random.nextInt(GPUS.gpus().size()));
      GpuSpec from = GPUS.gpus().get(random.nextInt(GPUS.gpus().size()));
      KernelQuery query = KernelQuery.of(to, KernelKind.ATTENTION_FORWARD, NumberFormat.BF16,
          1 + random.nextInt(64), 8, 8, 128 + random.nextInt(8192), 8320, 128, 128);
      double known = 1e-6 * (1 + random.nextInt(100_000));
      CarryOver over = new CarryOver(query);
      assertThat(over.seconds(from, known, 5e-6)).as("seed %d, case %d", seed, i).isPositive()
          .isLessThan(over.seconds(from, 1.01 * known, 5e-6) + 1e-18);
    }
  }
}
