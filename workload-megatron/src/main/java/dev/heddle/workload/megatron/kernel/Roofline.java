package dev.heddle.workload.megatron.kernel;

import dev.heddle.registry.SettingsSchema;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Accelerator.Vendor;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Precision;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Kernel times from an accelerator's data sheet and its generation's {@link KernelTiming}: arithmetic in tiles that
 * fill the compute units in waves, or bytes over memory, whichever takes longer.
 *
 * <p>A matrix product uses the fastest choice of tiles and of the split of its inner size; a partial wave takes as long
 * as a full one. The result is written at the end of each tile, so part of the writing time adds to the arithmetic.
 */
public final class Roofline implements KernelTimes {
  private static final int[] SPLITS = {1, 2, 4, 8};
  private static final int LEAST_SPLIT = 512;
  private static final int STEP = 32;
  private static final int ALIGNMENT_BYTES = 16;
  private static final int LINE_BYTES = 128;
  private static final int PARTIAL_BYTES = 8;
  /**
   * Seconds in which a multiprocessor normalises a row by Transformer Engine's kernel of any size, and more for each
   * element: on H100 1.25 us for 2,688 elements [309.6 us for 32,768 rows; GiscardBiamby/Automodel-scalingai-f26,
   * mfu/results: nsys profile final6] and 2.6 us for 8,192, for which a kernel of the size's own is 2.2 times as fast
   * [NVIDIA/TransformerEngine, pull request 747].
   */
  private static final RowTime ROW = new RowTime(0.575e-6, 0.251e-9);
  /** The same of gradients: 1.3 us, the rest of the same profiles' norms, and 3.4 us, 1.3 times as fast. */
  private static final RowTime ROW_GRADIENTS = new RowTime(0.29e-6, 0.376e-9);

  private final Accelerator accelerator;
  private final KernelTiming timing;
  private final double bytesPerSecond;
  private final double movedPerSecond;
  private final double castPerSecond;

  /**
   * Time of a multiprocessor for a row.
   *
   * @param fixed seconds whatever its size
   * @param element seconds more for each element
   */
  private record RowTime(double fixed, double element) {}

  /** Prepares the times of one accelerator. */
  public Roofline(Accelerator accelerator, KernelTiming timing) {
    this.accelerator = accelerator;
    this.timing = timing;
    bytesPerSecond = timing.memory() * accelerator.memoryBandwidth().bytesPerSecond();
    movedPerSecond =
        timing.elementwise().orElse(timing.memory()) * accelerator.memoryBandwidth().bytesPerSecond();
    castPerSecond = timing.casts().map(share -> share * accelerator.memoryBandwidth().bytesPerSecond())
        .orElse(movedPerSecond);
  }

  @Override
  public double seconds(Kernel kernel) {
    double start = timing.start().seconds();
    if (kernel instanceof Kernel.Gemm gemm) {
      double arithmetic = tiled(gemm, timing.prologue()) / alignment(gemm);
      return product(gemm, arithmetic, gemm.factorBytes());
    }
    if (kernel instanceof Kernel.BlockScaled scaled) {
      Kernel.Gemm gemm = scaled.product();
      // Matrix units multiply 4 bits at twice the rate of 8.
      double arithmetic = tiled(gemm, timing.prologue()) / alignment(gemm)
          / (scaled.format().fourBits() ? 2 : 1);
      return product(gemm, arithmetic, scaled.factorBytes());
    }
    if (kernel instanceof Kernel.Attention attention) {
      double share = reached("execution.attention", timing.attention(), attention.kernel().on(accelerator))
          .of(attention.backward());
      return start + Math.max(attention.flops() / (share * peak(Precision.BF16)), attention.bytes() / bytesPerSecond);
    }
    if (kernel instanceof Kernel.QuantisedAttention narrow) {
      return timing.relativeTime(narrow) * seconds(narrow.wide());
    }
    if (kernel instanceof Kernel.SharedFactors shared) {
      double arithmetic = timing.scans().map(share -> shared.flops() / (share * peak(Precision.BF16)))
          .orElseGet(() -> tiled(shared.product(), timing.prologue()));
      return start + Math.max(arithmetic, shared.bytes() / movedPerSecond);
    }
    if (kernel instanceof Kernel.HeadProduct product) {
      return start + Math.max(tiled(product.vectorised(), 0), product.bytes() / bytesPerSecond);
    }
    if (kernel instanceof Kernel.Norm norm) {
      double share = reached("execution.norm", timing.norms(), norm.kernel()).of(norm.backward());
      return start
          + Math.max(inTurn(norm), norm.bytes() / (share * accelerator.memoryBandwidth().bytesPerSecond()));
    }
    return start + kernel.bytes() / (kernel instanceof Kernel.Cast ? castPerSecond : movedPerSecond);
  }

