package dev.heddle.kernel;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Times of accelerators that were not measured, carried over from those that were ({@link CarryOver}): from the nearest
 * of the same generation alone, else from the nearest of each generation whose software has the same kernel, if need be
 * in another format, as their geometric mean; then from those whose kernels are others, of other vendors only where
 * none of its own has it. An accelerator counts by how little its data sheet differs and how well the resources explain
 * its table.
 */
final class Transfer {
  /** Error within a generation, which nine of ten times keep [docs/validation/kernels.md, GPUs left out in turn]. */
  private static final double SAME_GENERATION = 0.15;
  /** Times of the doubt that nine of ten times of another generation keep [the same]. */
  private static final double DOUBTS = 2.1;
  /** Error that each factor e of rates adds between two generations, and that of a table no resources explain. */
  private static final double PER_RATE = 0.1;
  private static final double UNEXPLAINED = 0.3;
  /**
   * Doubt of a table that its resources explain without error, between that of repeats and {@link #PER_RATE}, so that
   * no accelerator counts alone; halved or doubled GPUs left out stay the same.
   */
  private static final double LEAST_DOUBT = 0.05;

  private final KernelLibrary library;

  Transfer(KernelLibrary library) {
    this.library = library;
  }

  /**
   * A time carried over.
   *
   * @param doubt by which the accelerator counts less
   */
  private record Carried(GpuSpec from, KernelEstimate estimate, double doubt) {}

  /** The time carried over from accelerators that know the kernel. */
  Optional<KernelEstimate> estimate(KernelQuery query) {
    return estimate(query, library.nearest(query.gpu()));
  }

  /** The time carried over from accelerators that know the kernel with the software that is named. */
  Optional<KernelEstimate> ofSoftware(KernelQuery query) {
    return estimate(query, library.nearest(query.gpu()).stream().filter(gpu -> library.holdsSoftware(query.on(gpu))
        || library.holdsSoftware(on(query, gpu, ofSameCode(query)))).toList());
  }

  private Optional<KernelEstimate> estimate(KernelQuery query, List<GpuSpec> nearest) {
    Predicate<GpuSpec> ofVendor = gpu -> gpu.vendor().equals(query.gpu().vendor());
    return carriedOver(query, nearest.stream().filter(ofVendor).toList())
        .or(() -> carriedOver(query, nearest.stream().filter(ofVendor.negate()).toList()));
  }

  private Optional<KernelEstimate> carriedOver(KernelQuery query, List<GpuSpec> nearest) {
    List<GpuSpec> sameCode = nearest.stream().filter(gpu -> !rewritten(query, gpu)).toList();
    List<GpuSpec> others = nearest.stream().filter(gpu -> rewritten(query, gpu)).toList();
    return carriedOver(query, query.format(), sameCode)
        .or(() -> carriedOver(query, ofSameCode(query), sameCode))
        .or(() -> carriedOver(query, query.format(), others));
  }

  // Where matrix units wait for the threads attention reads a cache of 8 bits by its code of 16 bits.
  private static NumberFormat ofSameCode(KernelQuery query) {
    boolean attention =
        query.kind().family() == KernelKind.Family.ATTENTION && query.kind() != KernelKind.LATENT_PROJECTION;
    return attention && !query.gpu().asynchronousMatrixUnits() ? NumberFormat.BF16 : query.format();
  }

  private static KernelQuery on(KernelQuery query, GpuSpec gpu, NumberFormat format) {
    return new KernelQuery(gpu, query.kind(), format, query.variant(), query.shape());
  }

  // From the nearest of the same generation alone, or from the nearest of each generation.
  private Optional<KernelEstimate> carriedOver(KernelQuery query, NumberFormat format, List<GpuSpec> nearest) {
    List<Carried> all = new ArrayList<>();
    for (GpuSpec gpu : nearest) {
      if (all.stream().noneMatch(each -> each.from().architecture().equals(gpu.architecture()))) {
        KernelQuery there = reaching(on(query, gpu, format));
        library.known(there).ifPresent(found -> all.add(carried(query, there, found)));
      }
      if (!all.isEmpty() && gpu.architecture().equals(query.gpu().architecture())) {
        return Optional.of(all.get(0).estimate());
      }
    }
    return all.isEmpty() ? Optional.empty() : Optional.of(mean(all));
  }

  /** The distance between two accelerators: vendor, generation, kind of memory, then the rates themselves. */
  static double distance(GpuSpec a, GpuSpec b) {
    return rates(a, b) + (a.vendor().equals(b.vendor()) ? 0 : 40) + (a.architecture().equals(b.architecture()) ? 0 : 20)
        + (a.stackedMemory() == b.stackedMemory() ? 0 : 10);
  }

  private static double rates(GpuSpec a, GpuSpec b) {
    return Math.abs(Math.log(a.bits16() / b.bits16())) + Math.abs(Math.log(a.bandwidth() / b.bandwidth()));
  }

