package dev.heddle.cli.train;

import dev.heddle.cli.CommandContext;
import dev.heddle.cli.ConfirmationFidelity;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.NetworkModel;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.training.Candidate;
import dev.heddle.training.TrainingSearch;
import dev.heddle.workload.megatron.MegatronWorkloadProvider;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.KernelShares;
import dev.heddle.workload.megatron.program.Iteration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Finds the fastest division of a training job. */
@Command(
    name = "search",
    description = "Find the fastest division of a training job on a cluster: every tensor, pipeline, context and expert"
        + " degree, micro-batch, order and recomputation that fits the memory is estimated, and the fastest are run.")
final class SearchCommand implements Callable<Integer> {
  private final CommandContext context;

  @Mixin
  private MachineOptions machineOptions = new MachineOptions();

  @Mixin
  private ModelOptions model = new ModelOptions();

  @Mixin
  private MemoryReserve reserve = new MemoryReserve();

  @Option(names = "--top", paramLabel = "N", description = "Number of candidates that are printed (default: 10).")
  private int top = 10;

  @Option(
      names = "--confirm",
      paramLabel = "N",
      description = "Number of the fastest candidates that are run (default: 3).")
  private int confirm = 3;

  @Mixin
  private ConfirmationFidelity fidelity = new ConfirmationFidelity();

  SearchCommand(CommandContext context) {
    this.context = context;
  }

  /** A candidate with the seconds of its run; not a number without a run. */
  private record Confirmed(Candidate candidate, double seconds) {}

  @Override
  public Integer call() {
    if (top < 1 || confirm < 0) {
      throw new InvalidSettingException(
          "", top < 1 ? "--top " + top + ": must be at least 1" : "--confirm " + confirm + ": must be at least 0");
    }
    reserve.check();
    NetworkModel network = fidelity.model(context.registry());
    Function<Machine, Training> job = model.job(context.registry(), Division.none());
    Machine machine = machineOptions.machine(context.registry());
    TrainingSearch.Outcome outcome = reserve.search(machine, job.apply(machine));
    if (outcome.candidates().isEmpty()) {
      throw new InvalidSettingException("", reserve.refusal(machine, outcome));
    }
    List<Confirmed> best = new ArrayList<>();
    for (Candidate candidate : outcome.candidates().subList(0,
        Math.min(Math.max(top, confirm), outcome.candidates().size()))) {
      double seconds = best.size() < confirm ? run(machine, candidate.training(), network) : Double.NaN;
      best.add(new Confirmed(candidate, seconds));
    }
    best.sort(Comparator.comparingDouble(
        each -> Double.isNaN(each.seconds()) ? 1e9 + each.candidate().seconds() : each.seconds()));
    context.print(table(outcome, network, best, machine.cluster()));
    return 0;
  }

  private static double run(Machine machine, Training training, NetworkModel network) {
    return new Simulation(
        "search", machine.cluster(), new MegatronWorkloadProvider().create(training), SimulationOptions.defaults(), 1)
        .at(network).with(machine.algorithm()).timePs() / 1e12;
  }

  private String table(TrainingSearch.Outcome outcome, NetworkModel network, List<Confirmed> best, Fabric cluster) {
    StringBuilder text = new StringBuilder(String.format(Locale.ROOT,
        "%d ways to cut the job, %d too large for the memory, %d estimated%n%n"
            + "   tp  pp  vp  cp  ep   dp  micro  recompute   estimate s %9s   MFU %%  memory GiB%n",
        outcome.tried(), outcome.tooLarge(), outcome.candidates().size(), network.id() + " s"));
    best.stream().limit(top).forEach(each -> text.append(line(outcome, each)));
    KernelShares kernels = new Iteration(best.get(0).candidate().training(), cluster).kernelShares();
    return text.append(String.format(Locale.ROOT, "%n* nothing found is both faster and smaller, by the estimates%n"
        + "Kernel times of the first: %s; nine of ten times they are within %.0f %%%n", kernels.text(),
        100 * kernels.relativeError())).append(Figures.leftOut(best.get(0).candidate().training())).toString();
  }

  private static String line(TrainingSearch.Outcome outcome, Confirmed confirmed) {
    Candidate candidate = confirmed.candidate();
    Training job = candidate.training();
    String seconds = Double.isNaN(confirmed.seconds()) ? "-" : String.format(Locale.ROOT, "%.3f", confirmed.seconds());
    return String.format(Locale.ROOT, "%s %4d%4d%4d%4d%4d%5d%7d  %-9s%13.3f%10s%8.1f%12.1f%n",
        outcome.front().contains(candidate) ? "*" : " ", job.parallel().tensor(), job.parallel().pipeline(),
        job.parallel().chunks(), job.parallel().context(), job.parallel().expert(), candidate.data(),
        job.batch().micro(), job.execution().recompute().name().toLowerCase(Locale.ROOT), candidate.seconds(), seconds,
        100 * candidate.utilization(), candidate.memoryBytes() / (double) (1 << 30));
  }
}
