package dev.heddle.kernel;

import com.google.common.collect.ImmutableSet;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Times of kernels that were not measured themselves, from others of the same accelerator: a bare product from a linear
 * layer less its cast, gradients of attention from the forward pass, and a format from one that runs at the same rate.
 */
final class Kindred {
  /** Error of formats of one rate for each other, and of the difference of two kernels. */
  private static final double OTHER_FORMAT = 0.10;
  private static final double DIFFERENCE = 0.10;
  /** A bare product takes no less than this part of its layer, however small it is. */
  private static final double LEAST_PART = 0.25;

  /** Architectures whose products write a tile while they multiply the next. */
  private static final ImmutableSet<String> OVERLAPPING = ImmutableSet.of("hopper", "blackwell", "blackwell-rtx");

  private final KernelLibrary library;

  Kindred(KernelLibrary library) {
    this.library = library;
  }

  Optional<KernelEstimate> estimate(KernelQuery query) {
    return switch (query.kind()) {
      case GEMM -> gemm(query);
      case LINEAR -> linear(query);
      case GEMM_ADD -> adding(query);
      case ATTENTION_BACKWARD -> gradients(query, KernelKind.ATTENTION_FORWARD);
      case LATENT_BACKWARD -> gradients(query, KernelKind.LATENT_PREFILL);
      case ATTENTION_FULL_BACKWARD -> gradients(query, KernelKind.ATTENTION_FULL_FORWARD);
      case ATTENTION_FULL_FORWARD -> gradients(query, KernelKind.ATTENTION_FORWARD);
      case ATTENTION_WINDOW_FORWARD, ATTENTION_WINDOW_BACKWARD ->
        without(query).flatMap(kind -> window(query, kind));
      default -> otherFormat(query);
    };
  }

  /** The time of attention with a window from that without it, where the software that is named has the latter. */
  Optional<KernelEstimate> ofSoftware(KernelQuery query) {
    return without(query).filter(kind -> library.tables().stream().anyMatch(id -> id.kind() == kind
        && id.format() == query.format() && id.software().equals(TableId.software(query.variant()))))
        .flatMap(kind -> window(query, kind));
  }

  /** The same where a table of this accelerator has attention without the window. */
  Optional<KernelEstimate> ofSoftwareHere(KernelQuery query) {
    return without(query).filter(kind -> library.holdsSoftware(new KernelQuery(query.gpu(), kind, query.format(),
        query.variant(), withoutWindow(query)))).flatMap(kind -> window(query, kind));
  }

  /** Whether a kindred kernel may be of other software: attention without the window, a layer less its cast. */
  boolean isOtherSoftware(KernelQuery query) {
    return without(query).isPresent() || query.kind() == KernelKind.GEMM && query.format().casts();
  }

  private static Optional<KernelKind> without(KernelQuery query) {
    return switch (query.kind()) {
      case ATTENTION_WINDOW_FORWARD -> Optional.of(KernelKind.ATTENTION_FORWARD);
      case ATTENTION_WINDOW_BACKWARD -> Optional.of(KernelKind.ATTENTION_BACKWARD);
      default -> Optional.empty();
    };
  }

  /** The format that kernels of a format are taken from where there are none of its own. */
  static NumberFormat alike(NumberFormat format) {
    return switch (format) {
      case FP16 -> NumberFormat.BF16;
      case BF16 -> NumberFormat.FP16;
      case FP8_ROW -> NumberFormat.FP8;
      case FP8 -> NumberFormat.FP8_ROW;
      case MXFP8 -> NumberFormat.FP8_BLOCK;
      case MXFP4 -> NumberFormat.NVFP4;
      case BF16_CACHE8 -> NumberFormat.BF16;
      default -> format;
    };
  }

