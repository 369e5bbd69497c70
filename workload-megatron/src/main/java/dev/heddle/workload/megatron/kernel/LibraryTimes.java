package dev.heddle.workload.megatron.kernel;

import com.google.common.collect.ImmutableMap;
import dev.heddle.kernel.Basis;
import dev.heddle.kernel.Bound;
import dev.heddle.kernel.GpuSpec;
import dev.heddle.kernel.KernelEstimate;
import dev.heddle.kernel.KernelKind;
import dev.heddle.kernel.KernelLibrary;
import dev.heddle.kernel.KernelQuery;
import dev.heddle.kernel.NumberFormat;
import dev.heddle.kernel.SustainedClock;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Accelerator.Vendor;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Precision;
import dev.heddle.workload.megatron.model.StateSpace;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Kernel times of the library of measured kernels, at the clock that {@link KernelTiming#clock} states, and of the
 * roofline where the library knows neither the kernel nor a near relative of the accelerator. All ranks wait for the
 * slowest of a job's accelerators, so that times are its: kernels at the limit of power run at its clock.
 */
public final class LibraryTimes implements KernelTimes {
  /** Half-width of an interval of 90 % around the generation's roofline: the error on rows held out of its figures. */
  static final double MODELLED_ERROR = 0.3;
  /** The same around a user's own measurement. */
  static final double REPEATS = 0.05;

  /** Queries or keys of a tile of attention, of which a kernel works out whole ones, as in AttentionCore. */
  private static final int TILE = 128;

  /** The same of gradients, or of passes in 8 bits, whose forward pass in 16 bits is measured. */
  private static final double GRADIENTS_ERROR = 0.15;
  /** The same of the products of a group of experts [docs/validation/kernels.md, grouped products held out]. */
  private static final double GROUPS_ERROR = 0.2;
  /** The same of a window, whose time without it is known. */
  private static final double WINDOW_ERROR = 0.2;
  /** Names of attention's software in the library's tables. */
  private static final String CUDNN = "cudnn";
  private static final String FLASH = "flash";
  private static final String NVIDIA = "nvidia";

  private static final String HOPPER = "hopper";
  private static final String CDNA3 = "cdna3";
  private static final String CDNA4 = "cdna4";
  /**
   * The gradients of AITER's attention that training takes. With CDNA 3 sums of the gradients of queries are atomic in
   * 32 bits, with CDNA 4 they are in 16 [AMD-AGI/Primus, PRIMUS_TURBO_ATTN_V3_ATOMIC_FP32 and
   * NVTE_CK_IS_V3_ATOMIC_FP32: 1 on MI300X and MI325X only].
   */
  private static final ImmutableMap<String, String> AITER_GRADIENTS =
      ImmutableMap.of(CDNA3, "aiter-a32", CDNA4, "aiter-a16");
  private static final String AITER = "aiter";
  /**
   * Time of both gradients of a linear layer over that of two products of the tables, whose factors lie along the inner
   * size: on CDNA 3 hipBLASLt's kernels of the other two layouts are slower [Primus-Turbo on MI300X, geometric mean of
   * 48 layers, verification/kernels/primus-turbo-gradients.csv, calibration].
   */
  private static final double OTHER_LAYOUTS = 1.056;

  /**
   * Elements of the inner size that matrix units sum up before vector units add them: four instructions of 32 [CUTLASS,
   * sm90_mma_tma_gmma_ss_warpspecialized_fp8: mma_promotion_interval]. One after the other, 8,192 x 8,192 x 8,192 takes
   * 1.17 times as long; users see 1.1 to 1.2 [pytorch/ao, issue 2377].
   */
  private static final double PROMOTED = 128;
  /** The error of these additions, which a kernel may hide in part. */
  private static final double PROMOTION_ERROR = 0.1;

  /**
   * Time of the causal convolution of training, whose channels lie beside each other, over that of the engines in the
   * tables: 0.532 ms for 8 sequences of 4,096 tokens of Nemotron 3 Nano on H100, where the table has 0.31; and that of
   * its gradients, 0.365 ms where the forward pass takes 0.191 [nsys profiles final6 and final8 of
   * GiscardBiamby/Automodel-scalingai-f26, mfu/results].
   */
  private static final double CHANNELS_LAST = 1.7;
  private static final double CONVOLUTION_GRADIENTS = 1.9;

  /**
   * Clocks of a multiprocessor for an element of the gate, in the gradients of a gated activation of Megatron-Core.
   * PyTorch makes one kernel of them, which works out each element of both gradients, laid side by side, as if it were
   * of either [fused_bias_swiglu.py: swiglu_back ends with a concatenation], so that instructions limit it and not the
   * memory: 0.341 ms for 8,192 x 13,312 on a B200, the mean of 26,387 kernels of three ranks [nsys profile of Llama 3.1
   * 405B in NVFP4 on 256 B200 with NeMo 26.02, Together AI, 2026-04-10].
   */
  private static final double GATE_GRADIENT_CLOCKS = 0.91;

  private static final int MEASURED_HEAD = 64;
  private static final int MEASURED_GROUPS = 8;

  private final KernelLibrary library;
  private final Accelerator accelerator;
  private final Optional<GpuSpec> gpu;
  private final KernelTiming timing;
  private final KernelTimes modelled;
  private final Optional<SustainedClock> limited;
  private final Optional<SustainedClock> clock;
  private final Optional<SustainedClock> slowest;
  /** The clock of tables that are means of runs in a row; empty where they are of runs after a rest. */
  private final Optional<SustainedClock> measured;
  private final Map<Kernel, Known> known = new LinkedHashMap<>();

  /**
   * A kernel's time on accelerators of the mean clock, and that of the slowest over it.
   *
   * @param mean estimate at the mean clock
   * @param slowestFactor at least 1
   */
  private record Known(KernelEstimate mean, double slowestFactor) {
    KernelEstimate slowest() {
      return new KernelEstimate(
          mean.seconds() * slowestFactor, mean.relativeError(), mean.bound(), mean.basis(), mean.source());
    }
  }

  /**
   * Prepares the times of an accelerator.
   *
   * @param accelerator of the job
   * @param timing of its generation, for kernels that the library lacks
   * @param modelled times of all other kernels
   * @param clockLoss share by which the clock of the slowest accelerator at its limit of power is below the mean
   */
  public LibraryTimes(
      KernelLibrary library, Accelerator accelerator, KernelTiming timing, KernelTimes modelled, double clockLoss) {
    this.library = library;
    this.accelerator = accelerator;
    this.timing = timing;
    this.modelled = modelled;
    gpu = library.gpus().find(accelerator.name());
    limited = gpu.map(this::limited);
    clock = timing.clock() == KernelClock.SUSTAINED ? limited : Optional.empty();
    slowest = clock.map(each -> each.slower(clockLoss));
    measured = clock.isPresent() ? gpu.filter(GpuSpec::measuredInARow).map(SustainedClock::of) : Optional.empty();
  }

  private SustainedClock limited(GpuSpec spec) {
    SustainedClock own = SustainedClock.of(spec);
    if (timing.powerLimit().stream().anyMatch(watts -> watts <= own.idleWatts() || watts > own.limitWatts())) {
      throw new InvalidSettingException("kernels.power-limit", "must be above the " + Math.round(own.idleWatts())
          + " W of an idle " + spec.name() + " and at most the " + Math.round(own.limitWatts())
          + " W of its data sheet, but is " + timing.powerLimit().get());
    }
    return timing.powerLimit().map(own::limitedTo).orElse(own);
  }

  @Override
  public double seconds(Kernel kernel) {
    return estimate(kernel).seconds();
  }

  /** The power of kernels; empty where the library does not know the accelerator's. */
  public Optional<KernelPower> power(List<Kernel> kernels) {
    return limited.map(power -> KernelPower.of(power, kernels, this));
  }

  /** The time of a kernel and its basis. */
  public KernelEstimate estimate(Kernel kernel) {
    return knownTime(kernel).slowest();
  }

  /** The time of a kernel on an accelerator of the mean clock, in seconds. */
  public double meanSeconds(Kernel kernel) {
    return knownTime(kernel).mean().seconds();
  }

  private synchronized Known knownTime(Kernel kernel) {
    return known.computeIfAbsent(kernel, this::workOut);
  }

  private Known workOut(Kernel kernel) {
    if (kernel instanceof Kernel.QuantisedAttention narrow) {
      Known wide = workOut(narrow.wide());
      KernelEstimate mean = wide.mean();
      return new Known(new KernelEstimate(timing.relativeTime(narrow) * mean.seconds(),
          Math.hypot(mean.relativeError(), GRADIENTS_ERROR), mean.bound(),
          mean.basis() == Basis.MEASURED ? Basis.INTERPOLATED : mean.basis(),
          mean.source() + " times the published ratio of 8 to 16 bits"), wide.slowestFactor());
    }
    KernelEstimate found = gpu.flatMap(spec -> measured(spec, kernel)).filter(each -> each.basis() != Basis.MODELLED)
        .orElse(null);
    if (found == null) {
      double seconds = modelled.seconds(kernel);
      KernelEstimate roofline = new KernelEstimate(
          seconds, MODELLED_ERROR, Bound.LATENCY, Basis.MODELLED, "roofline");
      return new Known(roofline, lasting(slowest, kernel, roofline) / lasting(clock, kernel, roofline));
    }
    double kept = lasting(clock, kernel, found);
    double mean = kept * (found.seconds() / lasting(measured, kernel, found));
    return new Known(
        new KernelEstimate(mean, found.relativeError(), found.bound(), found.basis(), found.source()),
        lasting(slowest, kernel, found) / kept);
  }

  private Optional<KernelEstimate> measured(GpuSpec spec, Kernel kernel) {
    if (kernel instanceof Kernel.BlockScaled scaled
        && (scaled.product().batch() == 1 || scaled.product().ofExperts())) {
      return product(spec, scaled.product(), scaled.format().number());
    }
    if (kernel instanceof Kernel.Gemm gemm && (gemm.batch() == 1 || gemm.ofExperts())) {
      NumberFormat format = format(gemm.precision());
      // The generation's roofline was calibrated on products in fp16; bf16's times would stand in for them here.
      if (format == NumberFormat.FP16 && !library.holds(spec, KernelKind.GEMM, format)) {
        return Optional.empty();
      }
      return product(spec, gemm, format);
    }
    if (kernel instanceof Kernel.Attention attention && tabulated(spec, attention)) {
      KernelEstimate all = square(spec, attention);
      return Optional.of(attention.window() > 0 ? windowed(spec, attention, all) : pairs(attention, all));
    }
    if (kernel instanceof Kernel.Convolution convolution) {
      return convolution(spec, convolution);
    }
    // Measured with PyTorch on Hopper; the figures of older generations were calibrated on kernels of their own.
    return spec.vendor().equals(NVIDIA) && !AttentionKernel.isBeforeHopper(spec.architecture())
        ? ofPyTorch(spec, kernel) : Optional.empty();
  }

  // PyTorch compiles sums and activations in Megatron-Core too [Megatron-Core, jit.py]; norms and losses are its own
  // only where the job says so.
  private Optional<KernelEstimate> ofPyTorch(GpuSpec spec, Kernel kernel) {
    if (kernel instanceof Kernel.Elementwise each) {
      return vectors(spec, each.function().measured(), each.rows(), each.columns())
          .map(found -> each.function() == ElementFunction.GATED_ACTIVATION_GRADIENT
              ? concatenated(spec, each, found) : found);
    }
    if (kernel instanceof Kernel.Loss loss) {
      return vectors(spec, loss.backward() ? KernelKind.CROSS_ENTROPY_BACKWARD : KernelKind.CROSS_ENTROPY_FORWARD,
          loss.tokens(), loss.words());
    }
    if (kernel instanceof Kernel.Norm norm && norm.kernel() == NormKernel.FUSED) {
      return vectors(spec, norm.backward() ? KernelKind.NORM_BACKWARD : KernelKind.NORM_FORWARD, norm.tokens(),
          norm.hidden());
    }
    return Optional.empty();
  }

  // The table's kernel has both halves as tensors of their own.
  private static KernelEstimate concatenated(GpuSpec spec, Kernel.Elementwise gate, KernelEstimate apart) {
    double seconds = GATE_GRADIENT_CLOCKS * gate.rows() * gate.columns() / (spec.units() * spec.topClock());
    return seconds <= apart.seconds() ? apart
        : new KernelEstimate(seconds, GRADIENTS_ERROR, Bound.LATENCY,
            apart.basis() == Basis.MEASURED ? Basis.INTERPOLATED : apart.basis(),
            "instructions of Megatron-Core's kernel, as counted on B200");
  }

  private Optional<KernelEstimate> vectors(GpuSpec spec, KernelKind kind, long rows, long columns) {
    return Optional.of(library.estimate(KernelQuery.of(spec, kind, NumberFormat.BF16, rows, columns)));
  }

  // The tables hold the convolution of whole mixers of such heads and groups. A rank's share of the channels takes the
  // time of that share of the tokens.
  private Optional<KernelEstimate> convolution(GpuSpec spec, Kernel.Convolution kernel) {
    StateSpace mixer = kernel.mixer();
    if (mixer.headSize() != MEASURED_HEAD || mixer.groups() != MEASURED_GROUPS) {
      return Optional.empty();
    }
    KernelEstimate found = library.estimate(KernelQuery.of(spec, KernelKind.MAMBA2, NumberFormat.BF16,
        kernel.sequences(), Math.max(1, kernel.length() / kernel.ranks()), kernel.hidden(), mixer.heads(),
        mixer.state()));
    double factor = kernel.backward() ? CHANNELS_LAST * CONVOLUTION_GRADIENTS : CHANNELS_LAST;
    return Optional.of(new KernelEstimate(factor * found.seconds(), Math.hypot(found.relativeError(), GRADIENTS_ERROR),
        found.bound(), found.basis() == Basis.MEASURED ? Basis.INTERPOLATED : found.basis(),
        found.source() + " times the time of training's kernel by that of an engine's"));
  }

  private Optional<KernelEstimate> product(GpuSpec spec, Kernel.Gemm gemm, NumberFormat format) {
    KernelKind kind = gemm.resultBytes() > 4 ? KernelKind.GEMM_ADD : KernelKind.GEMM;
    KernelEstimate fast =
        library.estimate(KernelQuery.of(spec, kind, format, gemm.batch() * gemm.m(), gemm.n(), gemm.k()));
    KernelEstimate one = fast;
    if (gemm.ofGradients() && format == NumberFormat.FP8 && spec.architecture().equals(HOPPER)) {
      one = promoted(gemm, fast);
    } else if (gemm.ofGradients() && format == NumberFormat.BF16 && spec.architecture().equals(CDNA3)) {
      one = inOtherLayouts(fast);
    }
    return Optional.of(gemm.batch() == 1 ? one : grouped(spec, gemm, one));
  }

  private static KernelEstimate inOtherLayouts(KernelEstimate fast) {
    return new KernelEstimate(OTHER_LAYOUTS * fast.seconds(), Math.hypot(fast.relativeError(), REPEATS), fast.bound(),
        fast.basis() == Basis.MEASURED ? Basis.INTERPOLATED : fast.basis(),
        fast.source() + " times the gradients' layouts");
  }

  // The tables accumulate fast. Gradients do not [Transformer Engine, module/base.py: _2X_ACC_DGRAD, _2X_ACC_WGRAD]:
  // Hopper's matrix units then sum up a part of the inner size, which the vector units add to the result.
  private KernelEstimate promoted(Kernel.Gemm gemm, KernelEstimate fast) {
    double additions = gemm.flops() / 2 / PROMOTED;
    double seconds = accelerator.peak(Precision.FP32).map(peak -> additions / (peak.flopPerSecond() / 2)).orElse(0.0);
    return new KernelEstimate(fast.seconds() + seconds, Math.hypot(fast.relativeError(), PROMOTION_ERROR),
        fast.bound(), fast.basis() == Basis.MEASURED ? Basis.INTERPOLATED : fast.basis(),
        fast.source() + " and additions of partial sums");
  }

  // A group's products take the time of one with the rows of all, times the ratio of both in 16 bits: the last tiles of
  // each are not full, and each has weights of its own.
  private KernelEstimate grouped(GpuSpec spec, Kernel.Gemm gemm, KernelEstimate one) {
    long groups = gemm.batch();
    KernelEstimate group = library.estimate(gemm.ofWeights()
        ? KernelQuery.of(spec, KernelKind.GROUPED_GEMM_GRADIENT, NumberFormat.BF16, groups, groups * gemm.k(),
            gemm.m(), gemm.n(), 0)
        : KernelQuery.of(spec, KernelKind.GROUPED_GEMM, NumberFormat.BF16, groups, groups * gemm.m(), gemm.n(),
            gemm.k(), 0));
    double rows = library.estimate(
        KernelQuery.of(spec, KernelKind.GEMM, NumberFormat.BF16, groups * gemm.m(), gemm.n(), gemm.k())).seconds();
    double ratio = group.basis() == Basis.MODELLED ? 1 : Math.max(1, group.seconds() / rows);
    return new KernelEstimate(ratio * one.seconds(), Math.hypot(one.relativeError(), GROUPS_ERROR), one.bound(),
        one.basis() == Basis.MEASURED ? Basis.INTERPOLATED : one.basis(),
        one.source() + " times the ratio of a group's products to one product with its rows");
  }

  // The time of as many queries and keys. Heads of latent attention have a kernel and tables of their own.
  private KernelEstimate square(GpuSpec spec, Kernel.Attention attention) {
    String software = software(spec, attention);
    if (attention.latent()) {
      return library.estimate(new KernelQuery(spec,
          attention.backward() ? KernelKind.LATENT_BACKWARD : KernelKind.LATENT_PREFILL, NumberFormat.BF16, software,
          new long[] {attention.sequences(), attention.heads(), attention.queries()}));
    }
    return library.estimate(new KernelQuery(spec,
        attention.backward() ? KernelKind.ATTENTION_BACKWARD : KernelKind.ATTENTION_FORWARD, NumberFormat.BF16,
        software, new long[] {attention.sequences(), attention.heads(), attention.keyHeads(), attention.queries(),
            attention.queries(), attention.keySize(), attention.valueSize()}));
  }

  // A window leaves the tiles of keys that its queries see, and the traffic of all; gradients and the forward pass have
  // other tiles.
  private KernelEstimate windowed(GpuSpec spec, Kernel.Attention attention, KernelEstimate all) {
    double share = library.windowShare(KernelQuery.of(spec,
        attention.backward() ? KernelKind.ATTENTION_WINDOW_BACKWARD : KernelKind.ATTENTION_WINDOW_FORWARD,
        NumberFormat.BF16, attention.sequences(), attention.heads(), attention.keyHeads(), attention.queries(),
        attention.queries(), attention.keySize(), attention.valueSize(), attention.window()));
    return share == 1 ? all : new KernelEstimate(share * all.seconds(),
        Math.hypot(all.relativeError(), WINDOW_ERROR), all.bound(),
        all.basis() == Basis.MEASURED ? Basis.INTERPOLATED : all.basis(),
        all.source() + " times the work of its window");
  }

  // Each query sees half of the keys in the mean. Where ranks share a sequence, the first step has as many queries as
  // keys and a mask, for which it works out whole tiles along the diagonal; each further one has half of the queries or
  // of the keys and no mask, thus as many pairs without those halves of tiles.
  private static KernelEstimate pairs(Kernel.Attention attention, KernelEstimate found) {
    double tiles = Math.ceil((double) attention.queries() / TILE);
    double more = (double) attention.keys() / attention.queries() - 1;
    double pairs = more > 0 && attention.window() == 0 ? 1 + more * tiles / (tiles + 1) : 1 + more;
    return pairs == 1 ? found : new KernelEstimate(found.seconds() * pairs, Math.hypot(found.relativeError(), 0.05),
        found.bound(), found.basis() == Basis.MEASURED ? Basis.INTERPOLATED : found.basis(), found.source());
  }

  // Before Hopper the engine's tables hold FlashAttention-2's algorithm, the newest there; from Hopper on those of
  // PyTorch's FlashAttention-2 and of cuDNN are told apart. With AMD's, Transformer Engine and Primus-Turbo call
  // AITER's kernels of the same algorithm, which are written for CDNA 3 and 4.
  private boolean tabulated(GpuSpec spec, Kernel.Attention attention) {
    AttentionKernel kernel = attention.kernel().on(accelerator);
    boolean second = spec.vendor().equals(NVIDIA) || AITER_GRADIENTS.containsKey(spec.architecture());
    return attention.causal() && (kernel == AttentionKernel.FLASH_2 && second
        || kernel == AttentionKernel.FLASH_3 && !AttentionKernel.isBeforeHopper(spec.architecture()));
  }

  private String software(GpuSpec spec, Kernel.Attention attention) {
    if (AITER_GRADIENTS.containsKey(spec.architecture())) {
      return attention.backward() ? AITER_GRADIENTS.get(spec.architecture()) : AITER;
    }
    return AttentionKernel.isBeforeHopper(spec.architecture()) || !spec.vendor().equals(NVIDIA) ? ""
        : attention.kernel().on(accelerator) == AttentionKernel.FLASH_2 ? FLASH : CUDNN;
  }

  private double lasting(Optional<SustainedClock> kept, Kernel kernel, KernelEstimate found) {
    return kept.map(each -> powerOf(kernel, each))
        .map(each -> each.sustained(format(kernel), busy(each, kernel, found), kernel.bytes(), found.seconds()))
        .orElse(found.seconds());
  }

  /** Energy in J of a kernel that takes as long as estimated. */
  double joules(SustainedClock power, Kernel kernel, KernelEstimate found) {
    return powerOf(kernel, power).joules(format(kernel), busy(power, kernel, found), kernel.bytes(), found.seconds());
  }

  private static double busy(SustainedClock power, Kernel kernel, KernelEstimate found) {
    return power.busy(format(kernel), found.bound(), kernel.flops(), found.seconds());
  }

  // FlashAttention-2 multiplies as Ampere does.
  private SustainedClock powerOf(Kernel kernel, SustainedClock power) {
    return kernel instanceof Kernel.Attention attention
        && attention.kernel().on(accelerator) == AttentionKernel.FLASH_2 && accelerator.vendor() == Vendor.NVIDIA
        && !AttentionKernel.isBeforeHopper(accelerator.architecture()) ? power.withOlderInstruction() : power;
  }

  /** The number format of a kernel's factors. */
  static NumberFormat format(Kernel kernel) {
    if (kernel instanceof Kernel.BlockScaled scaled) {
      return scaled.format().number();
    }
    return kernel instanceof Kernel.Gemm gemm ? format(gemm.precision()) : NumberFormat.BF16;
  }

  private static NumberFormat format(Precision precision) {
    return switch (precision) {
      case FP64, FP64_MATRIX, FP32 -> NumberFormat.FP32;
      case TF32 -> NumberFormat.TF32;
      case FP16 -> NumberFormat.FP16;
      case BF16 -> NumberFormat.BF16;
      case FP8 -> NumberFormat.FP8;
    };
  }
}
