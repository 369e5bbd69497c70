package dev.heddle.kernel;

import java.util.Arrays;

/**
 * Demands of kernels, from their shape. Works are counted in clocks of one multiprocessor, of all of them, or in
 * operations of matrix units at the rate of the best products; what a unit of each costs is not known here.
 */
final class Demands {
  /** Bytes that a multiprocessor reads of the cache in a clock. */
  private static final double PORT = 64;
  /** Edge of a tile of queries and keys [FlashAttention-2 §3.3, 64; FlashAttention-3 and -4, 128]. */
  private static final int TILE = 64;
  private static final int ASYNCHRONOUS_TILE = 128;
  /** Edge of a tile of products [CUTLASS, efficient GEMM]. */
  private static final int PRODUCT_TILE = 128;
  /** Keys from which on decode attention is split over multiprocessors [FlashDecoding]. */
  private static final int SPLIT = 1024;
  /** Copies of weights that the tables' products are measured on in turn [AIConfigurator, at most 5]. */
  private static final double COPIES = 5;
  /**
   * Rows of an expert's tile, 16 to 128 in kernels of grouped products: the least that Hopper's matrix units multiply
   * at once [PTX, wgmma m64]. With 32 or 128 experts of GPUs left out are 0.4 points apart.
   */
  private static final int EXPERT_TILE = 64;
  /** Parts that experts' loads are counted in; already 4 give the power law's work within 0.01 points. */
  private static final int LOADS = 32;
  /** Shortest part of the tokens that the busiest expert has [AIConfigurator, at most 0.8]. */
  private static final double BUSIEST = 0.8;

  private final GpuSpec gpu;
  private final NumberFormat format;
  private final double[] s;
  private final double clocks;
  private final double clock;
  private final double exponentials;

  private Demands(GpuSpec gpu, NumberFormat format, double[] sizes, double clock) {
    this.gpu = gpu;
    this.format = format;
    this.clock = clock;
    s = sizes;
    clocks = gpu.units() * clock;
    exponentials = gpu.exponentials() * clocks;
  }

  // Kernels of matrix units run at the boost clock of the sheet, which their power allows; light ones at the highest.
  private static double clock(GpuSpec gpu, KernelKind kind) {
    return switch (kind) {
      case ATTENTION_DECODE, LATENT_DECODE, LATENT_PROJECTION, GATED_DELTA_NET, MAMBA2 -> gpu.topClock();
      default -> kind.family() == KernelKind.Family.MEMORY ? gpu.topClock() : gpu.boostClock();
    };
  }

  /** The demand of a kernel; its variant tells which of a layer's kernels it is. */
  static Demand of(GpuSpec gpu, KernelKind kind, NumberFormat format, String variant, double[] sizes) {
    Demands demands = new Demands(gpu, format, sizes, clock(gpu, kind));
    return switch (kind) {
      case ATTENTION_FORWARD -> demands.attention(true, 1, 1);
      case ATTENTION_BACKWARD -> demands.attention(true, 2.5, 2);
      case ATTENTION_FULL_FORWARD -> demands.attention(false, 1, 1);
      case ATTENTION_FULL_BACKWARD -> demands.attention(false, 2.5, 2);
      case LATENT_PREFILL -> demands.latent(1, 1);
      case LATENT_BACKWARD -> demands.latent(2.6, 2);
      case ATTENTION_DECODE -> demands.decode();
      case LATENT_DECODE -> demands.latentDecode();
      case LATENT_PROJECTION -> demands.projection();
      case GEMM, GEMM_ADD -> demands.product();
      case LINEAR -> demands.layer();
      case EXPERTS -> demands.experts();
      case GATED_DELTA_NET -> demands.deltaNet(variant);
      case MAMBA2 -> demands.mamba(variant);
      case LAUNCH -> demands.launches();
      default -> demands.unknown(kind);
    };
  }

  /**
   * The coefficient of the cache's port at which bytes take as long as from memory, which no cache is slower than; the
   * works that it bounds are those that grow with the cache.
   */
  static double slowestPort(GpuSpec gpu, KernelKind kind) {
    return PORT * gpu.units() * clock(gpu, kind) / (KernelRoofline.MEMORY_SHARE * gpu.bandwidth());
  }

  private Demand demand(double bytes, double... work) {
    return Demand.of(gpu, Demand.traffic(gpu, bytes), work);
  }

  // Operations at the rate of the best products, and bytes through the port of the cache.
  private Demand unknown(KernelKind kind) {
    double flops = kind.geometry().flops(s);
    double bytes = kind.geometry().bytes(s, format);
    return flops > 0 ? demand(bytes, flops / gpu.reached(format), port(bytes))
        : demand(bytes, port(bytes));
  }

  // Empty kernels in a row move nothing; each takes clocks of its own behind the start of the first.
  private Demand launches() {
    return demand(0, clocksOfOne(s[0]));
  }

