package dev.heddle.cli.hpl;

import dev.heddle.cli.CommandContext;
import dev.heddle.hpl.HplCase;
import dev.heddle.hpl.HplInput;
import dev.heddle.hpl.HplInputReader;
import dev.heddle.hpl.HplReport;
import dev.heddle.registry.Registry;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.text.TextFile;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs the combinations of an HPL.dat, and prints HPL's output. */
@Command(
    name = "hpl",
    description = "Run what an HPL.dat asks for, and print HPL's result lines; or find the best N, NB, P and Q (tune),"
        + " or show what the closed forms take from a cluster's links (layers).")
final class HplCommand implements Callable<Integer> {
  private final CommandContext context;

  @Parameters(arity = "0..1", paramLabel = "HPL.dat", description = "HPL's input file (default: HPL.dat).")
  private Path input = Path.of("HPL.dat");

  @Mixin
  private MachineOptions machine = new MachineOptions();

  @Option(
      names = "--compare",
      description = "Print below each result where the layered closed form and the run on the network part.")
  private boolean compare;

  HplCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    HplInput read = HplInputReader.read(input.toString(), text(input));
    Registry registry = context.registry();
    Machine found = machine.machine(registry);
    List<HplCase> cases = read.cases();
    found.check(cases);
    for (HplCase each : cases) {
      context.print(HplReport.header() + HplReport.line(each, found.seconds(each, read.options())));
      if (compare) {
        context.print(Comparison.of(found, each, read.options()).text());
      }
    }
    context.print(HplReport.end(cases.size()));
    return 0;
  }

  private static String text(Path file) {
    return TextFile.read(
        file, message -> new InvalidSettingException("", message + "; write the path of an HPL.dat"));
  }
}
