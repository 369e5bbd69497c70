package dev.heddle.cli.train;

import dev.heddle.cli.ClusterOptions;
import dev.heddle.cli.nccl.StandardTiming;
import dev.heddle.fabric.Fabric;
import dev.heddle.registry.PluginKind;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options for the machine of a training job: cluster, kernels and collectives. */
final class Machine {
  private static final Map<String, String> KERNELS = Map.ofEntries(
      Map.entry("pascal", "kernels-pascal"), Map.entry("volta", "kernels-volta"), Map.entry("ampere", "kernels-ampere"),
      Map.entry("hopper", "kernels-hopper"), Map.entry("blackwell", "kernels-blackwell"),
      Map.entry("cdna2", "kernels-cdna2"), Map.entry("cdna3", "kernels-cdna3"),
      Map.entry("cdna4", "kernels-cdna3"), Map.entry("xe-hpc", "kernels-xe"),
      Map.entry("trainium1", "kernels-neuron"), Map.entry("trainium2", "kernels-neuron"));
  private static final String RINGS = "{type: ring, channels: 8}";
  // RCCL's and oneCCL's own choices are not known for all operations.
  private static final Map<String, String> COLLECTIVES = Map.of(
      "cdna2", RINGS, "cdna3", RINGS, "cdna4", RINGS, "xe-hpc", RINGS, "trainium1", "{type: neuron}", "trainium2",
      "{type: neuron}");

  @Mixin
  private final ClusterOptions cluster = new ClusterOptions();

  @Option(
      names = "--kernels",
      paramLabel = "YAML",
      description = "Efficiency of the accelerator's kernels; without it, its generation's preset, such as"
          + " '{preset: kernels-hopper}'.")
  private @Nullable String kernels;

  @Option(
      names = "--collectives",
      paramLabel = "YAML",
      description = "Algorithm of collectives, as in a scenario; without it, NCCL with its generation's"
          + " times on NVIDIA's accelerators, Neuron's algorithm on Trainium, rings elsewhere.")
  private @Nullable String collectives;

  private @Nullable ScenarioReader reader;
  private @Nullable Fabric fabric;

  /** Reads the cluster; before any of the rest. */
  void read(Registry registry) {
    reader = new ScenarioReader(registry);
    fabric = cluster.fabric(registry);
  }

  ScenarioReader reader() {
    return known(reader);
  }

  Fabric fabric() {
    return known(fabric);
  }

  private static <T> T known(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("the cluster was not read yet");
    }
    return value;
  }

  /** The number of accelerators. */
  int accelerators() {
    return fabric().terminals(DeviceKind.ACCELERATOR).length;
  }

  /** The type of the accelerators. */
  Accelerator accelerator() {
    return fabric().accelerator(fabric().terminals(DeviceKind.ACCELERATOR)[0]).orElseThrow(
        () -> new InvalidSettingException("",
            "--cluster " + cluster.name() + " does not say what its accelerators are"));
  }

  /** The figures of kernels, as in a scenario. */
  String kernels() {
    if (kernels != null) {
      return kernels;
    }
    String architecture = accelerator().architecture();
    String known = KERNELS.get(architecture);
    if (known == null) {
      throw new InvalidSettingException("", "nothing is known of the kernels of the architecture '" + architecture
          + "', only of " + String.join(", ", KERNELS.keySet().stream().sorted().toList())
          + "; give them by --kernels");
    }
    return "{preset: " + known + "}";
  }

  /** The collective algorithm: the user's choice, else that of the accelerators' vendor, else rings. */
  CollectiveAlgorithm algorithm() {
    return (CollectiveAlgorithm) reader().block(
        PluginKind.COLLECTIVE_ALGORITHM, "--collectives", collectives == null ? library() : collectives);
  }

  private String library() {
    String known = COLLECTIVES.get(accelerator().architecture());
    return known == null ? "{type: nccl, timing: " + StandardTiming.text(fabric()) + "}" : known;
  }
}
