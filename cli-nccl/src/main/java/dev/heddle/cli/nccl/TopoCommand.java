package dev.heddle.cli.nccl;

import dev.heddle.cli.CommandContext;
import dev.heddle.collectives.nccl.system.ClusterNode;
import dev.heddle.collectives.nccl.system.SystemXml;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Prints a node as NCCL's topology file. */
@Command(
    name = "topo",
    description = "Print a node of a cluster as NCCL's topology XML, which NCCL_TOPO_FILE reads.")
final class TopoCommand implements Callable<Integer> {
  private final CommandContext context;

  @Mixin
  private MachineOptions machine = new MachineOptions();

  TopoCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    context.print(SystemXml.write(ClusterNode.of(machine.machine(context.registry()).cluster(), 0)));
    return 0;
  }
}