  // In factors e of rates; another kind of memory counts as one, another vendor as two.
  private static double apart(GpuSpec a, GpuSpec b) {
    return rates(a, b) + (a.stackedMemory() == b.stackedMemory() ? 0 : 1) + (a.vendor().equals(b.vendor()) ? 0 : 2);
  }

  /**
   * Whether software has another kernel for an accelerator. Attention and experts were rewritten for matrix units that
   * work beside the threads [TensorRT-LLM, fmha_v2 and CUTLASS's grouped products for compute capability 8.0 to 8.9, of
   * their own from 9.0 on], so that those with and without tell little of each other. Decode attention with caches of
   * 16 bits was for matrix units with a memory of their own, as one kernel serves Ampere to Hopper; caches of 8 bits
   * have Hopper's own [TensorRT-LLM, supportConfigHMMA and supportConfigQGMMA of XQA; trtllm-gen from Blackwell on].
   */
  private static boolean rewritten(KernelQuery query, GpuSpec known) {
    GpuSpec wanted = query.gpu();
    if (query.kind() == KernelKind.ATTENTION_DECODE && query.format().weightBytes() > 1) {
      return wanted.tensorMemory() != known.tensorMemory();
    }
    return switch (query.kind().family()) {
      case ATTENTION, EXPERTS -> wanted.asynchronousMatrixUnits() != known.asynchronousMatrixUnits();
      default -> false;
    };
  }

  // The kernel on a known accelerator, of any software where the table of the one that is named ends before the shape
  // and another reaches it.
  private KernelQuery reaching(KernelQuery there) {
    Optional<KernelEstimate> named = library.known(there);
    if (there.variant().isEmpty() || named.isEmpty() || named.get().basis() != Basis.EXTRAPOLATED) {
      return there;
    }
    KernelQuery any = Kindred.with(there, there.kind(), there.format());
    return library.known(any).filter(found -> found.relativeError() < named.get().relativeError()).map(found -> any)
        .orElse(there);
  }

  private Carried carried(KernelQuery query, KernelQuery there, KernelEstimate known) {
    GpuSpec gpu = there.gpu();
    CarryOver over = new CarryOver(query);
    Optional<KernelTable> table = telling(there);
    double seconds = known.seconds();
    double unexplained = UNEXPLAINED;
    if (table.isPresent()) {
      DemandFit fit = table.get().resources().orElseThrow();
      seconds = over.byDemands(gpu, seconds, table.get().id(), fit);
      unexplained = fit.error();
    } else {
      seconds = over.byRooflines(gpu, seconds);
    }
    KernelRoofline roofline = new KernelRoofline(query.gpu(), query.kind(), query.format());
    seconds = Math.max(seconds, roofline.atPeak(query.sizes()));
    double doubt = Math.max(LEAST_DOUBT, Math.hypot(unexplained, PER_RATE * apart(gpu, query.gpu())));
    double error = Math.hypot(known.relativeError(), Math.hypot(SAME_GENERATION, unexplained));
    return new Carried(gpu, new KernelEstimate(seconds, error,
        roofline.bound(query.sizes()), Basis.TRANSFERRED,
        known.source() + "; carried over by the data sheets"), doubt);
  }

  // Accelerators count by the inverse fourth power of their doubt, so that a good one is not spoilt by others.
  private static KernelEstimate mean(List<Carried> all) {
    double weights = 0;
    double sum = 0;
    double squares = 0;
    double error = 0;
    StringBuilder sources = new StringBuilder();
    for (Carried each : all) {
      double weight = Math.pow(each.doubt(), -4);
      double logarithm = Math.log(each.estimate().seconds());
      weights += weight;
      sum += weight * logarithm;
      squares += weight * logarithm * logarithm;
      error += weight * each.estimate().relativeError();
      sources.append(sources.isEmpty() ? "" : "; and ").append(each.estimate().source());
    }
    double mean = sum / weights;
    double apart = Math.sqrt(Math.max(0, squares / weights - mean * mean));
    double wide = Math.hypot(DOUBTS * Math.pow(weights, -0.25), apart);
    return new KernelEstimate(Math.exp(mean), Math.hypot(error / weights, wide), all.get(0).estimate().bound(),
        Basis.TRANSFERRED, sources.toString());
  }

  // The table that tells of the resources of a kernel: of itself, of its kind, or of a format of its rate.
  private Optional<KernelTable> telling(KernelQuery query) {
    KernelKind kind = Kindred.alike(query.kind());
    return narrowest(query).or(() -> narrowest(Kindred.with(query, kind, query.format())))
        .or(() -> narrowest(Kindred.with(query, kind, Kindred.alike(query.format()))));
  }

  private Optional<KernelTable> narrowest(KernelQuery query) {
    return library.tablesOf(query).stream().filter(table -> table.resources().isPresent())
        .min(Comparator.comparingDouble(table -> {
          KernelLookup lookup = table.lookup();
          lookup.seconds(query.shape());
          return lookup.relativeError();
        }));
  }
}
