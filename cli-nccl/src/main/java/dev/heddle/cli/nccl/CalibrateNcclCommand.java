package dev.heddle.cli.nccl;

import dev.heddle.cli.CommandContext;
import dev.heddle.cli.OutputFile;
import dev.heddle.collectives.nccl.calibration.Calibration;
import dev.heddle.collectives.nccl.calibration.MachineFit;
import dev.heddle.collectives.nccl.calibration.MeasuredTable;
import dev.heddle.collectives.nccl.calibration.MessageEvidence;
import dev.heddle.collectives.nccl.measured.CallLog;
import dev.heddle.collectives.nccl.measured.LogFile;
import dev.heddle.collectives.nccl.measured.MessageLog;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.spi.InvalidSettingException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Fits the few constants of a machine to its own logs. */
@Command(
    name = "nccl",
    description = "Fit the launch, the NICs' efficiency and the network latency of a machine to its own logs, within"
        + " physical bounds, and write them as a preset. Other constants are those of the GPUs' generation and of the"
        + " network. Messages by perftest or OSU bound the network's constants: a step takes longer than a message.")
final class CalibrateNcclCommand implements Callable<Integer> {
  private final CommandContext context;

  @Parameters(arity = "1..*", paramLabel = "LOG",
      description = "Output of nccl-tests, OSU micro-benchmarks (osu_latency, osu_bw, osu_xccl_*) or perftest"
          + " (ib_write_bw, ib_write_lat, ...), or CSV with size_bytes and time_us.")
  private List<Path> logs = new ArrayList<>();

  @Mixin
  private MachineOptions machine = new MachineOptions();

  @Option(names = "--in-place", description = "Fit to the times in place, not to those out of place.")
  private boolean inPlace;

  @Option(names = "--out", paramLabel = "FILE", description = "A preset to write.")
  private @Nullable Path out;

  CalibrateNcclCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    Optional<OutputFile> preset = Optional.ofNullable(out).map(path -> OutputFile.of("--out", path));
    Machine found = machine.machine(context.registry());
    MachineTiming start = found.times();
    List<CallLog> calls = new ArrayList<>();
    List<MessageLog> messages = new ArrayList<>();
    for (Path log : logs) {
      LogFile file = LogFile.read(log);
      file.calls().forEach(each -> calls.add(LogTables.placed(found, inPlace ? inPlace(each) : each)));
      messages.addAll(file.messages());
    }
    LogAgreement.requireOfCalls(calls);
    LogAgreement.requireOfMessages(messages);
    MessageEvidence evidence = LogTables.evidence(found.cluster(), messages);
    List<MeasuredTable> tables =
        calls.stream().map(log -> LogTables.table(found, machine, start, log)).toList();
    MachineFit fit = MachineFit.of(tables, start, evidence);
    String timing = found.timingWith(fit.launch(), fit.network());
    context.print(CalibrationReport.of(tables, messages, fit) + "\ntiming: " + timing + "\n");
    preset.ifPresent(file -> file.write(preset(fit, calls, messages, timing)));
    return 0;
  }

  private static CallLog inPlace(CallLog log) {
    CallLog found = log.inPlace();
    if (found.rows().isEmpty()) {
      throw new InvalidSettingException("", log.file() + ": no times in place");
    }
    return found;
  }

  private static String preset(MachineFit fit, List<CallLog> calls, List<MessageLog> messages, String timing) {
    List<String> measured = new ArrayList<>();
    for (CallLog log : calls) {
      measured.add(String.format(Locale.ROOT, "%d rows of %s in %s%s", log.rows().size(), log.op().key(), log.file(),
          log.facts().version().map(version -> " with NCCL " + version).orElse("")));
    }
    messages.forEach(log -> measured.add(log.test() + " in " + log.file()));
    String moved = fit.values().stream().map(value -> String.format(Locale.ROOT, "%s %.4g (%s, was %.4g)",
        value.constant().name(), value.fitted(), CalibrationReport.basis(value), value.before()))
        .collect(Collectors.joining(", "));
    return "description: Times of a machine, calibrated on its own logs\nsource: \""
        + ("heddle calibrate nccl: " + String.join("; ", measured) + "; " + moved + "; bands from "
            + Calibration.MIDDLE + " and " + Calibration.LARGE + " B").replace("\\", "/").replace("\"", "'")
        + "\"\nvalue: " + timing + "\n";
  }
}
