package dev.heddle.scenario;

import dev.heddle.fabric.Fault;
import dev.heddle.network.NetworkModel;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Processor;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.spi.Workload;
import dev.heddle.tier.Topology;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The keys of a scenario file, except {@code sweep} and {@code preset}, which are resolved before binding.
 *
 * @param name of the scenario
 * @param description for people
 * @param seed of all random streams
 * @param fidelity at which it runs
 * @param run execution and measurement
 * @param cluster the machine
 * @param workload of the ranks
 * @param collectives algorithm of the ranks' collectives
 * @param transport protocol between terminals
 * @param report figures and tables of its results
 */
public record ScenarioSettings(
    @Setting("name of the scenario, and of its folder of results") String name,
    @Setting(value = "the subject of the scenario", def = "''") String description,
    @Setting(value = "seed of all random streams", def = "1") long seed,
    @Setting(value = "level of detail of the network model", def = "packet") NetworkModel fidelity,
    @Setting(value = "execution and measurement", def = "{}") SimulationOptions run,
    @Setting("the cluster") ClusterSettings cluster,
    @Setting("the workload of the ranks") Workload workload,
    @Setting(value = "algorithm of the ranks' collectives", def = "{type: ring}") CollectiveAlgorithm collectives,
    @Setting("transport protocol between terminals, or between the NICs of nodes; packet fidelity only. Without it, "
        + "links are lossless by credits alone") Optional<TransportProtocol> transport,
    @Setting(value = "figures and tables of the results", def = "{}") ReportSettings report) {
  /**
   * The machine.
   *
   * @param tiers innermost first
   * @param faults of parts
   */
  public record ClusterSettings(
      @Setting("the tiers, innermost first") List<TierSettings> tiers,
      @Setting("parts that are slow, lossy or down from the start") List<Fault> faults) {}

  /**
   * One tier.
   *
   * @param name of one instance
   * @param size number of instances of the next inner tier that one instance joins
   * @param terminals the devices of an instance of the innermost tier
   * @param nic forwarding of a NIC between this tier and the next
   * @param topology that connects the terminals
   * @param accelerator figures of the accelerators
   * @param cpu figures of the CPUs
   */
  public record TierSettings(
      @Setting("name of one instance, such as node") String name,
      @Setting(value = "instances of the next inner tier that one instance joins; 1 for the innermost", def = "1",
          min = "1", max = "1000000") int size,
      @Setting(value = "devices of an instance, by kind, in order; innermost tier only", min = "1",
          max = "1000000") Map<DeviceKind, Integer> terminals,
      @Setting("forwarding of a NIC between this tier and the next; needed where there is a next") Optional<Switch> nic,
      @Setting("the topology that connects the terminals") Topology topology,
      @Setting("the accelerators; innermost tier only") Optional<Accelerator> accelerator,
      @Setting("the CPUs; innermost tier only") Optional<Processor> cpu) {}

  /**
   * Figures and tables of results.
   *
   * @param plots figures of a sweep
   * @param rankings tables of the change at each point of a sweep
   */
  public record ReportSettings(
      @Setting("figures of a sweep") List<PlotSettings> plots,
      @Setting("tables of the change at each point of a sweep against the first, the largest decrease "
          + "first") List<RankingSettings> rankings) {}

  /**
   * A table of the change at each point of a sweep against the first.
   *
   * @param title of the table
   * @param metric that is compared
   */
  public record RankingSettings(
      @Setting("title of the table") String title, @Setting("id of the metric that is compared") String metric) {}

  /**
   * One figure of a sweep.
   *
   * @param title of the figure
   * @param metric on the ordinate
   * @param x axis on the abscissa
   * @param series axis that tells curves apart
   * @param panels axis that tells panels apart
   * @param logY whether the ordinate is logarithmic
   */
  public record PlotSettings(
      @Setting("title of the figure") String title,
      @Setting("id of the metric on the ordinate") String metric,
      @Setting("path of the axis on the abscissa") String x,
      @Setting("path of the axis that tells curves apart; without it, one curve") Optional<String> series,
      @Setting("path of the axis that tells panels apart; without it, one panel") Optional<String> panels,
      @Setting(value = "whether the ordinate is logarithmic", def = "false") boolean logY) {}
}
