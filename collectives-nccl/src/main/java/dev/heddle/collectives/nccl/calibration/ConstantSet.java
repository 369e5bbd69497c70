package dev.heddle.collectives.nccl.calibration;

import com.google.common.collect.ImmutableMap;
import dev.heddle.collectives.nccl.timing.GpuTiming;
import dev.heddle.collectives.nccl.timing.HostTiming;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.collectives.nccl.timing.NetworkTiming;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The constants of all GPU generations and networks.
 *
 * @param gpus by generation
 * @param networks by id
 * @param launchMicros launch by machine, for machines that were fitted; others have their generation's
 * @param efficiencies share of the NICs' rate by machine, for machines that were fitted; others have the network's
 */
public record ConstantSet(
    Map<String, GpuTiming> gpus, Map<String, NetworkTiming> networks, Map<String, Double> launchMicros,
    Map<String, Double> efficiencies) {
  /** Copies the maps. */
  public ConstantSet {
    gpus = ImmutableMap.copyOf(gpus);
    networks = ImmutableMap.copyOf(networks);
    launchMicros = ImmutableMap.copyOf(launchMicros);
    efficiencies = ImmutableMap.copyOf(efficiencies);
  }

  /**
   * The timing of the machine of a table.
   *
   * @throws IllegalArgumentException when its generation or network has no constants
   */
  public MachineTiming timing(MeasuredTable table) {
    HostTiming host = new HostTiming(
        Optional.ofNullable(launchMicros.get(table.machine())).map(GpuConstants::time));
    Double efficiency = efficiencies.get(table.machine());
    Optional<NetworkTiming> network = Optional.ofNullable(networks.get(table.network()))
        .map(net -> efficiency == null ? net : NetworkConstants.timing(net, efficiency));
    GpuTiming gpu = gpus.get(table.generation());
    if (gpu == null || !table.network().isEmpty() && network.isEmpty()) {
      throw new IllegalArgumentException(table.name() + ": no constants of " + table.generation() + " with "
          + table.network());
    }
    return new MachineTiming(gpu, host, network);
  }

  /** The constants of a generation, which has some. */
  GpuTiming gpu(String generation) {
    return Objects.requireNonNull(gpus.get(generation), generation);
  }

  /** The constants of a network, which has some. */
  NetworkTiming network(String network) {
    return Objects.requireNonNull(networks.get(network), network);
  }

  ConstantSet withGpu(String generation, double[] values) {
    Map<String, GpuTiming> changed = new LinkedHashMap<>(gpus);
    changed.put(generation, GpuConstants.timing(gpu(generation).launch(), values));
    return new ConstantSet(changed, networks, launchMicros, efficiencies);
  }

  ConstantSet withGenerationLaunch(String generation, double micros) {
    Map<String, GpuTiming> changed = new LinkedHashMap<>(gpus);
    changed.put(generation,
        GpuConstants.timing(GpuConstants.time(micros), GpuConstants.values(gpu(generation))));
    return new ConstantSet(changed, networks, launchMicros, efficiencies);
  }

  ConstantSet withNetwork(String network, double[] values) {
    Map<String, NetworkTiming> changed = new LinkedHashMap<>(networks);
    changed.put(network, NetworkConstants.timing(network(network), values));
    return new ConstantSet(gpus, changed, launchMicros, efficiencies);
  }

  ConstantSet withLaunch(String machine, double micros) {
    Map<String, Double> changed = new LinkedHashMap<>(launchMicros);
    changed.put(machine, micros);
    return new ConstantSet(gpus, networks, changed, efficiencies);
  }

  ConstantSet withEfficiency(String machine, double share) {
    Map<String, Double> changed = new LinkedHashMap<>(efficiencies);
    changed.put(machine, share);
    return new ConstantSet(gpus, networks, launchMicros, changed);
  }

  /** The constants without those of one machine. */
  public ConstantSet withoutMachine(String machine) {
    Map<String, Double> launches = new LinkedHashMap<>(launchMicros);
    launches.remove(machine);
    Map<String, Double> shares = new LinkedHashMap<>(efficiencies);
    shares.remove(machine);
    return new ConstantSet(gpus, networks, launches, shares);
  }
}
