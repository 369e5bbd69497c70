package dev.heddle.cli.nccl;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Groups the fits of constants to measurements. */
@Command(name = "calibrate", description = "Fit constants of a machine to its measurements.")
final class CalibrateCommand implements Runnable {
  @Spec
  private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "nccl is needed");
  }
}
