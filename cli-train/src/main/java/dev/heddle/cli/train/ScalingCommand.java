package dev.heddle.cli.train;

import dev.heddle.cli.ClusterOptions;
import dev.heddle.cli.CommandContext;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.training.Estimate;
import dev.heddle.training.ProfiledCommTimes;
import dev.heddle.training.RepresentativeRanks;
import dev.heddle.training.TrainingSearch;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.program.Iteration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Compares clusters and numbers of nodes for one training job. */
@Command(
    name = "scaling",
    description = "Print a training job's fastest division, time, energy and cost over numbers of nodes, on one cluster"
        + " or on several side by side, by estimates.")
final class ScalingCommand implements Callable<Integer> {
  private static final int MOST_POINTS = 100;

  private final CommandContext context;

  @Option(
      names = "--cluster",
      paramLabel = "PRESET|FILE",
      split = ",",
      required = true,
      description = "Clusters, as other commands take one: presets, such as hgx-h100,dgx-a100, or files.")
  private List<String> clusters = List.of();

  @Option(
      names = "--nodes",
      paramLabel = "N",
      split = ",",
      required = true,
      description = "Numbers of nodes, such as 16,32,64.")
  private List<Integer> nodes = List.of();

  @Option(
      names = "--price",
      paramLabel = "AMOUNT",
      split = ",",
      description = "Price of an accelerator for an hour, one for each cluster or one for all; the cost of an iteration"
          + " is printed, or with --tokens that of the training.")
  private List<Double> prices = List.of();

  @Option(
      names = "--set",
      paramLabel = "PATH=VALUE",
      description = "Overrides a field of each cluster, as in"
          + " --set cluster.tiers[1].topology.link.preset=infiniband-xdr.")
  private final Map<String, String> overrides = new LinkedHashMap<>();

  @Option(names = "--json", description = "Print JSON instead of the table.")
  private boolean json;

  @Mixin
  private SoftwareOptions software = new SoftwareOptions();

  @Mixin
  private ModelOptions model = new ModelOptions();

  @Mixin
  private MemoryReserve reserve = new MemoryReserve();

  /** A number of nodes of a cluster, with the price of an accelerator for an hour. */
  private record Size(String cluster, int nodes, Optional<Double> price) {}

  ScalingCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    check();
    reserve.check();
    Function<Machine, Training> job = model.job(context.registry(), Division.none());
    List<Size> sizes = sizes();
    // Machines are let go of and planned again, as there may be no room for all at once.
    for (Size size : sizes) {
      Objects.requireNonNull(job.apply(machine(size)), "a job");
    }
    List<ScalingReport.Point> points = new ArrayList<>();
    List<String> refusals = new ArrayList<>();
    for (Size size : sizes) {
      if (!json) {
        context.message(size.cluster() + ", nodes: " + size.nodes());
      }
      Machine machine = machine(size);
      points.add(new ScalingReport.Point(size.cluster(), size.nodes(), machine.accelerator().name(), size.price(),
          fastest(machine, job.apply(machine), refusals)));
    }
    if (refusals.size() == points.size()) {
      throw new InvalidSettingException("", refusals.get(refusals.size() - 1));
    }
    ScalingReport report = new ScalingReport(points, model.tokens());
    context.print(json ? report.json() : report.text());
    return 0;
  }

  private Machine machine(Size size) {
    return software.machine(context.registry(), ClusterOptions.of(size.cluster(), size.nodes(), overrides));
  }

  // Each once, though several options were equal.
  private List<Size> sizes() {
    return IntStream.range(0, clusters.size()).boxed()
        .flatMap(cluster -> nodes.stream().map(count -> new Size(clusters.get(cluster), count, price(cluster))))
        .distinct().toList();
  }

  private void check() {
    if (clusters.size() * nodes.size() > MOST_POINTS) {
      throw new InvalidSettingException("", "--nodes: " + nodes.size() + " numbers of nodes of " + clusters.size()
          + " clusters are more than " + MOST_POINTS + " points");
    }
    if (prices.size() > 1 && prices.size() != clusters.size()) {
      throw new InvalidSettingException("", "--price: there are " + prices.size() + " prices for " + clusters.size()
          + " clusters; write one for each, or one for all");
    }
    for (double price : prices) {
      if (!(price > 0 && price < 1e6)) {
        throw new InvalidSettingException("", "--price " + price + ": must be above 0 and below a million");
      }
    }
  }

  private Optional<Double> price(int cluster) {
    return prices.isEmpty() ? Optional.empty() : Optional.of(prices.get(prices.size() == 1 ? 0 : cluster));
  }

  private Optional<Estimate> fastest(Machine machine, Training base, List<String> refusals) {
    TrainingSearch.Outcome outcome = reserve.search(machine, base);
    if (outcome.candidates().isEmpty()) {
      refusals.add(reserve.refusal(machine, outcome));
    }
    return outcome.candidates().stream().findFirst().map(best -> {
      Iteration iteration = new Iteration(best.training(), machine.cluster());
      return RepresentativeRanks.of(
          iteration, new ProfiledCommTimes(iteration, machine.cluster(), machine.algorithm()));
    });
  }
}
