package dev.heddle.cli.kernels;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The commands about measured kernels. */
@Command(name = "kernels", description = "Show times of kernels and their basis; convert measured tables.")
final class KernelsCommand implements Runnable {
  @Spec
  private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "one of convert, explain, list is needed");
  }
}
