package dev.heddle.cli.nccl;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The commands about NCCL's plans. */
@Command(name = "nccl", description = "Show the choices of NCCL on a cluster, and their reasons.")
final class NcclCommand implements Runnable {
  @Spec
  private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "one of explain, topo is needed");
  }
}
