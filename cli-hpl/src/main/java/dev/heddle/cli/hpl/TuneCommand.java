package dev.heddle.cli.hpl;

import dev.heddle.cli.CommandContext;
import dev.heddle.cli.ConfirmationFidelity;
import dev.heddle.fabric.Fabric;
import dev.heddle.hpl.HplCase;
import dev.heddle.hpl.HplInput;
import dev.heddle.hpl.HplReport;
import dev.heddle.hpl.HplSystem;
import dev.heddle.hpl.HplVariant;
import dev.heddle.hpl.LayerReach;
import dev.heddle.hpl.PanelBroadcast;
import dev.heddle.hpl.PanelFactorization;
import dev.heddle.hpl.RowSwap;
import dev.heddle.hpl.run.KernelSettings;
import dev.heddle.hpl.run.Kernels;
import dev.heddle.hpl.tune.HplTuner;
import dev.heddle.network.NetworkModel;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Finds the best N, NB, P and Q. */
@Command(
    name = "tune",
    description = "Find the N, NB, P and Q that are best for a cluster and its memory, by the layered closed form, and"
        + " print them as HPL's result lines, best first.")
final class TuneCommand implements Callable<Integer> {
  private static final HplVariant VARIANT = new HplVariant(
      false, 1, PanelBroadcast.RING_MODIFIED, PanelFactorization.CROUT, 2, PanelFactorization.RIGHT, 32);
  private static final HplInput.Options OPTIONS =
      new HplInput.Options(-1, RowSwap.SPREAD_ROLL, 64, true, true, true, 8);

  private final CommandContext context;

  @Mixin
  private SystemOptions cluster = new SystemOptions();

  @Option(
      names = "--memory-share",
      paramLabel = "SHARE",
      description = "Share of an accelerator's memory that the matrix may take (default: 90 %%).")
  private String share = "90 %";

  @Option(
      names = "--system",
      paramLabel = "YAML",
      description = "A system instead of a cluster, such as hpl-frontier; with --memory.")
  private @Nullable String system;

  @Mixin
  private MemoryOption memory = new MemoryOption();

  @Option(names = "--top", paramLabel = "N", description = "How many choices are printed (default: 10).")
  private int top = 10;

  @Option(
      names = "--simulate",
      paramLabel = "N",
      description = "Run the best N choices on the cluster's network too, and order them by that (default: 0).")
  private int simulate;

  @Mixin
  private ConfirmationFidelity fidelity = new ConfirmationFidelity();

  TuneCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if (top < 1 || simulate < 0) {
      throw new InvalidSettingException(
          "", top < 1 ? "--top " + top + ": must be at least 1" : "--simulate " + simulate + ": must be at least 0");
    }
    Registry registry = context.registry();
    NetworkModel network = fidelity.model(registry);
    KernelSettings settings = cluster.kernels(registry);
    if (system != null) {
      return tune(given(MachineOptions.closed(new ScenarioReader(registry), system), settings), Optional.empty(),
          network, settings);
    }
    Fabric fabric = cluster.fabric(registry);
    Optional<Accelerator> accelerator = fabric.accelerator(fabric.terminals(DeviceKind.ACCELERATOR)[0]);
    HplSystem layers = cluster.system(registry, fabric, 512);
    HplTuner tuner = new HplTuner(
        layers, Kernels.of(settings, accelerator), part(accelerator.map(Accelerator::memory)));
    return tune(tuner, Optional.of(fabric), network, settings);
  }

  // A system's peak is the rate that its own figures claim it sustains.
  private HplTuner given(HplSystem given, KernelSettings settings) {
    if (cluster.given()) {
      throw new InvalidSettingException("", "--system and --cluster are two machines; write one of them");
    }
    if (simulate > 0) {
      throw new InvalidSettingException(
          "", "--simulate needs the links of a cluster: write --cluster instead of --system");
    }
    KernelSettings whole = new KernelSettings(
        settings.peak(), Fraction.of(1), settings.tile(), settings.launch(), settings.exchange());
    DataRate rate = given.layers().get(0).reach() == LayerReach.DEVICE
        ? given.layers().get(0).rate() : DataRate.ofGigabitsPerSecond(1e6);
    return new HplTuner(given, Kernels.of(whole, given.devicePeak(), rate), part(Optional.empty()));
  }

  private int tune(HplTuner tuner, Optional<Fabric> fabric, NetworkModel network, KernelSettings settings) {
    List<Timed> timed = new ArrayList<>();
    for (HplTuner.Choice choice : tuner.best(Math.max(top, simulate))) {
      timed.add(new Timed(new HplCase(choice.problem(), VARIANT), choice.time().seconds()));
    }
    if (simulate > 0) {
      Simulated runs = new Simulated(fabric.orElseThrow(), network, settings, Optional.empty(), memory.size());
      timed = new ArrayList<>(timed.subList(0, Math.min(simulate, timed.size())).stream()
          .map(each -> new Timed(each.run(), runs.seconds(each.run(), OPTIONS, Set.of()))).toList());
      timed.sort(Comparator.comparingDouble(each -> -each.run().problem().flops() / each.seconds()));
    }
    StringBuilder text = new StringBuilder(HplReport.header());
    timed.stream().limit(top).forEach(each -> text.append(HplReport.line(each.run(), each.seconds())));
    context.print(text.toString());
    return 0;
  }

  private record Timed(HplCase run, double seconds) {}

  private DataSize part(Optional<DataSize> known) {
    Fraction part;
    try {
      part = Fraction.parse(share);
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException("", "--memory-share " + share + ": " + e.getMessage());
    }
    if (part.value() > 1) {
      throw new InvalidSettingException("", "--memory-share " + share + ": must be at most 100 %");
    }
    DataSize whole = memory.size().or(() -> known).orElseThrow(() -> new InvalidSettingException(
        "", "how much memory a device has is not known here; write --memory, such as '80 GiB'"));
    return DataSize.ofBytes((long) (whole.bytes() * part.value()));
  }
}
