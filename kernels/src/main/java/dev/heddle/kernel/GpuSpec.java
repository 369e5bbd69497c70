package dev.heddle.kernel;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * The data sheet of an accelerator, as kernels need it.
 *
 * @param id in kebab case, as commands take it
 * @param name as presets have it, such as {@code H100 SXM}
 * @param aliases other names of the same, such as AIConfigurator's
 * @param vendor who makes it
 * @param architecture generation, in kebab case
 * @param units multiprocessors or compute units
 * @param clockMhz boost clock at which peak rates are stated
 * @param topClockMhz highest clock of the chip, which kernels below the limit of power keep; 0 where it is not stated
 * @param exponentials of a multiprocessor in a clock
 * @param bandwidth peak rate of its memory in B/s
 * @param ecc part of that rate that codes of correction take, 0 or more and below 1: memories without storage of their
 * own for them keep codes among the data
 * @param cacheBytes of the last level
 * @param watts limit of power
 * @param fp32 peak rate in flop/s; 0 where it is not stated, as for all others
 * @param tf32 the same of products of 32 bits in matrix units
 * @param bits16 the same of 16 bits
 * @param bits8 the same of 8 bits
 * @param bits4 the same of 4 bits
 * @param share16 part of the peak that the best products reach in 16 bits
 * @param share8 the same in 8 and fewer bits
 * @param source of the figures
 */
public record GpuSpec(
    String id, String name, List<String> aliases, String vendor, String architecture, int units, double clockMhz,
    double topClockMhz, double exponentials, double bandwidth, double ecc, double cacheBytes, double watts, double fp32,
    double tf32, double bits16, double bits8,
    double bits4, double share16, double share8, String source) {
  private static final String AMD = "amd";
  private static final String NVIDIA = "nvidia";
  private static final double PARTITIONED = 40e6;
  private static final double STACKED = 10e9;
  private static final double ASYNCHRONOUS = 3000;
  private static final double TENSOR_MEMORY = 6000;
  private static final double MEGA = 1e6;

  /** Copies the list. */
  public GpuSpec {
    aliases = ImmutableList.copyOf(aliases);
  }

  /** Peak rate of products of a format in flop/s, of the next wider format where the sheet has none. */
  public double peak(NumberFormat format) {
    double eight = bits8 > 0 ? bits8 : bits16;
    return switch (format.peak()) {
      case FP32 -> fp32;
      case TF32 -> tf32 > 0 ? tf32 : fp32;
      case BITS_16 -> bits16;
      case BITS_8 -> eight;
      case BITS_4 -> bits4 > 0 ? bits4 : eight;
    };
  }

  /** The rate that nothing exceeds: engines multiply in 8 bits where keys and values are cached so. */
  double fastest(NumberFormat format) {
    return peak(format == NumberFormat.BF16_CACHE8 ? NumberFormat.FP8 : format);
  }

  /** Whether the sheet states a rate of a format of its own. */
  public boolean multiplies(NumberFormat format) {
    return switch (format.peak()) {
      case FP32 -> fp32 > 0;
      case TF32 -> tf32 > 0;
      case BITS_16 -> bits16 > 0;
      case BITS_8 -> bits8 > 0;
      case BITS_4 -> bits4 > 0;
    };
  }

  /** The rate that the best products reach. */
  public double reached(NumberFormat format) {
    boolean narrow = format.peak() == NumberFormat.Peak.BITS_8 || format.peak() == NumberFormat.Peak.BITS_4;
    return peak(format) * (narrow && share8 > 0 ? share8 : share16);
  }

  /**
   * The rate of products inside attention: the peak, but with AMD's that of the best products. Its peaks are stated
   * at a clock that its matrix units do not keep: the best tuned product of 8192 x 8192 x 8192 reaches 0.47 of the peak
   * of MI300X and 0.63 of that of MI355X [kernels/src/main/measured/amd].
   */
  double insideAttention(NumberFormat format) {
    return vendor.equals(AMD) ? reached(format) : peak(format);
  }

  /**
   * Whether tables of its vendor's accelerators are means of 100 runs in a row, at the clock that lasts, instead of
   * runs after a rest [kernels/src/main/measured/amd].
   */
  public boolean measuredInARow() {
    return vendor.equals(AMD);
  }

  /**
   * Whether its last level of cache has two parts, each with what the multiprocessors beside it read, so that data of
   * all are held twice [NVIDIA A100 white paper, L2 cache; H100 and Blackwell's two dies likewise].
   */
  boolean partitionedCache() {
    return vendor.equals(NVIDIA) && stackedMemory() && cacheBytes >= PARTITIONED;
  }

  /** Whether its last level of cache is of one part before the memory, as that of NVIDIA's boards with GDDR is. */
  boolean undividedCache() {
    return vendor.equals(NVIDIA) && !partitionedCache();
  }

  /** The rate in B/s that large copies reach. */
  double copyRate() {
    return KernelRoofline.MEMORY_SHARE * (1 - ecc) * bandwidth;
  }

  /** Whether its memory is stacked: it gives a multiprocessor twice the bandwidth and more that GDDR does. */
  public boolean stackedMemory() {
    return bandwidth / units > STACKED;
  }

  /**
   * Edge of a tile of products of groups: 128 [CUTLASS, efficient GEMM], on AMD's 256 [AMD-AGI/Primus-Turbo,
   * ck_grouped_gemm_kernel_bf16_gfx942.cu: 256 x 256 x 64 and 256 x 128 x 64].
   */
  int groupedTile() {
    return vendor.equals(AMD) ? 256 : 128;
  }

  /** Whether its matrix units work beside the threads, as those of 3,000 and more operations a clock and unit do. */
  boolean asynchronousMatrixUnits() {
    return bits16 / (units * MEGA * clockMhz) > ASYNCHRONOUS;
  }

  /** Whether sums stay in a memory of the matrix units, as in those of 6,000 and more operations a clock and unit. */
  boolean tensorMemory() {
    return bits16 / (units * MEGA * clockMhz) > TENSOR_MEMORY;
  }

  /** The clock in Hz of kernels below the limit of power: the highest, or the boost clock where none is stated. */
  public double topClock() {
    return MEGA * (topClockMhz > 0 ? topClockMhz : clockMhz);
  }

  /** The boost clock in Hz. */
  double boostClock() {
    return MEGA * clockMhz;
  }

  /**
   * The same with the highest clock of another of its generation where its own is not stated: boards of one chip state
   * boost clocks at which their limits of power let its matrix units run.
   */
  GpuSpec beside(GpuSpec other) {
    return topClockMhz > 0 || !architecture.equals(other.architecture) ? this
        : new GpuSpec(id, name, aliases, vendor, architecture, units, clockMhz, other.topClock() / MEGA, exponentials,
            bandwidth, ecc, cacheBytes, watts, fp32, tf32, bits16, bits8, bits4, share16, share8, source);
  }

  /** The same with another last level of cache; 0 is none, and infinity holds everything. */
  GpuSpec withCache(double bytes) {
    return new GpuSpec(id, name, aliases, vendor, architecture, units, clockMhz, topClockMhz, exponentials, bandwidth,
        ecc, bytes, watts, fp32, tf32, bits16, bits8, bits4, share16, share8, source);
  }

  boolean isCalled(String text) {
    for (String alias : aliases) {
      if (alias.equalsIgnoreCase(text)) {
        return true;
      }
    }
    return id.equalsIgnoreCase(text) || name.equalsIgnoreCase(text);
  }

  @Override
  public String toString() {
    return name;
  }
}
