package dev.heddle.cli.hpl;

import dev.heddle.cli.FidelityOption;
import dev.heddle.fabric.Fabric;
import dev.heddle.hpl.HplSystem;
import dev.heddle.hpl.ProcessGrid;
import dev.heddle.hpl.run.KernelSettings;
import dev.heddle.network.NetworkModel;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Fidelity;
import dev.heddle.spi.InvalidSettingException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options for the machine and the model of its time. */
final class MachineOptions {
  private static final Pattern GRID = Pattern.compile("(\\d{1,7})x(\\d{1,7})");
  private static final int ANY_BLOCK_SIZE = 512;

  @Mixin
  private SystemOptions cluster = new SystemOptions();

  @Option(
      names = "--system",
      paramLabel = "YAML",
      description = "A system for the closed forms instead of a cluster: a preset, such as hpl-summit, or the output of"
          + " 'heddle hpl layers'.")
  private @Nullable String system;

  @Option(
      names = "--model",
      paramLabel = "MODEL",
      description = "The model of the time: original, single or layered (closed forms), or the network model of a run"
          + " of HPL's programs on the cluster: analytic, flow, packet, or another that 'heddle plugins' lists"
          + " (default: layered; --compare then runs at flow).")
  private String model = "layered";

  @Option(
      names = "--node-grid",
      paramLabel = "PxQ",
      description = "The part of the process grid that a node holds, of the model flow, such as 2x4; without it,"
          + " processes fill nodes in their order.")
  private @Nullable String nodeGrid;

  @Mixin
  private MemoryOption memory = new MemoryOption();

  Machine machine(Registry registry) {
    Optional<NetworkModel> run = FidelityOption.model(registry, "--model", model, ClosedForm.keys());
    Optional<ClosedForm> form = ClosedForm.of(model);
    NetworkModel network = run.orElse(Fidelity.FLOW);
    ScenarioReader reader = new ScenarioReader(registry);
    KernelSettings settings = cluster.kernels(registry);
    Machine.Placement placement = new Machine.Placement(grid(), memory.size());
    if (system != null) {
      if (cluster.given()) {
        throw new InvalidSettingException("", "--system and --cluster are two machines; write one of them");
      }
      return new Machine(form, network, closed(reader, system), Optional.empty(), settings, placement);
    }
    if (!cluster.given()) {
      throw new InvalidSettingException(
          "", "--cluster or --system is needed: --cluster hgx-h100, or --system hpl-summit");
    }
    Fabric fabric = cluster.fabric(registry);
    HplSystem layers = cluster.system(registry, fabric, ANY_BLOCK_SIZE);
    return new Machine(form, network, layers, Optional.of(fabric), settings, placement);
  }

  static HplSystem closed(ScenarioReader reader, String text) {
    String yaml = text.matches("[a-z][a-z0-9-]*") ? "{preset: " + text + "}" : text;
    return reader.record(HplSystem.class, "--system", yaml);
  }

  private Optional<ProcessGrid> grid() {
    if (nodeGrid == null) {
      return Optional.empty();
    }
    Matcher matcher = GRID.matcher(nodeGrid);
    if (!matcher.matches()) {
      throw new InvalidSettingException("", "--node-grid " + nodeGrid + ": is no grid such as 2x4");
    }
    return Optional.of(new ProcessGrid(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))));
  }
}
