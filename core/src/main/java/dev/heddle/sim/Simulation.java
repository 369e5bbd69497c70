package dev.heddle.sim;

import dev.heddle.fabric.Fabric;
import dev.heddle.network.NetworkException;
import dev.heddle.network.packet.PacketNetwork;
import dev.heddle.network.packet.PacketSettings;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.results.Results;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.units.SimTime;
import org.jspecify.annotations.Nullable;

/**
 * One run, composed by hand: a fabric, a workload, options, a seed.
 *
 * @param name of the run, for its results
 * @param fabric the machine
 * @param workload what its ranks do
 * @param options how it is carried out and measured
 * @param seed of all random streams
 */
public record Simulation(String name, Fabric fabric, Workload workload, SimulationOptions options, long seed) {
  /**
   * Runs the simulation at packet fidelity.
   *
   * @throws SimulationException when the run cannot be carried out: a deadlock, a unit that fits no buffer, a limit
   */
  public Results run() {
    return run(null);
  }

  /**
   * Runs the simulation at packet fidelity under the eyes of an observer, on one thread.
   *
   * @param observer sees every transmission and delivery; null for none
   * @throws SimulationException when the run cannot be carried out: a deadlock, a unit that fits no buffer, a limit
   */
  public Results run(@Nullable NetworkObserver observer) {
    int[] ranks = workload.ranks(fabric);
    long start = options.warmup().ps();
    long end =
        options.measure().map(window -> Math.addExact(start, window.ps())).orElse(Long.MAX_VALUE);
    WorkloadContext context = new WorkloadContext(fabric, ranks, seed, SimTime.ofPs(end));
    PacketSettings settings =
        new PacketSettings(
            options.granularity() == SimulationOptions.Granularity.TRAIN ? (int) options.train().bytes() : 0,
            options.injectionQueue(),
            start,
            end,
            options.limit().ps(),
            options.partitions(),
            options.threads(),
            seed);
    try {
      PacketNetwork network =
          new PacketNetwork(fabric, ranks, rank -> workload.program(rank, context), settings, observer);
      network.run();
      return NetworkResults.of(name, fabric, seed, network.measurements());
    } catch (NetworkException e) {
      throw new SimulationException(String.valueOf(e.getMessage()), e);
    }
  }
}
