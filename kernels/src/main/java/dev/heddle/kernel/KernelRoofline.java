package dev.heddle.kernel;

/**
 * Kernel times of a data sheet alone: a start, and arithmetic and traffic that overlap but for the knee between them,
 * {@code start + (compute^2 + memory^2)^(1/2)}. A linear layer whose activations are cast adds the cast. Interpolation
 * takes it as the trend that measured times depart from, and transfer as the ratio of two accelerators.
 */
final class KernelRoofline {
  /**
   * Start and drain of a kernel inside a graph or stream [AIConfigurator, constant latency of 3 us]; a number of
   * clocks, stated at Hopper's.
   */
  private static final double START = 3e-6;
  private static final double START_CLOCK = 1830;
  /** Bytes that a multiprocessor reads of the cache in a clock, and the part of that which kernels reach. */
  private static final double CACHE_WIDTH = 64;
  private static final double CACHE_SHARE = 0.35;
  /** Measuring loops leave operands in the cache where they are small; a quarter of it holds half of them. */
  private static final double CACHE_PART = 0.25;
  /**
   * Queries of a tile of attention: 128, and two tiles of 128 with a group of threads each where sums stay in a memory
   * of the matrix units [FlashAttention-4 §3; flash_attn/cute, tiles of the kernel for compute capability 10].
   */
  private static final int QUERY_TILE = 128;
  /** A layer of experts is a row of some seven kernels: choice, sort, permutation, two products, activation, sum. */
  private static final double EXPERTS_START = 20e-6;
  /**
   * The kernels before a product that cast its activations. One scale a tensor needs the largest value before the cast,
   * so that 16 bits are read twice. Starts, and parts of a copy's rate on stacked memory, are those of AIConfigurator's
   * layers on H100, B200 and GB200, extrapolated to a product without columns, less a product's own start; on L40S
   * casts reach a copy's rate.
   *
   * @param start of all kernels, in seconds
   * @param read times that 16 bits are read
   * @param share of a copy's rate on stacked memory, which is too fast for kernels that look for the largest value
   */
  private record Cast(double start, int read, double share) {
    private static final int HALF = 2;
    private static final Cast TENSOR = new Cast(12e-6, 2, 0.65);
    private static final Cast BLOCKS = new Cast(3e-6, 1, 0.75);
    private static final Cast FOUR_BITS = new Cast(5e-6, 1, 0.55);

    static Cast of(NumberFormat format) {
      return switch (format) {
        case FP8 -> TENSOR;
        case MXFP4, NVFP4 -> FOUR_BITS;
        default -> BLOCKS;
      };
    }

    double seconds(double elements, NumberFormat format, GpuSpec gpu) {
      double rate = gpu.copyRate() * (gpu.stackedMemory() ? share : 1);
      return start + elements * (read * HALF + format.activationBytes()) / rate;
    }
  }

  /** Part of the memory's peak rate that large copies reach [Azure AI benchmarking guide: 0.86 A100, 0.87 H100]. */
  static final double MEMORY_SHARE = 0.86;

  private final GpuSpec gpu;
  private final KernelKind kind;
  private final NumberFormat format;
  private final double secondsPerFlop;
  private final double secondsPerExponential;
  private final double secondsPerSum;
  private final double secondsPerByte;
  private final double secondsPerCachedByte;
  private final double cache;
  private final double start;

  KernelRoofline(GpuSpec gpu, KernelKind kind, NumberFormat format) {
    this.gpu = gpu;
    this.kind = kind;
    this.format = format;
    boolean attention = kind.family() == KernelKind.Family.ATTENTION;
    secondsPerFlop = 1 / (attention ? gpu.insideAttention(format) : gpu.reached(format));
    secondsPerExponential = 1 / (gpu.exponentials() * gpu.units() * gpu.boostClock());
    secondsPerSum = 1 / (CACHE_WIDTH * gpu.units() * gpu.boostClock());
    secondsPerByte = 1 / gpu.copyRate();
    secondsPerCachedByte =
        Math.min(secondsPerByte, 1 / (CACHE_SHARE * CACHE_WIDTH * gpu.units() * 1e6 * gpu.clockMhz()));
    cache = CACHE_PART * gpu.cacheBytes();
    start = (kind == KernelKind.EXPERTS ? EXPERTS_START : START) * START_CLOCK / gpu.clockMhz();
  }

  GpuSpec gpu() {
    return gpu;
  }

  /**
   * Seconds of arithmetic alone. Attention multiplies at the peak rate ({@link GpuSpec#insideAttention}) and takes an
   * exponential of each query and key before or after: on H100 494, 659 and 791 Tflop/s with heads of 64, 128 and 256,
   * where 497, 648 and 740 are published [FlashAttention-3, figure 5 and abstract, forward in 16 bits without a mask,
   * 16k]. Gradients add sums in the cache, at most the width of its port in a clock, so that they take 2.8 times the
   * forward pass on Hopper, 3.0 on Blackwell and 3.2 on Blackwell Ultra with heads of 128.
   */
  double compute(double[] sizes) {
    double flops = kind.geometry().flops(sizes);
    double seconds = flops * (secondsPerFlop + kind.exponentialsPerFlop(sizes) * secondsPerExponential
        + kind.summedBytesPerFlop(sizes) * secondsPerSum);
    return kind.geometry() instanceof Geometries.Window window ? window.wholeTiles(sizes, queryTile()) * seconds
        : seconds;
  }

  private int queryTile() {
    return kind == KernelKind.ATTENTION_WINDOW_FORWARD && gpu.tensorMemory() ? 2 * QUERY_TILE : QUERY_TILE;
  }

  /** Seconds of traffic alone, that of a cast included. */
  double memory(double[] sizes) {
    double bytes = kind.geometry().bytes(sizes, format);
    double cached = cache / (cache + bytes);
    return bytes * (cached * secondsPerCachedByte + (1 - cached) * secondsPerByte);
  }

  /**
   * The time in seconds. With a window a multiprocessor has few tiles of keys between the queries that it reads and the
   * results that it writes, one block at a time, and gradients have kernels of their own before and behind their
   * products, so that traffic and arithmetic add up.
   */
  double seconds(double[] sizes) {
    if (kind.geometry() instanceof Geometries.Window) {
      return start + compute(sizes) + memory(sizes);
    }
    return start + Math.hypot(compute(sizes), memory(sizes)) + cast(sizes);
  }

  private double cast(double[] sizes) {
    return kind == KernelKind.LINEAR && format.casts() ? Cast.of(format).seconds(sizes[0] * sizes[2], format, gpu) : 0;
  }

  /** The time of the operations at the fastest rate of the data sheet. */
  double atPeak(double[] sizes) {
    return kind.geometry().flops(sizes) / gpu.fastest(format);
  }

  /** The least time that the data sheet allows. */
  double floor(double[] sizes) {
    return Math.max(kind.geometry().flops(sizes) / gpu.peak(format),
        kind.geometry().bytes(sizes, format) / gpu.bandwidth());
  }

  /** The resource that bounds a kernel. */
  Bound bound(double[] sizes) {
    double compute = compute(sizes);
    double memory = memory(sizes) + cast(sizes);
    if (Math.max(compute, memory) < start) {
      return Bound.LATENCY;
    }
    return compute >= memory ? Bound.COMPUTE : Bound.MEMORY;
  }
}
