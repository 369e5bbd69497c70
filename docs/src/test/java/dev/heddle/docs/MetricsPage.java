package dev.heddle.docs;

import dev.heddle.registry.PluginKind;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.results.Results.Distribution;
import dev.heddle.results.Results.Metric;
import dev.heddle.scenario.Scenario;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Workload.Activity;
import dev.heddle.spi.WorkloadProvider;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Writes the page of the metrics of each workload, from the plans of the shipped scenarios. */
final class MetricsPage {
  private static final String SHORT = "20 us";

  private MetricsPage() {}

  /** The page. */
  static String of(Registry registry) {
    StringBuilder page = new StringBuilder("# Metrics\n\n")
        .append("Generated from the declarations of the workloads; a test fails when it is stale.\n\n")
        .append(
            "A plot, a ranking and `results.csv` name a metric by its key. `heddle describe ")
        .append("FILE.yaml` lists the keys of a scenario, `heddle describe workload/megatron` those of a workload.\n\n")
        .append("## Every run\n\n");
    Results results = scenario(registry, "first.yaml", Map.of("run.warmup", SHORT, "run.measure", SHORT)).simulation()
        .run();
    table(page, results.metrics());
    page.append("\nWhere links lose packets, also `packets.lost`; with a transport protocol `acknowledged.first`, ")
        .append(
            "`acknowledged.last`,\n`packets.repeated`, `packets.marked`, `packets.trimmed`, `packets.dropped` "
                + "and `pauses`.\n\n")
        .append(
            "Distributions, of which a suffix chooses a figure (`.mean`, `.min`, `.p50`, `.p90`, `.p99`, `.p999`, "
                + "`.max`):\n\n")
        .append("| key | quantity | unit |\n|---|---|---|\n");
    for (Distribution each : results.distributions()) {
      row(page, each.id(), each.title(), each.unit());
    }
    page.append("""

        ## Collectives

        Of each operation OP that a run has (`all_reduce`, `all_gather` and so on). Where an operation has several
        sizes or numbers of ranks, `collective.OP.BYTES.RANKS.time` and so on.

        | key | quantity | unit |
        |---|---|---|
        | `collective.OP.count` | calls | 1 |
        | `collective.OP.time` | mean time of a call | us |
        | `collective.OP.algbw` | algorithm bandwidth, as nccl-tests defines it | GB/s |
        | `collective.OP.busbw` | bus bandwidth, as nccl-tests defines it | GB/s |
        """);
    for (Registry.Plugin plugin : registry.plugins(PluginKind.WORKLOAD)) {
      if (!plugin.provider().getClass().getPackageName().equals(MetricsPage.class.getPackageName())) {
        page.append("\n## Workload ").append(plugin.id()).append("\n\n");
        workload(page, (WorkloadProvider<?>) plugin.provider());
      }
    }
    return page.toString();
  }

  private static void workload(StringBuilder page, WorkloadProvider<?> provider) {
    if (provider.metrics().isEmpty() && provider.activities().isEmpty()) {
      page.append("Those of every run, of collectives, and of the workloads or messages that it consists of.\n");
      return;
    }
    page.append("| key | quantity | unit |\n|---|---|---|\n");
    provider.metrics().forEach(metric -> row(page, metric.id(), metric.title(), metric.unit()));
    for (Activity activity : provider.activities()) {
      row(page, "activity." + activity.id(), activity.title() + ", mean over ranks", "us");
    }
  }

  private static void table(StringBuilder page, List<Metric> metrics) {
    page.append("| key | quantity | unit |\n|---|---|---|\n");
    metrics.forEach(metric -> row(page, metric.id(), metric.title(), metric.unit()));
  }

  private static void row(StringBuilder page, String key, String title, String unit) {
    page.append("| `").append(key).append("` | ").append(title).append(" | ").append(unit).append(" |\n");
  }

  private static Scenario scenario(Registry registry, String file, Map<String, String> overrides) {
    Path path = Pages.folder().resolve("../scenarios").resolve(file).normalize();
    return new ScenarioReader(registry).read(path, overrides).points().get(0).scenario();
  }
}
