package dev.heddle.verification;

import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.Network;
import dev.heddle.network.NetworkModel;
import dev.heddle.network.RunOptions;
import dev.heddle.network.packet.PacketNetwork;
import dev.heddle.network.packet.PacketNetwork.MemoizedCalls;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.Scenario;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions.Memoization;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.ValidationSuite;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of runs at packet fidelity in which recurring collective calls are replayed with runs of the same
 * scenarios in which every packet is simulated.
 */
public final class MemoizationSuite implements ValidationSuite {
  /** Bound on the mean error of the time of a run in percent. */
  static final double BOUND = 0.5;

  private static final double US = 1e6;

  /** Packet fidelity that keeps the network of its last run, for its count of replayed calls. */
  private static final class Counting implements NetworkModel {
    private final NetworkModel packets;
    private @Nullable PacketNetwork last;

    Counting(NetworkModel packets) {
      this.packets = packets;
    }

    @Override
    public String id() {
      return packets.id();
    }

    @Override
    public Network network(Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer) {
      Network network = packets.network(fabric, job, options, observer);
      if (!(network instanceof PacketNetwork packet)) {
        throw new InvalidSettingException("fidelity", "only runs at packet fidelity replay calls packet by packet");
      }
      last = packet;
      return packet;
    }

    MemoizedCalls calls() {
      return last == null ? MemoizedCalls.NONE : last.memoizedCalls();
    }
  }

  /**
   * One scenario, run both ways.
   *
   * @param row times of both
   * @param calls that the run with replay met
   * @param equal whether all results are equal, to the bit
   */
  private record Comparison(Row row, MemoizedCalls calls, boolean equal) {}

  @Override
  public String id() {
    return "memoization";
  }

  @Override
  public String description() {
    return "Replay of recurring collective calls: times against those of runs of every packet";
  }

  @Override
  public ValidationReport run(Optional<Path> data) {
    return run(data, 1);
  }

  /** Runs every {@code step}th scenario of each file, from the first. */
  static ValidationReport run(Optional<Path> data, int step) {
    DataFolder folder = data.map(DataFolder::of).orElseGet(() -> DataFolder.bundled("memoization"));
    List<Table> tables = new ArrayList<>();
    List<Comparison> all = new ArrayList<>();
    try (Registry registry = Registry.discover(MemoizationSuite.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      for (String name : folder.names(".yaml")) {
        ScenarioFile file = reader.parse(folder.label(name), folder.text(name), Map.of());
        List<Comparison> compared = new ArrayList<>();
        for (int point = 0; point < file.points().size(); point += step) {
          compared.add(compare(file.points().get(point)));
        }
        all.addAll(compared);
        tables.add(new Table(title(file.points().get(0).scenario()), "runs of every packet", "us",
            compared.stream().map(Comparison::row).toList(), BOUND));
      }
    }
    if (tables.isEmpty()) {
      throw new InvalidSettingException("", folder.label("") + " holds no scenario");
    }
    List<String> notes = new ArrayList<>(List.of(summary(all)));
    if (data.isEmpty()) {
      folder.text("notes.txt").lines().filter(line -> !line.isBlank()).forEach(notes::add);
    }
    ValidationReport report = new ValidationReport("memoization", tables, notes);
    return data.isPresent() ? report : report.with(SuiteBasis.of(folder, report));
  }

  private static String title(Scenario scenario) {
    return scenario.description().isEmpty() ? scenario.name() : scenario.description();
  }

  private static Comparison compare(ScenarioFile.Point point) {
    Scenario scenario = point.scenario();
    Simulation simulation = scenario.simulation();
    Counting model = new Counting(simulation.fidelity());
    Results full = with(simulation, model, Memoization.NONE).run();
    Results replayed = with(simulation, model, Memoization.REPLAY).run();
    MemoizedCalls calls = model.calls();
    String label = String.join(", ", point.parameters().values()) + String.format(
        Locale.ROOT, " (%d replayed, %d disturbed)", calls.replayed(), calls.disturbed());
    Row row = new Row(
        label, OptionalLong.empty(), full.run().simulatedPs() / US, replayed.run().simulatedPs() / US);
    return new Comparison(row, calls, full.equals(replayed));
  }

  private static Simulation with(Simulation simulation, NetworkModel model, Memoization memoization) {
    return new Simulation(
        simulation.name(), simulation.fabric(), simulation.workload(),
        simulation.options().memoization(memoization), simulation.seed(), model, simulation.collectives(),
        simulation.transport());
  }

  private static String summary(List<Comparison> all) {
    MemoizedCalls calls =
        all.stream().map(Comparison::calls).reduce(MemoizedCalls.NONE, MemoizedCalls::plus);
    return String.format(
        Locale.ROOT,
        "Scenarios: %d, of which %d have a replayed call and %d a disturbed one. Calls replayed: %d, from %d records; "
            + "disturbed: %d. All results (every metric, distribution, link's counters, the number of events and the "
            + "fingerprint of all deliveries) are equal to the bit in %d of %d.",
        all.size(), all.stream().filter(each -> each.calls().replayed() > 0).count(),
        all.stream().filter(each -> each.calls().disturbed() > 0).count(), calls.replayed(), calls.recorded(),
        calls.disturbed(), all.stream().filter(Comparison::equal).count(), all.size());
  }
}
