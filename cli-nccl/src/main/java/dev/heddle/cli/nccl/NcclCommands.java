package dev.heddle.cli.nccl;

import dev.heddle.cli.CommandContext;
import dev.heddle.cli.SubcommandProvider;
import java.util.List;
import picocli.CommandLine;

/** Adds {@code nccl-tests}, {@code nccl} and {@code calibrate}. */
public final class NcclCommands implements SubcommandProvider {
  @Override
  public List<Object> commands(CommandContext context) {
    CommandLine nccl = new CommandLine(new NcclCommand());
    nccl.addSubcommand(new ExplainCommand(context));
    nccl.addSubcommand(new TopoCommand(context));
    CommandLine calibrate = new CommandLine(new CalibrateCommand());
    calibrate.addSubcommand(new CalibrateNcclCommand(context));
    return List.of(new TestsCommand(context), nccl, calibrate);
  }

  @Override
  public List<Class<?>> types() {
    return List.of(TestsCommand.class, NcclCommand.class, CalibrateCommand.class);
  }
}
