package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests of tables that are taken apart into resources, on times that follow a law that is known. */
class DemandFitTest {
  private static final GpuCatalog GPUS = GpuCatalog.bundled();
  /** A start of 9 us, works of a sequence's keys, a head, a key, the cache's port and an operation, and one pass. */
  private static final double[] LAW = {9, 2000, 900, 15, 2, 1.3, 1};

  private static List<long[]> shapes() {
    List<long[]> shapes = new ArrayList<>();
    for (long sequences = 1; sequences <= 256; sequences *= 4) {
      for (long keys = 1; keys <= 64; keys *= 4) {
        for (long group : new long[] {1, 8}) {
          for (long context = 16; context <= 65536; context *= 4) {
            shapes.add(new long[] {sequences, keys * group, keys, context, 128, 128});
          }
        }
      }
    }
    return shapes;
  }

  private static double time(GpuSpec gpu, long[] shape) {
    KernelQuery query = KernelQuery.of(gpu, KernelKind.ATTENTION_DECODE, NumberFormat.BF16, shape);
    return Demands.of(gpu, query.kind(), query.format(), "", query.sizes()).seconds(LAW);
  }

  private static KernelTable table(GpuSpec gpu) {
    List<long[]> shapes = shapes();
    long[] all = shapes.stream().flatMapToLong(Arrays::stream).toArray();
    double[] seconds = shapes.stream().mapToDouble(shape -> time(gpu, shape)).toArray();
    return KernelTable.of(gpu, new TableId(gpu.id(), KernelKind.ATTENTION_DECODE, NumberFormat.BF16, "law"),
        new Provenance("a law", "none", "", ""), all, seconds);
  }

  @Test
  void shouldExplainTimesThatFollowItsLaw() {
    DemandFit fit = table(GPUS.get("h100")).resources().orElseThrow();
    assertThat(fit.error()).isLessThan(0.01);
  }

  // A table of one accelerator tells the law of all: times of the other come out without one of its own.
  @Test
  void shouldTellTheTimesOfAnotherAcceleratorThatFollowsTheSameLaw() {
    KernelTable known = table(GPUS.get("h100"));
    DemandFit fit = known.resources().orElseThrow();
    for (String name : new String[] {"a100", "l40s"}) {
      GpuSpec other = GPUS.get(name);
      for (long[] shape : shapes()) {
        KernelQuery query = KernelQuery.of(other, KernelKind.ATTENTION_DECODE, NumberFormat.BF16, shape);
        double carried =
            new CarryOver(query).byDemands(GPUS.get("h100"), time(GPUS.get("h100"), shape), known.id(), fit);
        assertThat(carried / time(other, shape)).as(query.toString()).isCloseTo(1, within(0.05));
      }
    }
  }

  @Test
  void shouldDoubtATableThatNoResourcesExplain() {
    GpuSpec gpu = GPUS.get("h100");
    List<long[]> shapes = shapes();
    long[] all = shapes.stream().flatMapToLong(Arrays::stream).toArray();
    double[] seconds = new double[shapes.size()];
    for (int i = 0; i < seconds.length; i++) {
      seconds[i] = time(gpu, shapes.get(i)) * (shapes.get(i)[0] % 16 == 0 ? 1 : 2.5);
    }
    KernelTable table = KernelTable.of(gpu,
        new TableId(gpu.id(), KernelKind.ATTENTION_DECODE, NumberFormat.BF16, "two laws"),
        new Provenance("two laws", "none", "", ""), all, seconds);
    assertThat(table.resources().orElseThrow().error()).isGreaterThan(0.15);
  }

  // The cache of L40S holds some shapes and not others; only the resources know the step between.
  @Test
  void shouldBeTheTrendOfATableWhoseTimesFollowIt() {
    KernelTable table = table(GPUS.get("l40s"));
    assertThat(table.error().resources()).isEqualTo(1);
    assertThat(table.error().mean()).isLessThan(0.01);

    KernelTable part = table.part(row -> row % 3 != 1);
    for (int row = 1; row < table.rows(); row += 3) {
      assertThat(part.lookup().seconds(table.shape(row)) / table.measured(row)).isCloseTo(1, within(0.03));
    }
  }

