package dev.heddle.cli;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The root of all commands. */
@Command(
    name = "heddle",
    description = "Simulates accelerator clusters: networks, collectives, training and HPL.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    scope = ScopeType.INHERIT,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        " 0:done",
        " 1:a schedule is wrong, or with --strict a stated bound is missed",
        " 2:bad input",
        " 70:a bug of Heddle or of a plug-in",
        " 130, 143:interrupted"
    })
final class HeddleCommand {
  private final Installation installation;
  private boolean quiet;

  HeddleCommand(Installation installation) {
    this.installation = installation;
  }

  /** Whether progress, warnings and tables beside files are left out. */
  boolean quiet() {
    return quiet;
  }

  @Option(
      names = {"-q", "--quiet"},
      scope = ScopeType.INHERIT,
      description = "Print no progress, no warnings, and no table where files are written.")
  void setQuiet(boolean value) {
    quiet = value;
  }

  @Option(
      names = "--plugin-path",
      paramLabel = "PATH",
      scope = ScopeType.INHERIT,
      description = "A folder of plug-in jars, or one jar; may be repeated.")
  void addPluginPath(Path path) {
    installation.addPluginPath(path);
  }
}