  /** The kind whose measured times tell of a kernel's resources where there are none of its own. */
  static KernelKind alike(KernelKind kind) {
    return switch (kind) {
      case ATTENTION_BACKWARD, ATTENTION_FULL_FORWARD, ATTENTION_FULL_BACKWARD -> KernelKind.ATTENTION_FORWARD;
      case LATENT_BACKWARD -> KernelKind.LATENT_PREFILL;
      case GEMM_ADD -> KernelKind.GEMM;
      default -> kind;
    };
  }

  private Optional<KernelEstimate> otherFormat(KernelQuery query) {
    NumberFormat other = alike(query.format());
    if (other == query.format()) {
      return Optional.empty();
    }
    return library.tabulated(with(query, query.kind(), other)).map(found -> wider(found, OTHER_FORMAT, found.seconds(),
        "; taken for " + query.format()));
  }

  private Optional<KernelEstimate> gemm(KernelQuery query) {
    if (!query.format().casts()) {
      return otherFormat(query);
    }
    Optional<KernelEstimate> layer = library.tabulated(with(query, KernelKind.LINEAR, query.format()));
    if (layer.isEmpty()) {
      return otherFormat(query).or(() -> library.tabulated(with(query, KernelKind.LINEAR, nextCast(query.format())))
          .map(found -> less(query, found, nextCast(query.format()))));
    }
    return Optional.of(less(query, layer.get(), query.format()));
  }

  private static NumberFormat nextCast(NumberFormat format) {
    return switch (format) {
      case FP8_ROW -> NumberFormat.FP8;
      case MXFP8 -> NumberFormat.FP8_BLOCK;
      case MXFP4 -> NumberFormat.NVFP4;
      default -> format;
    };
  }

  private KernelEstimate less(KernelQuery query, KernelEstimate layer, NumberFormat format) {
    long[] shape = query.shape();
    double cast = library.modelled(KernelQuery.of(query.gpu(), KernelKind.LINEAR, format, shape)).seconds()
        - library.modelled(KernelQuery.of(query.gpu(), KernelKind.GEMM, format, shape)).seconds();
    KernelRoofline roofline = new KernelRoofline(query.gpu(), KernelKind.GEMM, query.format());
    double least = Math.max(LEAST_PART * layer.seconds(), roofline.floor(query.sizes()));
    KernelEstimate product =
        wider(layer, DIFFERENCE, Math.max(least, layer.seconds() - cast), " less the cast of activations");
    return new KernelEstimate(product.seconds(), product.relativeError(), roofline.bound(query.sizes()),
        product.basis(), product.source());
  }

  private Optional<KernelEstimate> linear(KernelQuery query) {
    if (!query.format().casts()) {
      return library.tabulated(with(query, KernelKind.GEMM, query.format())).or(() -> otherFormat(query));
    }
    return otherFormat(query).or(() -> library.tabulated(with(query, KernelKind.GEMM, query.format())).map(product -> {
      long[] shape = query.shape();
      double cast = library.estimate(
          KernelQuery.of(query.gpu(), KernelKind.QUANTIZE, query.format(), shape[0], shape[2])).seconds();
      return wider(product, DIFFERENCE, product.seconds() + cast, " and the cast of activations");
    }));
  }

  // From Hopper on a tile is written while another is multiplied [CUTLASS 3, ping-pong kernels; tcgen05's two
  // accumulators]; before, writing adds up.
  private Optional<KernelEstimate> adding(KernelQuery query) {
    boolean beside = OVERLAPPING.contains(query.gpu().architecture());
    return library.known(with(query, KernelKind.GEMM, query.format())).map(product -> {
      long[] shape = query.shape();
      double more = (8.0 - query.format().resultBytes()) * shape[0] * shape[1]
          / query.gpu().copyRate();
      double seconds = beside ? Math.hypot(product.seconds(), more) : product.seconds() + more;
      return wider(product, DIFFERENCE, seconds, " and the addition to 32 bits");
    });
  }

