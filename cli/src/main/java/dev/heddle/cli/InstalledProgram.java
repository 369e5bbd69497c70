package dev.heddle.cli;

import com.google.common.base.Suppliers;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The program as it is installed; each check is made on commands of its own. */
final class InstalledProgram implements Program {
  private final Installation installation;
  private final Supplier<CommandLine> commands;
  /** Files of the program do not change while it runs. */
  private final Supplier<String> build;

  InstalledProgram(Installation installation, Supplier<CommandLine> commands) {
    this.installation = installation;
    this.commands = commands;
    this.build = Suppliers.memoize(installation::build);
  }

  @Override
  public String version() {
    return Version.text();
  }

  @Override
  public String build() {
    return build.get();
  }

  @Override
  public List<Path> pluginPath() {
    return installation.paths();
  }

  @Override
  public List<String> command(List<String> options) {
    return Installation.program(options);
  }

  @Override
  public Optional<String> refusal(List<String> arguments) {
    try {
      commands.get().parseArgs(arguments.toArray(new String[0]));
      return Optional.empty();
    } catch (ParameterException e) {
      return Optional.of(Main.explanation(e));
    }
  }

  @Override
  public List<CommandOption> options(String command) {
    CommandLine found = commands.get().getSubcommands().get(command);
    if (found == null) {
      throw new IllegalArgumentException("there is no command '" + command + "'");
    }
    return found.getCommandSpec().options().stream()
        .filter(option -> !option.inherited() && !option.hidden() && !option.usageHelp() && !option.versionHelp())
        .map(InstalledProgram::described).toList();
  }

  private static CommandOption described(OptionSpec option) {
    boolean valued = option.arity().max() > 0;
    return new CommandOption(
        option.longestName(), valued ? option.paramLabel() : "",
        String.join(" ", option.description()).replace("%%", "%"), option.required(), option.isMultiValue());
  }
}
