package dev.heddle.verification;

import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.Network;
import dev.heddle.network.NetworkModel;
import dev.heddle.network.RunOptions;
import dev.heddle.network.packet.PacketNetwork;
import dev.heddle.network.packet.PacketNetwork.MemoizedCalls;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.results.Results;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.scenario.Scenario;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions.Memoization;
import dev.heddle.spi.InvalidSettingException;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of runs at packet fidelity in which recurring collective calls are replayed with runs of the same
 * scenarios in which every packet is simulated.
 */
public final class MemoizationSuite implements PacketComparison<MemoizationSuite.Comparison> {
  /** Bound on the mean error of the time of a run in percent. */
  static final double BOUND = 0.5;

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
  record Comparison(Row row, MemoizedCalls calls, boolean equal) implements Compared {}

  @Override
  public String id() {
    return "memoization";
  }

  @Override
  public double bound() {
    return BOUND;
  }

  @Override
  public String description() {
    return "Replay of recurring collective calls: times against those of runs of every packet";
  }

  @Override
  public Comparison compare(ScenarioFile.Point own, Scenario scenario) {
    Simulation simulation = scenario.simulation();
    Counting model = new Counting(simulation.fidelity());
    Results full = with(simulation, model, Memoization.NONE).run();
    Results replayed = with(simulation, model, Memoization.REPLAY).run();
    MemoizedCalls calls = model.calls();
    String label = String.join(", ", own.parameters().values()) + String.format(
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

  @Override
  public String summary(List<Comparison> all) {
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