  private double inTurn(Kernel.Norm norm) {
    if (!norm.general() || accelerator.vendor() != Vendor.NVIDIA) {
      return 0;
    }
    RowTime row = norm.backward() ? ROW_GRADIENTS : ROW;
    return norm.tokens() * (row.fixed() + row.element() * norm.hidden()) / accelerator.computeUnits();
  }

  private double product(Kernel.Gemm gemm, double arithmetic, double factorBytes) {
    return timing.start().seconds() + Math.max(arithmetic, factorBytes / bytesPerSecond)
        + timing.store() * gemm.writtenBytes() / bytesPerSecond;
  }

  private static <K extends Enum<K>> PassShare reached(String component, Map<K, PassShare> known, K kernel) {
    PassShare share = known.get(kernel);
    if (share == null) {
      throw new InvalidSettingException(
          component, "the kernel figures know no " + SettingsSchema.key(kernel) + "; they know "
              + known.keySet().stream().map(SettingsSchema::key).collect(Collectors.joining(", ")));
    }
    return share;
  }

  private double tiled(Kernel.Gemm gemm, int prologue) {
    double perUnit = peak(gemm.precision()) / accelerator.computeUnits();
    double best = Double.POSITIVE_INFINITY;
    for (GemmTile tile : timing.tiles()) {
      for (int split : SPLITS) {
        if (split > 1 && gemm.k() / split < LEAST_SPLIT) {
          break;
        }
        long tiles = gemm.batch() * ceil(gemm.m(), tile.m()) * ceil(gemm.n(), tile.n()) * split;
        long waves = ceil(tiles, accelerator.computeUnits());
        long depth = ceil(ceil(gemm.k(), split), STEP) * STEP + prologue;
        double seconds = waves * 2.0 * tile.m() * tile.n() * depth / (perUnit * tile.efficiency());
        if (split > 1) {
          seconds += (double) PARTIAL_BYTES * split * gemm.batch() * gemm.m() * gemm.n() / bytesPerSecond;
        }
        best = Math.min(best, seconds);
      }
    }
    return best;
  }

  private double alignment(Kernel.Gemm gemm) {
    if (fits(gemm, LINE_BYTES)) {
      return 1;
    }
    return fits(gemm, ALIGNMENT_BYTES) ? timing.ragged() : timing.misaligned();
  }

  // Whether rows of the result and of the factors are multiples of a number of bytes.
  private static boolean fits(Kernel.Gemm gemm, int bytes) {
    long elements = bytes / Kernel.elementBytes(gemm.precision());
    return gemm.n() % elements == 0 && gemm.k() % elements == 0;
  }

  // Operands of 8 bits double the peak, but are quantised, transposed and scaled on the way.
  private double peak(Precision precision) {
    double stated = rate(precision);
    if (precision == Precision.FP8) {
      double wide = rate(Precision.BF16);
      return wide + timing.narrow() * (stated - wide);
    }
    return stated;
  }

  private double rate(Precision precision) {
    return accelerator.peak(precision)
        .or(() -> precision == Precision.BF16 ? accelerator.peak(Precision.FP16) : Optional.empty())
        .orElseThrow(() -> new InvalidSettingException(
            "precision", accelerator.name() + " has no stated rate of " + precision + "; it has "
                + accelerator.peak().keySet()))
        .flopPerSecond();
  }

  private static long ceil(long a, long b) {
    return (a + b - 1) / b;
  }
}
