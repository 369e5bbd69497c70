package dev.heddle.workload.megatron.kernel;

import com.google.common.collect.ImmutableMap;
import dev.heddle.kernel.Basis;
import dev.heddle.kernel.KernelEstimate;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The bases of the kernel times of a job: measured, scaled or modelled.
 *
 * @param shares share of the time of all kernels by basis; absent bases have none
 * @param relativeError half-width of an interval of 90 % around the time of all kernels, relative to it: errors of one
 *     basis are correlated, those of two bases are independent
 */
public record KernelShares(Map<Basis, Double> shares, double relativeError) {
  private static final double SAME = 1e-9;

  /** Copies the map. */
  public KernelShares {
    shares = ImmutableMap.copyOf(shares);
  }

  /**
   * Sums the times of kernels by basis.
   *
   * @param kernels of a job, as often as they run
   * @param times source of the job's times
   * @param library library of measured kernels that the times are from, apart from the user's own measurements; without
   *     it, all times count as modelled
   */
  public static KernelShares of(List<Kernel> kernels, KernelTimes times, Optional<LibraryTimes> library) {
    Map<Basis, Double> seconds = new EnumMap<>(Basis.class);
    Map<Basis, Double> errors = new EnumMap<>(Basis.class);
    double total = 0;
    for (Kernel kernel : kernels) {
      double time = times.seconds(kernel);
      Optional<KernelEstimate> known = library.map(each -> each.estimate(kernel));
      boolean own = known.isPresent() && Math.abs(known.get().seconds() - time) > SAME * time;
      Basis basis = own ? Basis.MEASURED : known.map(KernelEstimate::basis).orElse(Basis.MODELLED);
      double error = own ? LibraryTimes.REPEATS : known.map(KernelEstimate::relativeError)
          .orElse(LibraryTimes.MODELLED_ERROR);
      seconds.merge(basis, time, Double::sum);
      errors.merge(basis, error * time, Double::sum);
      total += time;
    }
    double squares = 0;
    for (double error : errors.values()) {
      squares += error * error;
    }
    double all = total;
    if (all > 0) {
      seconds.replaceAll((basis, time) -> time / all);
    }
    return new KernelShares(seconds, all > 0 ? Math.sqrt(squares) / all : 0);
  }

  /** The shares as text, such as {@code 20 % measured, 80 % modelled}. */
  public String text() {
    return shares.entrySet().stream()
        .map(share -> String.format(
            Locale.ROOT, "%.0f %% %s", 100 * share.getValue(), share.getKey().name().toLowerCase(Locale.ROOT)))
        .collect(Collectors.joining(", "));
  }
}
