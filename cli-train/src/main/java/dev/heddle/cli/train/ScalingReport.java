package dev.heddle.cli.train;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import dev.heddle.training.Estimate;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.parallel.Parallelism;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The output of {@code scaling}: a training job's fastest division at each point.
 *
 * @param points by cluster, each cluster's from its first number of nodes on
 * @param tokens of the whole training; empty where its time is not asked for
 */
record ScalingReport(List<Point> points, OptionalDouble tokens) {
  private static final double SECONDS_PER_HOUR = 3600;
  private static final double HOURS_PER_DAY = 24;

  /** Copies the list. */
  ScalingReport {
    points = ImmutableList.copyOf(points);
  }

  /**
   * A number of nodes of a cluster.
   *
   * @param cluster preset or file
   * @param nodes that take part
   * @param accelerator its name
   * @param price of an accelerator for an hour; empty where cost is not asked for
   * @param fastest estimate of the fastest division; empty where none fits
   */
  record Point(
      String cluster, int nodes, String accelerator, Optional<Double> price, Optional<Estimate> fastest) {}

  /** The output as a table. */
  String text() {
    int width = points.stream().mapToInt(point -> point.cluster().length()).max().orElse(0);
    boolean priced = points.stream().anyMatch(point -> point.price().isPresent());
    StringBuilder text = new StringBuilder();
    job().ifPresent(job -> text.append(String.format(Locale.ROOT,
        "%s, %.1f billion parameters, %d sequences an iteration: the fastest division by estimates%n%n",
        job.model().name(), job.model().parameters() / 1e9, job.batch().global().orElseThrow())));
    text.append(String.format(Locale.ROOT, "%-" + width + "s  nodes    GPUs   tp  pp  vp  cp  ep  micro  recompute"
        + "  iteration s   tokens/s  MFU %%  efficiency %%  %10s", "cluster", of("kWh")));
    text.append(tokens.isPresent() ? "      days" : "")
        .append(priced ? String.format(Locale.ROOT, "  %12s", of("cost")) : "");
    text.append(System.lineSeparator());
    for (Point point : points) {
      text.append(String.format(Locale.ROOT, "%-" + width + "s %6d", point.cluster(), point.nodes()));
      text.append(point.fastest().map(estimate -> line(point, estimate)).orElse("  nothing fits the memory"));
      text.append(System.lineSeparator());
    }
    return text.append(System.lineSeparator()).append(notes()).append(job().map(Figures::leftOut).orElse(""))
        .toString();
  }

  // The job on the first point that fits.
  private Optional<Training> job() {
    return points.stream().flatMap(point -> point.fastest().stream()).findFirst()
        .map(estimate -> estimate.iteration().training());
  }

  private String of(String unit) {
    return unit + (tokens.isPresent() ? ", all" : "/iter");
  }

  private String line(Point point, Estimate estimate) {
    Training job = estimate.iteration().training();
    Parallelism parallel = job.parallel();
    StringBuilder line = new StringBuilder(String.format(Locale.ROOT,
        "%8d %4d%4d%4d%4d%4d%7d  %-9s%13.3f%11.0f%7.1f%14.1f  %10s", estimate.iteration().grid().ranks(),
        parallel.tensor(), parallel.pipeline(), parallel.chunks(), parallel.context(), parallel.expert(),
        job.batch().micro(), job.execution().recompute().name().toLowerCase(Locale.ROOT), estimate.seconds(),
        estimate.tokensPerSecond(), 100 * estimate.utilization(), 100 * efficiency(point, estimate),
        energy(estimate).isPresent() ? Figures.number(energy(estimate).getAsDouble()) : "-"));
    if (tokens.isPresent()) {
      line.append(String.format(Locale.ROOT, "%10.2f", hours(estimate) / HOURS_PER_DAY));
    }
    point.price()
        .ifPresent(price -> line.append(String.format(Locale.ROOT, "  %12s", Figures.number(cost(estimate, price)))));
    return line.toString();
  }

  private String notes() {
    return String.format(Locale.ROOT,
        "GPUs: %s. Efficiency: tokens a second and GPU, of those of the cluster's first line that"
            + " fits.%nEnergy is that of the accelerators, without hosts, network and cooling.%n",
        String.join(", ", points.stream().map(Point::accelerator).distinct().toList()));
  }

  // Tokens a second and accelerator, relative to the cluster's first point that fits.
  private double efficiency(Point point, Estimate estimate) {
    Estimate first = points.stream().filter(each -> each.cluster().equals(point.cluster()))
        .flatMap(each -> each.fastest().stream()).findFirst().orElseThrow();
    return perAccelerator(estimate) / perAccelerator(first);
  }

  private static double perAccelerator(Estimate estimate) {
    return estimate.tokensPerSecond() / estimate.iteration().grid().ranks();
  }

  // Iterations of the whole training, or one.
  private double iterations(Estimate estimate) {
    return tokens.isPresent() ? tokens.getAsDouble() / (estimate.tokensPerSecond() * estimate.seconds()) : 1;
  }

  private double hours(Estimate estimate) {
    return iterations(estimate) * estimate.seconds() / SECONDS_PER_HOUR;
  }

  private OptionalDouble energy(Estimate estimate) {
    OptionalDouble joules = estimate.joules();
    return joules.isPresent()
        ? OptionalDouble.of(iterations(estimate) * Figures.kilowattHours(joules.getAsDouble()))
        : OptionalDouble.empty();
  }

  private double cost(Estimate estimate, double price) {
    return price * hours(estimate) * estimate.iteration().grid().ranks();
  }

  /** The output as JSON: a list of points, times in seconds. */
  String json() {
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    for (Point point : points) {
      ObjectNode node = list.addObject().put("cluster", point.cluster()).put("nodes", point.nodes())
          .put("accelerator", point.accelerator()).put("fits", point.fastest().isPresent());
      point.fastest().ifPresent(estimate -> {
        Parallelism parallel = estimate.iteration().training().parallel();
        node.put("ranks", estimate.iteration().grid().ranks()).put("tensor", parallel.tensor())
            .put("pipeline", parallel.pipeline()).put("chunks", parallel.chunks()).put("context", parallel.context())
            .put("expert", parallel.expert()).put("micro_batch", estimate.iteration().training().batch().micro())
            .put("seconds", estimate.seconds()).put("tokens_per_second", estimate.tokensPerSecond())
            .put("mfu", estimate.utilization()).put("efficiency", efficiency(point, estimate));
        energy(estimate).ifPresent(energy -> node.put("kilowatt_hours", energy));
        tokens.ifPresent(count -> node.put("days_to_train", hours(estimate) / HOURS_PER_DAY));
        point.price().ifPresent(price -> node.put("cost", cost(estimate, price)));
      });
    }
    return list.toPrettyString() + "\n";
  }
}
