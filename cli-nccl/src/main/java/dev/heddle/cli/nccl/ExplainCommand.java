package dev.heddle.cli.nccl;

import dev.heddle.cli.CommandContext;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.p2p.Message;
import dev.heddle.collectives.nccl.rccl.MscclSchedules;
import dev.heddle.collectives.nccl.timing.CallTime;
import dev.heddle.collectives.nccl.timing.CommunicatorTiming;
import dev.heddle.collectives.nccl.timing.RcclTiming;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints every candidate of NCCL's tuner, or the channels of send and receive, and the time of the call. */
@Command(
    name = "explain",
    description = "Print every algorithm and protocol that NCCL considers for a call, with the time that its own model"
        + " expects, why the others are out, and the time that the choice takes here. Operations of send and receive"
        + " have no choice; their channels and chunks are printed.")
final class ExplainCommand implements Callable<Integer> {
  private final CommandContext context;

  @Mixin
  private MachineOptions machine = new MachineOptions();

  @Parameters(
      paramLabel = "OP",
      description = "all_reduce, all_gather, reduce_scatter, broadcast or reduce; of send and receive: all_to_all,"
          + " send_recv, gather or scatter.")
  private String op = "";

  @Option(names = "--size", paramLabel = "SIZE", description = "Bytes of the call, as nccl-tests counts (1M).")
  private String size = "1M";

  ExplainCommand(CommandContext context) {
    this.context = context;
  }

  // The resources that the call uses. NVLS's rate of copies is that of the port, which has no time of its own there.
  private static String resources(CallTime time) {
    StringJoiner used = new StringJoiner("," + System.lineSeparator(), "Alone, ", ";" + System.lineSeparator());
    used.add(String.format(Locale.ROOT, "a thread block would take %.2f us", time.resources().blockNs() / 1e3));
    if (time.resources().portNs() > 0) {
      used.add(String.format(Locale.ROOT, "the NVLink port %.2f", time.resources().portNs() / 1e3));
    }
    if (time.resources().nicNs() > 0) {
      used.add(String.format(Locale.ROOT, "the NIC with its PCIe link %.2f", time.resources().nicNs() / 1e3));
    }
    return used + String.format(Locale.ROOT, "steps that wait for one another add %.2f.%n", time.waitNs() / 1e3);
  }

  // The division of a message between the most distant ranks; NCCL chooses among no algorithms here.
  private static String messages(CommunicatorTiming communicator, CollectiveOp op, long bytes) {
    Message message = communicator.message(Collective.of(op, communicator.layout().ranks(), bytes));
    return String.format(Locale.ROOT,
        "Send and receive, no choice of algorithms: a message takes %d channels%nof %d B with %s, in chunks of %d B.%n",
        message.channels(), message.partBytes(), message.protocol().title(), message.chunkBytes());
  }

  private static String replacing(MscclSchedules.Schedule schedule) {
    return String.format(Locale.ROOT,
        "%nA schedule of MSCCL takes its place where each GPU has a process: all pairs%nwith %s on %d channels.%n",
        schedule.protocol().title(), schedule.channels());
  }

  @Override
  public Integer call() {
    CollectiveOp operation = PerfTest.operation(op);
    long bytes = Sizes.parse("--size", size);
    Machine found = machine.machine(context.registry());
    found.requireNoLoss("leave 'loss' out of it");
    if (ClosedForm.ofAmd(found)) {
      RcclTiming communicator = found.rccl(1);
      print(found, operation, bytes, ClosedForm.of(communicator, found.times()),
          communicator.choice(operation, bytes).table()
              + communicator.schedule(operation, bytes).map(ExplainCommand::replacing).orElse(""));
      return 0;
    }
    CommunicatorTiming communicator = CommunicatorTiming.of(found.channels(), found.times(), found.linkLatencyPs());
    print(found, operation, bytes, ClosedForm.of(communicator),
        CommunicatorTiming.tuned(operation) ? communicator.choice(operation, bytes).table()
            : messages(communicator, operation, bytes));
    CloudTuner.tell(context, found, operation);
    return 0;
  }

  private void print(Machine found, CollectiveOp operation, long bytes, ClosedForm form, String choice) {
    CallTime time = form.time(operation, bytes, false);
    context.print(operation.key() + " of " + bytes + " B on " + form.layout().ranks() + " ranks, "
        + form.layout().nodes() + " nodes, " + (ClosedForm.ofAmd(found) ? "RCCL " : "NCCL ")
        + found.config().version() + "\n\n" + choice
        + String.format(Locale.ROOT,
            "%nHere it takes %.2f us, bound by %s:%n%.2f to launch, %.2f moving bytes, %.2f waiting.%n",
            time.nanos() / 1e3, time.bound().name().toLowerCase(Locale.ROOT), time.launchNs() / 1e3,
            time.transferNs() / 1e3, time.waitNs() / 1e3)
        + resources(time));
  }
}