  @Test
  void shouldAskForRowsEnough() {
    assertThat(table(GPUS.get("h100")).resources()).isPresent();
    assertThat(table(GPUS.get("h100")).part(row -> row < 20).resources()).isEmpty();
  }

  // 0.4 to 12 GB all exceed the cache of H100, so that its table tells nothing of the cache's port; a part of them fits
  // that of MI300X, which is no slower than its memory.
  @Test
  void shouldNotMakeTheCacheSlowerThanMemoryWhereATableDoesNotTellIt() {
    GpuSpec known = GPUS.get("h100");
    GpuSpec wanted = GPUS.get("mi300x");
    long[] bytes = LongStream.range(0, 40).map(row -> Math.round(4e8 * Math.pow(1.09, row))).toArray();
    double[] seconds = Arrays.stream(bytes).mapToDouble(each -> 3e-6 + each / (0.9 * known.bandwidth())).toArray();
    TableId id = new TableId(known.id(), KernelKind.MEMORY, NumberFormat.BF16, "copies");
    DemandFit fit = Objects.requireNonNull(DemandFit.of(known, id, bytes, seconds));
    assertThat(fit.error()).isLessThan(0.01);
    for (long each : new long[] {1_000_000, 100_000_000, bytes[0], bytes[39]}) {
      KernelQuery query = KernelQuery.of(wanted, KernelKind.MEMORY, NumberFormat.BF16, each);
      double here = 3e-6 + each / (0.9 * known.bandwidth());
      double slowest = 2 * (4e-6 + each / (0.86 * wanted.bandwidth()));
      assertThat(new CarryOver(query).byDemands(known, here, id, fit)).as(query.toString()).isLessThan(slowest);
    }
  }

  // 240 rows of 2,400 at equal distances would all have the first of ten values of m.
  @Test
  void shouldSeeAllSizesOfALargeGrid() {
    GpuSpec gpu = GPUS.get("h100");
    TableId id = new TableId(gpu.id(), KernelKind.GEMM, NumberFormat.BF16, "grid");
    double[] law = {6, 0.9, 0.3, 1.5, 2, 1};
    List<long[]> rows = new ArrayList<>();
    for (int row = 0; row < 2400; row++) {
      rows.add(new long[] {4L << row % 10, 512 * (row / 10 % 15 + 1), 512 * (row / 150 + 1)});
    }
    List<Demand> demands = rows.stream().map(row -> Demands.of(
        gpu, id.kind(), id.format(), id.variant(), Arrays.stream(row).asDoubleStream().toArray())).toList();
    double[] seconds = demands.stream().mapToDouble(demand -> demand.seconds(law)).toArray();
    DemandFit fit = Objects.requireNonNull(
        DemandFit.of(gpu, id, rows.stream().flatMapToLong(Arrays::stream).toArray(), seconds));
    for (int row = 0; row < seconds.length; row++) {
      assertThat(fit.seconds(demands.get(row)) / seconds[row]).as(Arrays.toString(rows.get(row)))
          .isCloseTo(1, within(0.02));
    }
  }

  @Test
  void shouldCountLaunches() {
    GpuSpec known = GPUS.get("h100");
    long[] launches = LongStream.rangeClosed(1, 40).toArray();
    double[] seconds = Arrays.stream(launches).mapToDouble(each -> 2e-6 + 1.5e-6 * each).toArray();
    TableId id = new TableId(known.id(), KernelKind.LAUNCH, NumberFormat.BF16, "empty");
    DemandFit fit = Objects.requireNonNull(DemandFit.of(known, id, launches, seconds));
    assertThat(fit.error()).isLessThan(0.02);
    KernelQuery query = KernelQuery.of(GPUS.get("h200"), KernelKind.LAUNCH, NumberFormat.BF16, 30);
    assertThat(new CarryOver(query).byDemands(known, 47e-6, id, fit)).isCloseTo(47e-6, within(2e-6));
  }
}
