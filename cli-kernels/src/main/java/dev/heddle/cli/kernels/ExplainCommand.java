package dev.heddle.cli.kernels;

import dev.heddle.cli.CommandContext;
import dev.heddle.kernel.Basis;
import dev.heddle.kernel.GpuSpec;
import dev.heddle.kernel.KernelEstimate;
import dev.heddle.kernel.KernelKind;
import dev.heddle.kernel.KernelLibrary;
import dev.heddle.kernel.KernelQuery;
import dev.heddle.kernel.NumberFormat;
import dev.heddle.kernel.SustainedClock;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the time of one kernel and its basis. */
@Command(
    name = "explain",
    description = "Print the time of one kernel, the interval around it, the resource that binds it, and whether it was"
        + " measured, interpolated, carried over from another accelerator or worked out of the data sheet.")
final class ExplainCommand implements Callable<Integer> {
  private static final double MICRO = 1e6;

  private final CommandContext context;

  @Mixin
  private TableOptions tables = new TableOptions();

  @Parameters(paramLabel = "KERNEL",
      description = "gemm, linear, attention-forward, experts or another; see 'kernels list'.")
  private String kernel = "";

  @Option(names = "--gpu", paramLabel = "GPU", required = true, description = "The accelerator, such as b200.")
  private String gpu = "";

  @Option(names = {"--dtype", "--precision"}, paramLabel = "FORMAT", defaultValue = "bf16",
      description = "Format of the numbers, such as bf16, fp8, fp8-block or nvfp4 (default: ${DEFAULT-VALUE}).")
  private String format = "bf16";

  @Option(names = "--variant", paramLabel = "NAME", description = "Library or kernel; without it, the best known.")
  private String variant = "";

  @Option(names = "--m", paramLabel = "M", description = "Rows of a product.")
  private @Nullable Long m;

  @Option(names = "--n", paramLabel = "N", description = "Columns of a product.")
  private @Nullable Long n;

  @Option(names = "--k", paramLabel = "K", description = "Inner size of a product.")
  private @Nullable Long k;

  @Option(names = "--size", paramLabel = "NAME=VALUE",
      description = "A size of the kernel's shape, such as tokens=4096.")
  private Map<String, Long> sizes = new LinkedHashMap<>();

  @Option(names = "--shape", paramLabel = "AxBx...", description = "All sizes in order, instead of one by one.")
  private @Nullable String shape;

  ExplainCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    KernelLibrary library = tables.library();
    KernelKind kind = KernelKind.of(kernel);
    GpuSpec spec = library.gpus().get(gpu);
    checkVariant(library);
    KernelQuery query = new KernelQuery(spec, kind, NumberFormat.of(format), variant, shape(kind));
    KernelEstimate estimate = library.estimate(query);
    double flops = kind.flops(query.sizes());
    double bytes = kind.bytes(query.format(), query.sizes());
    SustainedClock clock = SustainedClock.of(spec);
    context.print(String.format(Locale.ROOT, "%s%n%.2f us, nine of ten times within %.2f to %.2f us (%.1f %%)%n", query,
        MICRO * estimate.seconds(), MICRO * estimate.low(), MICRO * estimate.high(), 100 * estimate.relativeError())
        + String.format(Locale.ROOT, "%.1f Tflop/s, %.0f GB/s, bound by %s%n", flops / estimate.seconds() / 1e12,
            bytes / estimate.seconds() / 1e9, estimate.bound().name().toLowerCase(Locale.ROOT))
        + estimate.basis().name().toLowerCase(Locale.ROOT) + ": " + estimate.source() + "\n"
        + (spec.measuredInARow() && estimate.basis() != Basis.MODELLED
            ? "the mean of runs in a row, at the clock that the limit of power leaves"
            : clock.describe(query.format(), clock.busy(query.format(), estimate.bound(), flops, estimate.seconds()),
                bytes, estimate.seconds()))
        + "\n");
    return 0;
  }

  private void checkVariant(KernelLibrary library) {
    SortedSet<String> known = library.tables().stream().flatMap(id -> Stream.of(id.variant(), id.software()))
        .collect(Collectors.toCollection(TreeSet::new));
    if (!variant.isEmpty() && !known.contains(variant)) {
      String hint = NearestMatch.hint(variant, known);
      throw new InvalidSettingException("", "there is no variant '" + variant + "'"
          + (hint.isEmpty() ? "; 'kernels list' has all" : hint));
    }
  }

  private long[] shape(KernelKind kind) {
    if (shape != null) {
      String[] parts = shape.split("x", -1);
      long[] all = new long[parts.length];
      for (int i = 0; i < parts.length; i++) {
        try {
          all[i] = Long.parseLong(parts[i].strip());
        } catch (NumberFormatException e) {
          throw new InvalidSettingException("", "--shape " + shape + ": must be whole numbers with x between them");
        }
      }
      return all;
    }
    Map<String, Long> given = new LinkedHashMap<>(sizes);
    put(given, "m", m);
    put(given, "n", n);
    put(given, "k", k);
    for (String name : given.keySet()) {
      if (!kind.sizes().contains(name)) {
        throw new InvalidSettingException("", kind + " has no size '" + name + "'; it has "
            + String.join(", ", kind.sizes()) + NearestMatch.hint(name, kind.sizes()));
      }
    }
    long[] all = new long[kind.sizes().size()];
    for (int i = 0; i < all.length; i++) {
      Long value = given.get(kind.sizes().get(i));
      if (value == null && !kind.sizes().get(i).equals("skew")) {
        throw new InvalidSettingException("", kind + " needs the size '" + kind.sizes().get(i) + "', as in --size "
            + kind.sizes().get(i) + "=4096; its sizes are " + String.join(", ", kind.sizes()));
      }
      all[i] = value == null ? 0 : value;
    }
    return all;
  }

  private static void put(Map<String, Long> given, String name, @Nullable Long value) {
    if (value != null) {
      given.put(name, value);
    }
  }
}