  // Bytes that the cache holds pass its port alone.
  private double port(double bytes) {
    return bytes * (1 - Demand.beyondCache(gpu, bytes)) / (PORT * clocks);
  }

  private double clocksOfAll(double work) {
    return work / clocks;
  }

  private double clocksOfOne(double work) {
    return work / clock;
  }

  // Engines write keys and values into their cache before, so that queries, keys and values move twice.
  private Demand attention(boolean masked, double passes, double traffic) {
    double width = s[5] + s[6];
    double tokens = s[0] * width / 2;
    double cached = format.weightBytes();
    double bytes = tokens * (s[3] * (2 * s[1] + 2 * s[1] + 2 * s[1] + 2 * s[1])
        + s[4] * s[2] * (4 + 2 * cached + 2 * cached));
    double sums = passes > 1 ? 4 * s[5] / ASYNCHRONOUS_TILE : 0;
    return attention(
        s[0] * s[1], new double[] {s[3], s[4]}, masked, new double[] {passes * 2 * width, passes, sums},
        traffic * bytes);
  }

  private Demand latent(double passes, double traffic) {
    double bytes = 320 * s[0] * s[1] * s[2] * (2 + format.weightBytes());
    double sums = passes > 1 ? 4 * 192.0 / ASYNCHRONOUS_TILE : 0;
    return attention(
        s[0] * s[1], new double[] {s[2], s[2]}, true, new double[] {passes * 2 * 320, passes, sums}, traffic * bytes);
  }

  // A pair takes operations, exponentials ({@link KernelKind#exponentialsPerFlop}) and bytes of sums in the cache.
  private Demand attention(double heads, double[] lengths, boolean masked, double[] pair, double bytes) {
    double tile = gpu.asynchronousMatrixUnits() ? ASYNCHRONOUS_TILE : TILE;
    double queries = Math.ceil(lengths[0] / tile);
    double keys = Math.ceil(lengths[1] / tile);
    double tiles = masked ? queries * (Math.max(0, keys - queries) + (queries + 1) / 2) : queries * keys;
    double pairs = heads * tiles * tile * tile;
    double ofPair = softmax(pair[0] / gpu.reached(format), pair[1] / exponentials) + pair[2] / (PORT * clocks);
    return demand(bytes, clocksOfAll(heads * queries), clocksOfOne(keys * tile), pairs * ofPair,
        port(bytes));
  }

  // Products and exponentials of tiles wait for each other; where sums stay in a memory of the matrix units, two tiles
  // of queries take turns, and exponentials are also worked out by products and sums [FlashAttention-4 §3].
  private double softmax(double products, double exponentials) {
    return gpu.tensorMemory() ? Math.hypot(products, exponentials) : products + exponentials;
  }

  private Demand decode() {
    double flops = KernelKind.ATTENTION_DECODE.geometry().flops(s);
    double bytes = KernelKind.ATTENTION_DECODE.geometry().bytes(s, format);
    double softmax = flops * KernelKind.ATTENTION_DECODE.exponentialsPerFlop(s);
    return demand(bytes, clocksOfAll(s[0] * s[2]), clocksOfAll(s[0] * s[1]), clocksOfOne(Math.min(s[3], SPLIT)),
        port(bytes), flops / gpu.reached(format) + softmax / exponentials);
  }

  // Older kernels run through the whole context on one multiprocessor, 64 heads of a sequence at a time.
  private Demand latentDecode() {
    double flops = KernelKind.LATENT_DECODE.geometry().flops(s);
    double bytes = KernelKind.LATENT_DECODE.geometry().bytes(s, format);
    double softmax = flops * KernelKind.LATENT_DECODE.exponentialsPerFlop(s);
    double rounds = Math.ceil(s[0] * Math.ceil(s[1] / 64) / gpu.units());
    return demand(bytes, clocksOfAll(s[0] * s[1]), clocksOfOne(Math.min(s[2], SPLIT)), clocksOfOne(s[2] * rounds),
        port(bytes), flops / gpu.reached(format) + softmax / exponentials);
  }

  private Demand projection() {
    double flops = KernelKind.LATENT_PROJECTION.geometry().flops(s);
    double bytes = KernelKind.LATENT_PROJECTION.geometry().bytes(s, format);
    return demand(bytes, flops / gpu.reached(format), clocksOfAll(s[1] * Math.ceil(s[0] / TILE)),
        port(bytes));
  }

  // Weights are measured in copies in turn, which fit the cache together or not at all.
  private Demand product() {
    double weights = s[1] * s[2] * format.weightBytes();
    double others = s[0] * s[2] * format.activationBytes() + s[0] * s[1] * format.resultBytes();
    double memory = (weights * Demand.beyondCache(gpu, COPIES * weights) + others * Demand.beyondCache(gpu, others))
        / (KernelRoofline.MEMORY_SHARE * gpu.bandwidth());
    double tiles = Math.ceil(s[0] / PRODUCT_TILE) * Math.ceil(s[1] / PRODUCT_TILE);
    double waves = Math.ceil(tiles / gpu.units()) * gpu.units();
    return Demand.of(gpu, memory, 2 * s[0] * s[1] * s[2] / gpu.reached(format),
        2 * waves * PRODUCT_TILE * PRODUCT_TILE * s[2] / gpu.reached(format), clocksOfOne(s[2]),
        port(weights) + port(others));
  }

