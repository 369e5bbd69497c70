package dev.heddle.cli.nccl;

import dev.heddle.cli.CommandContext;
import dev.heddle.cli.FidelityOption;
import dev.heddle.cli.OutputFile;
import dev.heddle.cli.nccl.TestReport.Device;
import dev.heddle.cli.nccl.TestReport.Head;
import dev.heddle.cli.nccl.TestReport.Line;
import dev.heddle.cli.nccl.TestReport.Result;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.measured.CallLog;
import dev.heddle.collectives.nccl.measured.LogFile;
import dev.heddle.collectives.nccl.p2p.DirectAccess;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.symmetric.SymmetricTuner;
import dev.heddle.collectives.nccl.timing.CallTime;
import dev.heddle.collectives.nccl.timing.CommunicatorTiming;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.collectives.nccl.timing.SymmetricTiming;
import dev.heddle.network.NetworkModel;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.InvalidSettingException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a test of nccl-tests, and prints its table. */
@Command(
    name = "nccl-tests",
    description = "Print the table of a test of nccl-tests for a cluster: all_reduce_perf, all_gather_perf,"
        + " reduce_scatter_perf, broadcast_perf, reduce_perf, alltoall_perf, sendrecv_perf, gather_perf, scatter_perf,"
        + " hypercube_perf. Times are NCCL's closed form without other traffic, see 'heddle validate nccl', or"
        + " those of a run of the cluster's network.")
final class TestsCommand implements Callable<Integer> {
  private static final int FIRST_PROCESS = 1000;
  private static final String CLOSED_FORM = "closed-form";
  private static final double OVERSUBSCRIBED = 1.01;

  private final CommandContext context;

  @Parameters(paramLabel = "TEST", description = "The test, such as all_reduce_perf.")
  private String name = "";

  @Mixin
  private MachineOptions machine = new MachineOptions();

  @Mixin
  private TestOptions options = new TestOptions();

  @Option(names = "--json", description = "Print JSON, with the keys of nccl-tests, instead of the table.")
  private boolean json;

  @Option(
      names = "--fidelity",
      paramLabel = "FIDELITY",
      description = "closed-form: NCCL's own formula of GPUs, NICs and PCIe, without the switches of the network; or"
          + " the network model that executes the calls: analytic, flow, packet, or another that 'heddle plugins'"
          + " lists. Without it, flow where switches of the cluster are oversubscribed, which the closed form leaves"
          + " out, else closed-form.")
  private @Nullable String fidelity;

  @Option(
      names = "--compare",
      paramLabel = "LOG",
      description = "Print the times of a log of nccl-tests, of osu_xccl_ benchmarks or of CSV beside those of the"
          + " closed form, with errors.")
  private @Nullable Path compared;

  TestsCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    Optional<OutputFile> file = options.jsonFile().map(path -> OutputFile.of("-J", path));
    PerfTest test = PerfTest.of(name);
    TestOptions.Range range = options.range();
    Machine found = machine.machine(context.registry());
    int perProcess = options.perProcess(found.perNode());
    MachineTiming timing = timing(found);
    if (compared != null) {
      requireClosedForm();
      context.print(comparison(found, timing, test, compared));
      return 0;
    }
    ClosedForm communicator = closedForm(found, timing, perProcess);
    Optional<SymmetricTiming> symmetric = symmetric(found, timing, perProcess);
    Times times = new Times(test, communicator, simulated(found, timing), symmetric);
    NcclVersion version = found.config().version();
    List<Row> rows = rows(test, version, communicator.layout().ranks());
    TestReport report = new TestReport(
        new Head(test.program(), code(version), range, options.repeated(), model(found, times)),
        devices(found));
    for (int cycle = 0; cycle < options.cycles(); cycle++) {
      for (Row row : rows) {
        for (long size = range.least(); size <= range.most(); size = range.next(size)) {
          report.add(line(times, size, row));
        }
      }
    }
    if (!ClosedForm.ofAmd(found)) {
      CloudTuner.tell(context, found, test.op());
    }
    context.print(json ? report.json() : report.text());
    file.ifPresent(each -> each.write(report.json()));
    return 0;
  }

  private ClosedForm closedForm(Machine found, MachineTiming timing, int perProcess) {
    if (ClosedForm.ofAmd(found)) {
      return ClosedForm.of(found.rccl(perProcess), timing);
    }
    CommunicatorTopology channels = found.channels();
    return ClosedForm.of(
        CommunicatorTiming.of(channels, timing, DirectAccess.of(channels, perProcess), found.linkLatencyPs()));
  }

  // The kernels for symmetric memory, if they are asked for; a user is told where NCCL has none.
  private Optional<SymmetricTiming> symmetric(Machine found, MachineTiming timing, int perProcess) {
    if (!options.symmetric()) {
      return Optional.empty();
    }
    if (!fidelity(found).equals(CLOSED_FORM)) {
      throw new InvalidSettingException("", "-R 2 has times by NCCL's cost model, without a network; leave it out or"
          + " write --fidelity " + CLOSED_FORM);
    }
    Optional<String> reason = ClosedForm.ofAmd(found) ? Optional.of("RCCL's are not modelled")
        : SymmetricTuner.reason(found.channels());
    context.message("note: -R 2: " + reason.map(why -> "no kernels for symmetric memory (" + why
        + "); times are those of -R 0").orElse("kernels for symmetric memory take as long as NCCL's cost model expects;"
            + " no measured table confirms it"));
    return reason.isPresent() ? Optional.empty() : SymmetricTiming.of(found.channels(), timing, perProcess);
  }

  private void requireClosedForm() {
    if (fidelity != null && !fidelity.equals(CLOSED_FORM) || json) {
      throw new InvalidSettingException("", "--compare prints the closed form as a table; leave out "
          + (json ? "--json" : "--fidelity " + fidelity));
    }
  }

  // The comparison with the tests of a log that are of this operation.
  private String comparison(Machine found, MachineTiming timing, PerfTest test, Path file) {
    List<CallLog> calls = LogFile.read(file).calls();
    List<CallLog> same = calls.stream().filter(log -> log.op() == test.op()).toList();
    if (same.isEmpty()) {
      throw new InvalidSettingException("", calls.isEmpty() ? file + ": has messages of hosts, no collective"
          : file + ": is of " + calls.get(0).op().key() + ", not of " + test.program());
    }
    StringBuilder text = new StringBuilder();
    for (CallLog log : same) {
      CallLog placed = LogTables.placed(found, log);
      text.append(Comparison.of(LogTables.table(found, machine, timing, placed), placed, timing));
    }
    return text.toString();
  }

  /** The labels of a row, apart from its size. */
  private record Row(String type, int elementBytes, String operation, int root) {
    private static final List<String> ADDED = List.of("half", "float", "bfloat16", "f8e4m3", "f8e5m2");

    /** Whether kernels for symmetric memory take the type and the reduction. */
    boolean symmetric(PerfTest test) {
      return !test.op().reduces() || operation.equals("sum") && ADDED.contains(type);
    }
  }

  private List<Row> rows(PerfTest test, NcclVersion version, int ranks) {
    List<String> operations = options.operations(version);
    List<Integer> roots = options.roots(ranks);
    List<Row> rows = new ArrayList<>();
    options.types(version).forEach((type, bytes) -> {
      for (String operation : test.op().reduces() ? operations : List.of("none")) {
        for (int root : test.op().rooted() ? roots : List.of(-1)) {
          rows.add(new Row(type, bytes, operation, root));
        }
      }
    });
    return rows;
  }

  /** The source of a test's times: the closed form, or runs on a network model. */
  private record Times(PerfTest test, ClosedForm communicator, Optional<SimulatedCalls> simulated,
      Optional<SymmetricTiming> symmetric) {
    double nanos(long bytes, boolean inPlace, Row row) {
      if (bytes == 0) {
        return 0;
      }
      Optional<CallTime> kernel = symmetric.filter(any -> test != PerfTest.HYPERCUBE && row.symmetric(test))
          .flatMap(each -> each.time(test.op(), bytes));
      if (kernel.isPresent()) {
        return kernel.get().nanos();
      }
      if (test == PerfTest.HYPERCUBE) {
        return hypercube(bytes / (communicator.layout().ranks() - 1));
      }
      return simulated.map(each -> each.nanos(test.op(), bytes))
          .orElseGet(() -> communicator.time(test.op(), bytes, inPlace).nanos());
    }

    // In round k, ranks whose numbers differ in bit k exchange all 2^k parts that they hold.
    private double hypercube(long part) {
      int ranks = communicator.layout().ranks();
      if (Integer.bitCount(ranks) != 1) {
        throw new InvalidSettingException("", "hypercube_perf needs a power of two of ranks, not " + ranks);
      }
      double nanos = 0;
      for (int distance = 1; distance < ranks; distance *= 2) {
        nanos += exchange(distance, part * distance);
      }
      return nanos;
    }

    private double exchange(int distance, long bytes) {
      return simulated.map(each -> each.exchange(distance, bytes))
          .orElseGet(() -> communicator.exchange(distance, bytes).nanos());
    }
  }

  private Optional<SimulatedCalls> simulated(Machine found, MachineTiming timing) {
    Optional<NetworkModel> network =
        FidelityOption.model(context.registry(), "--fidelity", fidelity(found), List.of(CLOSED_FORM));
    if (network.isEmpty()) {
      found.requireNoLoss("write --fidelity packet");
    }
    return network.map(
        model -> new SimulatedCalls(found, timing, options.perProcess(found.perNode()), model, options.iterations()));
  }

  private String fidelity(Machine found) {
    return fidelity != null ? fidelity
        : !found.cluster().faults().isEmpty()
            || found.cluster().nodes() > 1 && Oversubscription.ratio(found.cluster()) > OVERSUBSCRIBED
            ? "flow"
        : CLOSED_FORM;
  }

  private static String rounded(double ratio) {
    return BigDecimal.valueOf(ratio).round(new MathContext(3)).stripTrailingZeros().toPlainString();
  }

  private static String model(Machine found, Times times) {
    double ratio = found.cluster().nodes() > 1 ? Oversubscription.ratio(found.cluster()) : 1;
    String network = ratio > OVERSUBSCRIBED ? ", switches " + rounded(ratio) + ":1 oversubscribed" : "";
    int faults = found.cluster().faults().size();
    String seen = network + (faults == 0 ? "" : ", " + faults + (faults == 1 ? " fault" : " faults"));
    CollectiveOp op = times.test().op();
    String single = op.rooted() && !SimulatedCalls.chained(op) ? ", in which calls with a root do not overlap" : "";
    return times.simulated()
        .map(calls -> calls.fidelity() + " model of the whole network" + seen + single)
        .orElseGet(() -> "closed form: GPUs, NICs in use and their PCIe"
            + (seen.isEmpty() ? "" : seen + " and not looked at"));
  }

  private static int code(NcclVersion version) {
    return version.minor() < 9 ? 2000 + 100 * version.minor() + version.patch()
        : 20_000 + 100 * version.minor() + version.patch();
  }

  private MachineTiming timing(Machine found) {
    MachineTiming timing = found.times();
    return options.graph() ? new MachineTiming(timing.gpu(), timing.host().graph(), timing.network()) : timing;
  }

  private List<Device> devices(Machine found) {
    Cluster cluster = found.cluster();
    int perProcess = options.perProcess(found.perNode());
    List<Device> devices = new ArrayList<>();
    for (int rank = 0; rank < found.group().size(); rank++) {
      int terminal = found.group().member(rank);
      int number = rank % found.perNode();
      devices.add(new Device(
          rank, FIRST_PROCESS + rank / perProcess, "node" + cluster.node(terminal), number,
          String.format(Locale.ROOT, "0000:%02x:00", number + 1),
          cluster.accelerator(terminal).map(Accelerator::name).orElse("accelerator")));
    }
    return devices;
  }

  private Line line(Times times, long size, Row row) {
    PerfTest test = times.test();
    int ranks = times.communicator().layout().ranks();
    long count = test.count(size, row.elementBytes(), ranks);
    long bytes = test.size(count, row.elementBytes(), ranks);
    List<String> labels = List.of(row.type(), row.operation(), String.format(Locale.ROOT, "%6d", row.root()));
    return new Line(
        bytes, count, labels, result(times, bytes, false, row), result(times, bytes, true, row));
  }

  private Result result(Times times, long bytes, boolean inPlace, Row row) {
    PerfTest test = times.test();
    int ranks = times.communicator().layout().ranks();
    double nanos = times.nanos(bytes, inPlace, row);
    double algbw = nanos > 0 ? bytes / nanos : 0;
    boolean checked = options.checked() && (!inPlace || test.checkedInPlace());
    return new Result(nanos / 1e3, algbw, algbw * test.busFactor(ranks), checked);
  }
}
