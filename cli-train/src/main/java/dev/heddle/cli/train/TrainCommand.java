package dev.heddle.cli.train;

import dev.heddle.cli.CommandContext;
import dev.heddle.cli.FidelityOption;
import dev.heddle.cli.OutputFile;
import dev.heddle.network.NetworkModel;
import dev.heddle.results.Results;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.training.Bottleneck;
import dev.heddle.training.Estimate;
import dev.heddle.training.ProfiledCommTimes;
import dev.heddle.training.RepresentativeRanks;
import dev.heddle.units.SimTime;
import dev.heddle.workload.megatron.MegatronWorkloadProvider;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.KernelDatabase;
import dev.heddle.workload.megatron.program.Iteration;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs one iteration of a training job. */
@Command(
    name = "train",
    description = "Print the time of a training iteration of a language model on a cluster, its activities and its"
        + " memory: the estimate of one rank per stage, and the run of all ranks.")
final class TrainCommand implements Callable<Integer> {
  private final CommandContext context;

  @Mixin
  private MachineOptions machineOptions = new MachineOptions();

  @Mixin
  private ModelOptions model = new ModelOptions();

  @Mixin
  private JobOptions options = new JobOptions();

  @Option(
      names = "--fidelity",
      paramLabel = "FIDELITY",
      description = "estimate: no run, the estimate of one rank per stage alone; or the network model of a run of all"
          + " ranks besides: analytic, flow, packet, or another that 'heddle plugins' lists (default: flow).")
  private String fidelity = "flow";

  @Option(names = "--json", description = "Print JSON instead of the table.")
  private boolean json;

  @Option(names = "--out", paramLabel = "DIR", description = "The folder for the run's results, report and trace.")
  private @Nullable Path out;

  @Option(
      names = "--trace",
      paramLabel = "RANK",
      split = ",",
      description = "Ranks whose timeline --out draws and writes as a trace for Perfetto (default: the first of each"
          + " stage).")
  private List<Integer> traced = List.of();

  @Option(
      names = "--list-kernels",
      paramLabel = "FILE",
      description = "Write the job's kernels with their times, as kernels: {database: FILE} reads them.")
  private @Nullable Path listed;

  @Option(
      names = "--bottlenecks",
      description = "Print besides how much shorter the estimated iteration is where one resource is twice as fast: the"
          + " accelerators' arithmetic or memory, the hosts, or one kind of communication.")
  private boolean bottlenecks;

  @Option(
      names = "--memoization-tolerance",
      paramLabel = "TIME",
      description = "At fidelity packet, the time by which the begins of a collective call may differ from those of a"
          + " recorded one that is replayed in its place, such as 5 us: large jobs run sooner, with an estimated error"
          + " (default: 0 s, results are those of every packet).")
  private String memoizationTolerance = "0 s";

  TrainCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    Optional<NetworkModel> run =
        FidelityOption.model(context.registry(), "--fidelity", fidelity, List.of("estimate"));
    if (run.isEmpty() && out != null || !traced.isEmpty() && out == null) {
      throw new InvalidSettingException("", out == null
          ? "--trace needs --out, the folder to write to" : "--out needs a run; an estimate has no report");
    }
    SimTime tolerance = tolerance();
    if (tolerance.ps() != 0 && run.filter(level -> level.id().equals(Fidelity.PACKET.id())).isEmpty()) {
      throw new InvalidSettingException("", "--memoization-tolerance: only calls of packets are recorded; write"
          + " --fidelity packet, or leave it out");
    }
    Optional<OutputFile> kernels = Optional.ofNullable(listed).map(file -> OutputFile.of("--list-kernels", file));
    Function<Machine, Training> job = model.job(context.registry(), options.division());
    Machine machine = machineOptions.machine(context.registry());
    Training training = job.apply(machine);
    Iteration iteration = JobOptions.named(() -> new Iteration(training, machine.cluster()));
    requireTraced(iteration.grid().ranks());
    kernels.ifPresent(file -> file.write(kernels(iteration)));
    Optional<Consumer<Results>> folder = Optional.ofNullable(out).map(context::folder);
    ProfiledCommTimes times = new ProfiledCommTimes(iteration, machine.cluster(), machine.algorithm());
    Figures.longWait(iteration).ifPresent(context::message);
    Estimate estimate = JobOptions.named(() -> RepresentativeRanks.of(iteration, times));
    Optional<Results> results = run.map(level -> context.run(simulation(machine, iteration, tolerance).at(level)));
    folder.ifPresent(written -> written.accept(results.orElseThrow()));
    List<Bottleneck> limits = bottlenecks ? Bottleneck.of(estimate, machine.cluster(), times) : List.of();
    TrainReport report = new TrainReport(estimate, times.stagesShareLinks(), results, model.tokens(), limits);
    context.print(json ? report.json() : report.text());
    return 0;
  }

  private void requireTraced(int ranks) {
    for (int rank : traced) {
      SimulationOptions.refusedTrace(rank, ranks).ifPresent(reason -> {
        throw new InvalidSettingException("", "--trace: " + reason);
      });
    }
  }

  private static String kernels(Iteration iteration) {
    StringBuilder text = new StringBuilder();
    KernelDatabase.write(iteration.accelerator().name(), iteration.kernels(), iteration.times(), text);
    return text.toString();
  }

  private SimTime tolerance() {
    try {
      return SimTime.parse(memoizationTolerance);
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException("", "--memoization-tolerance: " + e.getMessage());
    }
  }

  private Simulation simulation(Machine machine, Iteration iteration, SimTime tolerance) {
    List<Integer> shown = traced.isEmpty() && out != null
        ? IntStream.range(0, options.pipeline()).map(stage -> iteration.grid().atStage(0, stage)).boxed().toList()
        : traced;
    SimulationOptions run =
        JobOptions.named(() -> SimulationOptions.defaults().trace(shown).memoizationTolerance(tolerance));
    return new Simulation(
        "train", machine.cluster(), new MegatronWorkloadProvider().create(iteration.training()),
        run, 1).with(machine.algorithm());
  }
}