  private Demand layer() {
    Demand product = product();
    if (!format.casts()) {
      return product;
    }
    double bytes = 4 * s[0] * s[2];
    double beyond = Demand.beyondCache(gpu, bytes);
    double[] work = Arrays.copyOf(product.work(), product.work().length + 2);
    work[work.length - 2] = port(bytes);
    work[work.length - 1] = bytes * beyond / gpu.bandwidth();
    return new Demand(product.start(), product.memory(), work);
  }

  private Demand experts() {
    double local = s[4] / s[6];
    double rows = s[0] * s[3] / s[6];
    double width = s[2] / s[5];
    double active = 0;
    double padded = 0;
    for (double share : loads(s[0], s[7] / 100)) {
      double each = rows * share * LOADS / local;
      double used = s[7] > 0 ? 1 - Math.exp(-each) : Math.min(each, 1);
      active += used * local / LOADS;
      padded += Math.max(1, Math.ceil(each / EXPERT_TILE)) * EXPERT_TILE * used * local / LOADS;
    }
    double weights = 3 * active * s[1] * width * format.weightBytes();
    double others = rows * (8 * s[1] + 6 * width);
    double tiles = padded / EXPERT_TILE * (3 * width + s[1]) / PRODUCT_TILE;
    return Demand.of(gpu, Demand.traffic(gpu, weights) + Demand.traffic(gpu, others),
        6 * padded * s[1] * width / gpu.reached(format), clocksOfAll(tiles), clocksOfOne(s[1]),
        clocksOfAll(s[0] * s[3]), port(weights) + port(others));
  }

  // Shares of the rows that equal parts of the experts have, under a power law [AIConfigurator, inverse transform].
  private static double[] loads(double tokens, double exponent) {
    double[] shares = new double[LOADS];
    double most = Math.max(2, BUSIEST * tokens);
    double power = 1 - exponent;
    for (int i = 0; i < LOADS; i++) {
      double part = (i + 0.5) / LOADS;
      shares[i] = exponent == 0 ? 1
          : Math.abs(power) < 1e-6 ? Math.pow(most, part)
          : Math.pow((Math.pow(most, power) - 1) * part + 1, 1 / power);
    }
    double sum = Arrays.stream(shares).sum();
    for (int i = 0; i < LOADS; i++) {
      shares[i] /= sum;
    }
    return shares;
  }

  // The convolution of the tables runs over the queries' 16 heads of 128, whatever the heads of values.
  private Demand deltaNet(String variant) {
    double queries = 16 * 128;
    double channels = variant.contains("conv1d") ? queries : 2 * queries + 128 * s[3];
    return stateSpace(KernelKind.GATED_DELTA_NET, variant, new double[] {channels, s[3], 128 * 128});
  }

  private Demand mamba(String variant) {
    return stateSpace(KernelKind.MAMBA2, variant, new double[] {64 * s[3] + 2 * 8 * s[4], s[3], 64 * s[4]});
  }

  /**
   * A kernel of a state-space layer: convolution over sequences or of one token, the recurrence in chunks of 64 tokens,
   * or of one token.
   *
   * @param layer channels, heads, and elements of a head's state
   */
  private Demand stateSpace(KernelKind kind, String variant, double[] layer) {
    double channels = layer[0];
    double heads = s[0] * layer[1];
    double tokens = s[0] * s[1];
    if (variant.contains("conv1d-update")) {
      return demand(20 * s[0] * channels, clocksOfAll(s[0] * channels), clocksOfOne(s[0]));
    }
    if (variant.contains("conv1d")) {
      return demand(4 * tokens * channels, clocksOfAll(tokens * channels), clocksOfAll(s[0] * channels),
          clocksOfOne(s[1]));
    }
    if (variant.contains("chunk")) {
      double chunks = Math.ceil(s[1] / 64);
      double width = 128 * layer[1];
      double bytes = tokens * (2 * channels + 4 * width) + tokens / 64 * layer[1] * layer[2] * 4;
      return demand(bytes, clocksOfAll(tokens * width), clocksOfAll(heads), clocksOfOne(chunks),
          clocksOfOne(chunks * Math.ceil(heads / gpu.units())));
    }
    if (variant.contains("recurrent")) {
      double bytes = 8 * heads * layer[2] + 2 * tokens * channels;
      return demand(bytes, clocksOfAll(bytes), clocksOfAll(heads), clocksOfOne(s[1]));
    }
    return unknown(kind);
  }
}
