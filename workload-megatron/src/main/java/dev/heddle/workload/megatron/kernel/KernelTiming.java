package dev.heddle.workload.megatron.kernel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import dev.heddle.units.SimTime;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Efficiency of the kernels of one generation of accelerators, relative to its data sheet: one set for all shapes.
 *
 * @param tiles into which matrix products are divided
 * @param prologue cost of filling and draining a tile, in steps of the inner size
 * @param store share of the time of writing a result that is not hidden by other tiles' arithmetic
 * @param misaligned remaining share of the rate when rows are not multiples of 16 bytes
 * @param ragged the same share for multiples of 16 bytes that are not multiples of 128 bytes
 * @param narrow achieved share of the gain from the peak rate of 16 bits to that of 8 bits
 * @param memory achieved share of the memory's peak rate, of products
 * @param elementwise the same share of kernels that read and write equal amounts; without it, that of products
 * @param casts the same share of casts from 16 to 8 or 4 bits; without it, that of {@code elementwise}
 * @param transposed whether products in 8 bits with one scale a tensor read both factors along the inner size only, so
 *     that tensors are written in both layouts
 * @param start fixed time of a kernel besides its arithmetic and its memory traffic
 * @param attention achieved shares of fused attention, by kernel
 * @param quantisedAttention times of fused attention in 8 bits over those in 16 bits, by the size of heads
 * @param norms achieved share of the memory's peak rate of normalisation, by kernel
 * @param scans achieved share of the peak of 16 bits of the products of a state-space recurrence, whose factors decay
 *     from token to token; without it, that of other products of such sizes
 * @param library whether the library of measured kernels takes precedence over these figures
 * @param clock that the library's times are stated at
 * @param powerLimit of an accelerator in W, at which its clock falls; without it, that of its data sheet
 * @param database measured times, which take precedence over all other figures; see {@link KernelDatabase}
 * @param aicb AICB's compute file, measured for the same job; it takes precedence over these figures, but not over the
 *     database
 */
public record KernelTiming(
    @Setting("tiles into which matrix products are divided") List<GemmTile> tiles,
    @Setting(value = "steps of the inner size that filling and draining a tile cost", min = "0") int prologue,
    @Setting(value = "share of writing a result that no arithmetic hides", min = "0", max = "1") double store,
    @Setting(value = "share of speed left when rows are no multiples of 16 bytes", min = "0.01",
        max = "1") double misaligned,
    @Setting(value = "the same of 16 but not of 128 bytes", def = "1", min = "0.01", max = "1") double ragged,
    @Setting(value = "share of the gain from 16 to 8 bits that is reached", def = "1", min = "0.01",
        max = "1") double narrow,
    @Setting(value = "share of the memory's peak rate that products reach", min = "0.01", max = "1") double memory,
    @Setting(value = "the same of kernels that read and write as much; without it, as products", min = "0.01",
        max = "1") Optional<Double> elementwise,
    @Setting(value = "the same of casts from 16 to 8 or 4 bits; without it, as elementwise", min = "0.01",
        max = "1") Optional<Double> casts,
    @Setting(value = "whether products in 8 bits with one scale a tensor need both layouts of a tensor", def = "true",
        source = "Transformer Engine: is_non_tn_fp8_gemm_supported, from Blackwell on") boolean transposed,
    @Setting("fixed time of a kernel besides its arithmetic and its memory traffic") SimTime start,
    @Setting("achieved shares of fused attention, by kernel") Map<AttentionKernel, PassShare> attention,
    @Setting("times of fused attention in 8 bits over those in 16 bits, by format and size of heads; without them,"
        + " attention in 8 bits is refused") List<QuantisedAttentionTime> quantisedAttention,
    @Setting("achieved share of the memory's peak rate of normalisation, by kernel") Map<NormKernel, PassShare> norms,
    @Setting(
        value = "share of the peak in 16 bits that products of a state-space recurrence reach; without it, as other"
            + " products",
        min = "0.01", max = "1") Optional<Double> scans,
    @Setting(value = "whether measured kernels of the library go before these figures", def = "true") boolean library,
    @Setting(value = "clock of the library's times: that of a job, or of a run of milliseconds",
        def = "sustained") KernelClock clock,
    @Setting(value = "limit of power of an accelerator in W, as its driver sets it; without it, its data sheet's",
        min = "1", max = "100000") Optional<Integer> powerLimit,
    @Setting("CSV file of measured kernels, taken where their shape is a job's") Optional<Path> database,
    @Setting("AICB's compute file, measured for this very job") Optional<Path> aicb) {
  /** Copies the list. */
  public KernelTiming {
    if (tiles.isEmpty()) {
      throw new InvalidSettingException("tiles", "there must be at least one");
    }
    if (powerLimit.isPresent() && powerLimit.get() < 1) {
      throw new InvalidSettingException("power-limit", "must be at least 1 W, but is " + powerLimit.get());
    }
    tiles = ImmutableList.copyOf(tiles);
    attention = ImmutableMap.copyOf(attention);
    norms = ImmutableMap.copyOf(norms);
    quantisedAttention = ImmutableList.copyOf(quantisedAttention);
  }

  /**
   * A copy with a limit of power.
   *
   * @param watts of an accelerator, at least 1
   */
  public KernelTiming withPowerLimit(int watts) {
    return new KernelTiming(tiles, prologue, store, misaligned, ragged, narrow, memory, elementwise, casts, transposed,
        start,
        attention, quantisedAttention, norms, scans, library, clock, Optional.of(watts), database, aicb);
  }

  /**
   * The time of attention in 8 bits over that in 16 bits: linear between the stated sizes of heads, and outside of them
   * that of the nearest.
   *
   * @throws InvalidSettingException when no time of the format is stated
   */
  double relativeTime(Kernel.QuantisedAttention kernel) {
    double size = kernel.wide().headSize();
    boolean backward = kernel.wide().backward();
    List<QuantisedAttentionTime> known = quantisedAttention.stream().filter(each -> each.format() == kernel.format())
        .sorted(Comparator.comparingDouble(QuantisedAttentionTime::size)).toList();
    if (known.isEmpty()) {
      throw new InvalidSettingException("execution.quantised-attention", "the kernel figures have no time of attention"
          + " in " + kernel.format().number().id() + "; kernels-blackwell has, or state kernels.quantised-attention");
    }
    int above = 0;
    while (above < known.size() - 1 && known.get(above).size() < size) {
      above++;
    }
    QuantisedAttentionTime high = known.get(above);
    QuantisedAttentionTime low = known.get(Math.max(0, above - 1));
    if (size >= high.size() || size <= low.size()) {
      return (size >= high.size() ? high : low).of(backward);
    }
    double part = (size - low.size()) / (high.size() - low.size());
    return low.of(backward) + part * (high.of(backward) - low.of(backward));
  }

  /**
   * Measured times, completed by those of a model.
   *
   * @param gpu name of the accelerator
   * @param kernels kernels of the job, forward passes first; evaluated when needed
   * @param modelled times of all other kernels
   * @throws InvalidSettingException when a file is missing, malformed, or has nothing of that accelerator
   */
  public KernelTimes measured(String gpu, Supplier<List<Kernel>> kernels, KernelTimes modelled) {
    KernelTimes times = aicb.map(file -> AicbFile.read(file).withFallback(kernels.get(), modelled)).orElse(modelled);
    return database.map(file -> KernelDatabase.read(file).withFallback(gpu, times)).orElse(times);
  }
}
