package dev.heddle.workload.megatron.kernel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import dev.heddle.units.SimTime;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What the kernels of one generation of accelerators reach, beside its data sheet: one set for all shapes.
 *
 * @param tiles in which matrix products are cut
 * @param prologue steps of the inner size that filling and draining a tile cost
 * @param store share of the time of writing a result that no other tile's arithmetic hides
 * @param misaligned share of the speed that is left when rows are not multiples of 16 bytes
 * @param ragged the same when they are, but not of 128 bytes
 * @param narrow share of the gain from the peak rate of 16 bits to that of 8 bits that is reached
 * @param memory share of the memory's peak rate that products reach
 * @param elementwise the same of kernels that read and write as much; without it, as products
 * @param start of a kernel: what it takes besides its arithmetic and its bytes
 * @param attention what fused attention reaches, by its kernel
 * @param norms what normalisation reaches of the memory's peak rate, by its kernel
 * @param library whether the library of measured kernels goes before these figures
 * @param database measured times, which go before all other figures; see {@link KernelDatabase}
 * @param aicb AICB's compute file, measured for the very job; it goes before the figures, behind the database
 */
public record KernelTiming(
    @Setting("tiles in which matrix products are cut") List<GemmTile> tiles,
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
    @Setting("what a kernel takes besides its arithmetic and its bytes") SimTime start,
    @Setting("what fused attention reaches, by its kernel") Map<AttentionKernel, PassShare> attention,
    @Setting("what normalisation reaches of the memory's peak rate, by its kernel") Map<NormKernel, PassShare> norms,
    @Setting(value = "whether measured kernels of the library go before these figures", def = "true") boolean library,
    @Setting("CSV file of measured kernels, taken where their shape is a job's") Optional<Path> database,
    @Setting("AICB's compute file, measured for this very job") Optional<Path> aicb) {
  /** Copies the list, largest tiles first as given. */
  public KernelTiming {
    if (tiles.isEmpty()) {
      throw new InvalidSettingException("tiles", "there must be at least one");
    }
    tiles = ImmutableList.copyOf(tiles);
    attention = ImmutableMap.copyOf(attention);
    norms = ImmutableMap.copyOf(norms);
  }

  /**
   * The times that people measured before those of a model.
   *
   * @param gpu name of the accelerator
   * @param kernels of the job, forward passes first; asked for where they are needed
   * @param modelled times of all other kernels
   * @throws InvalidSettingException when a file is missing, malformed, or has nothing of that accelerator
   */
  public KernelTimes measured(String gpu, Supplier<List<Kernel>> kernels, KernelTimes modelled) {
    KernelTimes times = aicb.map(file -> AicbFile.read(file).before(kernels.get(), modelled)).orElse(modelled);
    return database.map(file -> KernelDatabase.read(file).before(gpu, times)).orElse(times);
  }
}
