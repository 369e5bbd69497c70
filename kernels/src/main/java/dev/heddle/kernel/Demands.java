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
  /** Error of sizes that coordinates give back. */
  private static final double WHOLE = 1e-6;
  /** Parts that experts' loads are counted in; already 4 give the power law's work within 0.01 points. */
  private static final int LOADS = 32;
  /** Shortest part of the tokens that the busiest expert has [AIConfigurator, at most 0.8]. */
  private static final double BUSIEST = 0.8;

  /** Tokens of a chunk of the gated delta rule [fla, chunk_gated_delta_rule]. */
  private static final int CHUNK = 64;
  /** Heads of queries and keys of the gated delta nets that are measured, and elements of a head [Qwen3-Next]. */
  private static final int KEY_HEADS = 16;
  private static final int HEAD = 128;
  /**
   * Bytes that the kernels of the gated delta rule in chunks move for each element of values: products of keys 2, their
   * triangular solution 6, weighted keys and values 7, states 10, outputs 8; and for each element of keys, which heads
   * of values share: 10. Then those of all of its tensors, each once [fla/ops/gated_delta_rule/chunk.py].
   */
  private static final double MOVED_OF_VALUES = 33;
  private static final double MOVED_OF_KEYS = 10;
  private static final double KEPT_OF_VALUES = 19;
  private static final double KEPT_OF_KEYS = 4;
  /** Tokens up to which gradients of look-ups are summed without a sort, and columns of a block [PyTorch]. */
  private static final int UNSORTED = 3072;
  private static final int WARP = 32;

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
      case GROUPED_GEMM -> demands.grouped();
      case GROUPED_GEMM_GRADIENT -> demands.groupedGradient();
      case UNPERMUTE -> demands.moving(sizes[0] * sizes[1] * (10 * sizes[2] + 2));
      case NORM_BACKWARD, RMS_NORM_BACKWARD -> demands.moving(10 * sizes[0] * sizes[1]);
      case CROSS_ENTROPY_FORWARD -> demands.moving(22 * sizes[0] * sizes[1]);
      case CROSS_ENTROPY_BACKWARD -> demands.moving(26 * sizes[0] * sizes[1]);
      case EMBEDDING_BACKWARD -> demands.lookUpGradient();
      default -> demands.unknown(kind);
    };
  }

  /**
   * The coefficient of the cache's port at which bytes take as long as from memory, which no cache is slower than; the
   * works that it bounds are those that grow with the cache.
   */
  static double slowestPort(GpuSpec gpu, KernelKind kind) {
    return PORT * gpu.units() * clock(gpu, kind) / gpu.copyRate();
  }

  private Demand demand(double bytes, double... work) {
    return Demand.of(gpu, Demand.traffic(gpu, bytes), work);
  }

  // Results take the place of operands, so that half of the bytes that move have to fit the cache.
  private Demand inPlace(double bytes, double... work) {
    return demandOf(bytes, bytes / 2, work);
  }

  // Bytes that move, of which a loop of measurement leaves those that it keeps in the cache where they fit.
  private Demand demandOf(double moved, double kept, double... work) {
    double beyond = Demand.beyondCache(gpu, kept);
    return Demand.of(gpu, moved * beyond / gpu.copyRate(), work);
  }

  // Operations at the rate of the best products, and bytes through the port of the cache.
  private Demand unknown(KernelKind kind) {
    double flops = kind.geometry().flops(s);
    double bytes = kind.geometry().bytes(s, format);
    return flops > 0 ? demand(bytes, flops / gpu.reached(format), port(bytes)) : moving(bytes);
  }

  // Bytes that the cache holds pass its port; all are read, worked on and written by instructions.
  private Demand moving(double bytes) {
    return demand(bytes, port(bytes), clocksOfAll(bytes));
  }

  /**
   * The gradient of look-ups as PyTorch has it: the table is zeroed; up to 3,072 tokens go one after the other through
   * a block for each 32 columns, more are sorted and summed by all [aten/native/cuda/Embedding.cu].
   */
  private Demand lookUpGradient() {
    boolean sorted = s[0] > UNSORTED;
    double bytes = KernelKind.EMBEDDING_BACKWARD.geometry().bytes(s, format);
    double rounds = Math.ceil(s[1] / WARP / gpu.units());
    return demand(bytes, port(bytes), clocksOfAll(bytes), clocksOfOne(sorted ? 0 : s[0] * rounds),
        clocksOfAll(sorted ? s[0] * s[1] : 0));
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

  // Engines write keys and values into their cache before, so that queries, keys and values move twice, and have to fit
  // the cache once; a cache of two parts holds them in both.
  private Demand attention(boolean masked, double passes, double traffic) {
    double width = s[5] + s[6];
    double tokens = s[0] * width / 2;
    double cached = format.weightBytes();
    double bytes = tokens * (s[3] * (2 * s[1] + 2 * s[1] + 2 * s[1] + 2 * s[1])
        + s[4] * s[2] * (4 + 2 * cached + 2 * cached));
    double sums = passes > 1 ? 4 * s[5] / ASYNCHRONOUS_TILE : 0;
    double kept = gpu.partitionedCache() ? bytes : bytes / 2;
    return attention(
        s[0] * s[1], new double[] {s[3], s[4]}, masked, new double[] {passes * 2 * width, passes, sums},
        new double[] {traffic * bytes, traffic * kept});
  }

  private Demand latent(double passes, double traffic) {
    double bytes = 320 * s[0] * s[1] * s[2] * (2 + format.weightBytes());
    double sums = passes > 1 ? 4 * 192.0 / ASYNCHRONOUS_TILE : 0;
    return attention(
        s[0] * s[1], new double[] {s[2], s[2]}, true, new double[] {passes * 2 * 320, passes, sums},
        new double[] {traffic * bytes, traffic * bytes});
  }

  // A pair takes operations, exponentials ({@link KernelKind#exponentialsPerFlop}) and bytes of sums in the cache; the
  // last are bytes that move, and those of them that have to fit the cache.
  private Demand attention(double heads, double[] lengths, boolean masked, double[] pair, double[] bytes) {
    double tile = gpu.asynchronousMatrixUnits() ? ASYNCHRONOUS_TILE : TILE;
    double queries = Math.ceil(lengths[0] / tile);
    double keys = Math.ceil(lengths[1] / tile);
    double tiles = masked ? queries * (Math.max(0, keys - queries) + (queries + 1) / 2) : queries * keys;
    double pairs = heads * tiles * tile * tile;
    double ofPair = softmax(pair[0] / gpu.reached(format), pair[1] / exponentials) + pair[2] / (PORT * clocks);
    double cached = bytes[0] * (1 - Demand.beyondCache(gpu, bytes[1])) / (PORT * clocks);
    return demandOf(bytes[0], bytes[1], clocksOfAll(heads * queries), clocksOfOne(keys * tile), pairs * ofPair, cached);
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
        / gpu.copyRate();
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
    double width = s[2] / s[5];
    double[] used = s[7] > 0 ? unequalLoads(local) : equalLoads(local);
    double rows = used[0];
    double active = used[1];
    double padded = used[2];
    double weights = 3 * active * s[1] * width * format.weightBytes();
    double others = rows * (8 * s[1] + 6 * width);
    double tiles = padded / EXPERT_TILE * (3 * width + s[1]) / PRODUCT_TILE;
    return Demand.of(gpu, Demand.traffic(gpu, weights) + Demand.traffic(gpu, others),
        6 * padded * s[1] * width / gpu.reached(format), clocksOfAll(tiles), clocksOfOne(s[1]),
        clocksOfAll(s[0] * s[3]), port(weights) + port(others));
  }

  // Equal loads are dealt in turn from the first expert on, which the measured rank has [AIConfigurator,
  // balanced_logits].
  private double[] equalLoads(double local) {
    double each = s[0] * s[3] / s[4];
    double active = Math.min(local, Math.ceil(local * each - WHOLE));
    return new double[] {Math.max(1, local * each), active,
        active * Math.max(1, Math.ceil(each / EXPERT_TILE)) * EXPERT_TILE};
  }

  // Of ranks that share experts the one with most rows is measured [AIConfigurator, power_law_logits]: it has the
  // expert with most, and else as many as the others. No expert has more rows than there are tokens.
  private double[] unequalLoads(double local) {
    double[] shares = loads((int) Math.max(1, Math.rint(s[4])), s[0], s[7] / 100);
    double[] sums = new double[3];
    for (int i = 0; i < shares.length; i++) {
      boolean most = i == shares.length - 1;
      double count = most ? Math.min(1, local) : Math.max(0, local - 1) / (shares.length - 1);
      double each = Math.min(s[0], Math.max(most ? 1 : 0, s[0] * s[3] * shares[i]));
      double used = most ? 1 : 1 - Math.exp(-each);
      sums[0] += count * each;
      sums[1] += count * used;
      sums[2] += count * used * Math.max(1, Math.ceil(each / EXPERT_TILE)) * EXPERT_TILE;
    }
    return sums;
  }

  // Whole tiles of each group's rows; a block takes one tile after the other, of all groups.
  private Demand grouped() {
    double tile = gpu.groupedTile();
    double active = 0;
    double rowTiles = 0;
    for (double share : loads(LOADS, s[1], s[4] / 100)) {
      double each = s[1] * share * LOADS / s[0];
      double used = s[4] > 0 ? 1 - Math.exp(-each) : Math.min(each, 1);
      active += used * s[0] / LOADS;
      rowTiles += Math.max(1, Math.ceil(each / tile)) * used * s[0] / LOADS;
    }
    double bytes = active * s[2] * s[3] * format.weightBytes();
    double others = s[1] * (s[3] * format.activationBytes() + 2 * s[2]);
    double waves = Math.ceil(rowTiles * Math.ceil(s[2] / tile) / gpu.units()) * gpu.units();
    return Demand.of(gpu, Demand.traffic(gpu, bytes) + Demand.traffic(gpu, others),
        2 * waves * tile * tile * s[3] / gpu.reached(format), clocksOfAll(waves), clocksOfOne(s[3]),
        clocksOfAll(bytes + others));
  }

  // All groups' gradients are written, those of groups without rows as zeros; rows are the inner size.
  private Demand groupedGradient() {
    double tiles = s[0] * Math.ceil(s[2] / PRODUCT_TILE) * Math.ceil(s[3] / PRODUCT_TILE);
    double results = 2 * s[0] * s[2] * s[3];
    double others = 2 * s[1] * (s[3] + s[2]);
    return Demand.of(gpu, Demand.traffic(gpu, results) + Demand.traffic(gpu, others),
        2 * s[1] * s[2] * s[3] / gpu.reached(format), clocksOfAll(tiles), clocksOfAll(results + others));
  }

  // Shares of the rows that equal parts of the experts have, under a power law [AIConfigurator, inverse transform],
  // the greatest last.
  private static double[] loads(int parts, double tokens, double exponent) {
    double[] shares = new double[parts];
    double most = Math.max(2, BUSIEST * tokens);
    double power = 1 - exponent;
    for (int i = 0; i < parts; i++) {
      double part = (i + 0.5) / parts;
      shares[i] = exponent == 0 ? 1
          : Math.abs(power) < 1e-6 ? Math.pow(most, part)
          : Math.pow((Math.pow(most, power) - 1) * part + 1, 1 / power);
    }
    double sum = Arrays.stream(shares).sum();
    for (int i = 0; i < parts; i++) {
      shares[i] /= sum;
    }
    return shares;
  }

  // The convolution of the tables runs over the queries' 16 heads of 128, whatever the heads of values.
  private Demand deltaNet(String variant) {
    double queries = KEY_HEADS * HEAD;
    double channels = variant.contains("conv1d") ? queries : 2 * queries + HEAD * s[3];
    return stateSpace(KernelKind.GATED_DELTA_NET, variant, new double[] {channels, s[3], HEAD * HEAD});
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
      return inPlace(20 * s[0] * channels, clocksOfAll(s[0] * channels), clocksOfOne(s[0]));
    }
    if (variant.contains("conv1d")) {
      return inPlace(4 * tokens * channels, clocksOfAll(tokens * channels), clocksOfAll(s[0] * channels),
          clocksOfOne(s[1]));
    }
    if (variant.contains("chunk")) {
      double chunks = Math.ceil(s[1] / CHUNK);
      double width = HEAD * layer[1];
      double keys = tokens * HEAD * KEY_HEADS;
      return demandOf(MOVED_OF_VALUES * tokens * width + MOVED_OF_KEYS * keys,
          KEPT_OF_VALUES * tokens * width + KEPT_OF_KEYS * keys, clocksOfAll(tokens * width), clocksOfAll(heads),
          clocksOfOne(chunks),
          clocksOfOne(chunks * Math.ceil(heads / gpu.units())));
    }
    if (variant.contains("recurrent")) {
      double bytes = 8 * heads * layer[2] + 2 * tokens * channels;
      return demand(bytes, clocksOfAll(bytes), clocksOfAll(heads), clocksOfOne(s[1]));
    }
    return unknown(kind);
  }
}
