package dev.heddle.cli.nccl;

import dev.heddle.cli.CommandContext;
import dev.heddle.cli.SubcommandProvider;
import java.util.List;
import picocli.CommandLine;

/** Adds {@code nccl-tests} and {@code nccl}. */
public final class NcclCommands implements SubcommandProvider {
  @Override
  public List<Object> commands(CommandContext context) {
    CommandLine nccl = new CommandLine(new NcclCommand());
    nccl.addSubcommand(new ExplainCommand(context));
    nccl.addSubcommand(new TopoCommand(context));
    return List.of(new TestsCommand(context), nccl);
  }
}
