package dev.heddle.bench.track;

import com.google.common.io.Resources;
import com.sun.management.OperatingSystemMXBean;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results.RunInfo;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Simulation;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Runs one network of {@link NetworksCommand} in this virtual machine, for 6 s of processor time until the compiler has
 * seen it and then some times that count, and prints processor time in ns, packet hops and events of each of these.
 */
final class NetworkRun {
  private static final long WARM_UP_NS = 6_000_000_000L;

  private NetworkRun() {}

  /**
   * Runs and prints.
   *
   * @param args name of the network's scenario, file of the matrix, hosts, ports of a switch, runs that count
   */
  public static void main(String[] args) throws IOException {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    String name = args[0] + ".yaml";
    String text = Resources.toString(Resources.getResource(NetworkRun.class, name), StandardCharsets.UTF_8);
    Map<String, String> settings = Map.of(
        "workload.file", Path.of(args[1]).toAbsolutePath().toString(),
        "cluster.tiers.network.terminals.accelerator", args[2],
        "cluster.tiers.network.topology.radix", args[3]);
    try (Registry registry = Registry.discover(NetworkRun.class.getClassLoader(), List.of())) {
      Simulation simulation =
          new ScenarioReader(registry).parse(name, text, settings).points().get(0).scenario().simulation();
      long warm = system.getProcessCpuTime() + WARM_UP_NS;
      do {
        simulation.run();
      } while (system.getProcessCpuTime() < warm);
      for (int i = 0; i < Integer.parseInt(args[4]); i++) {
        long begin = system.getProcessCpuTime();
        RunInfo run = simulation.run().run();
        long end = system.getProcessCpuTime();
        System.out.println(end - begin + " " + run.packetHops() + " " + run.events());
      }
    }
  }
}
