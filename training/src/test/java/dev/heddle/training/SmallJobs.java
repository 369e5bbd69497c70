package dev.heddle.training;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.fabric.Fabric;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.standard.collective.DirectAlgorithmProvider;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.workload.megatron.job.Training;
import java.util.List;
import java.util.Map;

/** Machines and jobs that are small enough for tests. */
final class SmallJobs {
  private SmallJobs() {}

  static Fabric nodes(int nodes, int accelerators) {
    return nodes(nodes, accelerators, 0);
  }

  static Fabric nodes(int nodes, int accelerators, int cpus) {
    String text = "{name: machine, cluster: {tiers: [{name: node, terminals: {accelerator: " + accelerators
        + (cpus > 0 ? ", cpu: " + cpus : "")
        + ", nic: 1}, accelerator: {preset: a100-sxm-80}, nic: {type: generic}, topology: {type: star,"
        + " link: {type: generic, rate: 2400 Gb/s, latency: 100 ns}}}, {name: cluster, size: " + nodes
        + ", topology: {type: star, link: {type: generic, rate: 400 Gb/s, latency: 100 ns}}}]},"
        + " workload: {type: collective, size: 1 B}}";
    try (Registry registry = Registry.discover(SmallJobs.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).parse("test", text, Map.of()).points().get(0).scenario().fabric();
    }
  }

  static Training small(String parallel, String batch, String execution) {
    return small(parallel, batch, execution, "skew: 1");
  }

  /** The same model with eight experts in all layers but the first, one of them multi-token prediction's. */
  static Training experts(String parallel, String batch, String execution) {
    return job("{model: {name: small, hidden: 1024, layers: 8, heads: 16, vocabulary: 32000, sequence: 1024,"
        + " prediction-layers: 1, experts: {count: 8, top-k: 2, ffn: 1024, dense-layers: 1}},"
        + " parallel: {" + parallel + "}, batch: {" + batch + "}, execution: {" + host(execution) + "},"
        + " kernels: {preset: kernels-ampere, library: false}}");
  }

  static Training small(String parallel, String batch, String execution, String more) {
    return job("{model: {name: small, hidden: 1024, layers: 8, heads: 16, vocabulary: 32000, sequence: 1024},"
        + " parallel: {" + parallel + "}, batch: {" + batch + "}, execution: {" + host(execution) + "},"
        + " kernels: {preset: kernels-ampere, library: false}, " + more + "}");
  }

  /** A model whose attention is as stated. */
  static Training attention(String attention, int batch, String execution) {
    return job("{model: {name: small, hidden: 1024, layers: 8, heads: 16, vocabulary: 32000, sequence: 1024, "
        + attention + "}, parallel: {sharding: none}, batch: {global: " + batch
        + "}, execution: {" + host(execution) + "}, kernels: {preset: kernels-ampere, library: false}}");
  }

  /** Rings, and direct exchange for an all_to_all. */
  static CollectiveAlgorithm algorithm() {
    CollectiveAlgorithm direct = new DirectAlgorithmProvider().create(new DirectAlgorithmProvider.Settings(1));
    return (cluster, group) -> collective -> {
      boolean exchange =
          collective.op() == CollectiveOp.ALL_TO_ALL || collective.op() == CollectiveOp.ALL_TO_ALL_V;
      return (exchange ? direct : RingAlgorithmProvider.single()).communicator(cluster, group).plan(collective);
    };
  }

  // Kernels of so small a model would all wait for the host; jobs that say nothing of it have one that takes no time.
  private static String host(String execution) {
    return execution.contains("host-per-kernel") ? execution : "host-per-kernel: 0 s, " + execution;
  }

  private static Training job(String text) {
    try (Registry registry = Registry.discover(SmallJobs.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).record(Training.class, "test", text);
    }
  }
}