  // The ratio of two passes on the nearest accelerator that measured both.
  private Optional<KernelEstimate> gradients(KernelQuery query, KernelKind forward) {
    Optional<KernelEstimate> here = library.tabulated(with(query, forward, query.format()));
    if (here.isEmpty()) {
      return otherFormat(query);
    }
    for (GpuSpec gpu : library.nearest(query.gpu())) {
      OptionalDouble ratio = measuredRatio(query.on(gpu), forward);
      if (ratio.isPresent()) {
        return Optional.of(wider(here.get(), 2 * DIFFERENCE, scaled(query, here.get(), ratio.getAsDouble()),
            " times " + query.kind() + " over " + forward + " on " + gpu.name()));
      }
    }
    double ratio = ratio(query, with(query, forward, query.format()));
    return Optional.of(wider(here.get(), 3 * DIFFERENCE, scaled(query, here.get(), ratio),
        " times the work of " + query.kind() + " over " + forward));
  }

  // A multiple of a time, at least that of the operations at the sheet's peak.
  private static double scaled(KernelQuery query, KernelEstimate known, double ratio) {
    KernelRoofline roofline = new KernelRoofline(query.gpu(), query.kind(), query.format());
    return Math.max(known.seconds() * ratio, roofline.atPeak(query.sizes()));
  }

  // The mean ratio of two passes of the same software, of each that measured both.
  private OptionalDouble measuredRatio(KernelQuery query, KernelKind forward) {
    return library.tablesOf(query).stream().map(table -> table.id().variant())
        .filter(variant -> !library.tables(query.gpu(), forward, query.format(), variant).isEmpty())
        .mapToDouble(variant -> seconds(query, query.kind(), variant) / seconds(query, forward, variant)).average();
  }

  private double seconds(KernelQuery query, KernelKind kind, String variant) {
    return library.tabulated(new KernelQuery(query.gpu(), kind, query.format(), variant, query.shape()))
        .orElseThrow().seconds();
  }

  // The time of a pass over that of another by the resources of the table that knows the latter: the start of an
  // engine's kernels and their traffic grow less than their products. By the rooflines where no table tells them.
  private double ratio(KernelQuery query, KernelQuery known) {
    return library.tablesOf(known).stream().filter(table -> table.resources().isPresent()).findFirst().map(table -> {
      DemandFit fit = table.resources().orElseThrow();
      return fit.seconds(Demands.of(query.gpu(), query.kind(), query.format(), "", query.sizes()))
          / fit.seconds(Demands.of(query.gpu(), known.kind(), query.format(), "", query.sizes()));
    }).orElseGet(() -> library.modelled(query).seconds() / library.modelled(known).seconds());
  }

  private static long[] withoutWindow(KernelQuery query) {
    return Arrays.copyOf(query.shape(), query.shape().length - 1);
  }

  // The time without the window, by the ratio of the rooflines.
  private Optional<KernelEstimate> window(KernelQuery query, KernelKind without) {
    KernelQuery all =
        new KernelQuery(query.gpu(), without, query.format(), query.variant(), withoutWindow(query));
    return Optional.of(library.estimate(all)).filter(found -> found.basis() != Basis.MODELLED)
        .map(found -> wider(found, 2 * DIFFERENCE, found.seconds() * windowShare(query),
            " times the work of its window"));
  }

  /** The time of attention with a window over the time without it, above 0 and at most 1. */
  double windowShare(KernelQuery query) {
    long[] all = query.shape();
    int window = all.length - 1;
    all[window] = all[4];
    return query.shape()[window] >= all[window] ? 1 : library.modelled(query).seconds()
        / library.modelled(new KernelQuery(query.gpu(), query.kind(), query.format(), "", all)).seconds();
  }

  static KernelQuery with(KernelQuery query, KernelKind kind, NumberFormat format) {
    return new KernelQuery(query.gpu(), kind, format, "", query.shape());
  }

  private static KernelEstimate wider(KernelEstimate found, double error, double seconds, String how) {
    Basis basis = found.basis() == Basis.MEASURED ? Basis.INTERPOLATED : found.basis();
    return new KernelEstimate(
        seconds, Math.hypot(found.relativeError(), error), found.bound(), basis, found.source() + how);
  }
}
